import assert from 'node:assert/strict';
import { readFirstEntry, readTar, type TarEntry } from '../../../../src/engine/archive/readTar.ts';
import { packed } from '../../support/tars.ts';

/** A source of these chunks that records how many bytes were read and whether its reader has left. */
function source(pieces: Iterable<Uint8Array>): {
  readonly bytes: AsyncGenerator<Uint8Array>;
  readonly isLeft: () => boolean;
  readonly taken: () => number;
} {
  let isLeft = false;
  let taken = 0;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      for (const piece of pieces) {
        taken += piece.length;
        yield await Promise.resolve(piece);
      }
    } finally {
      isLeft = true;
    }
  }
  return { bytes: bytes(), isLeft: () => isLeft, taken: () => taken };
}

function* cut(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function contentsOf(entry: TarEntry): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of entry.contents) pieces.push(piece);
  return Buffer.concat(pieces);
}

const LONG = `${'n'.repeat(300)}/日本`;

describe('readFirstEntry', () => {
  for (const size of [1, 511, 512, 513, 700, 100_000]) {
    it(`returns the same entry as readTar, in chunks of ${size} bytes`, async () => {
      const tar = await packed([
        { name: LONG, size: 1300, mode: 0o4640, uid: 7, gid: 8 },
        { name: 'next', size: 600 },
      ]);
      const { bytes, isLeft } = source(cut(tar, size));
      const found: unknown[] = [];
      for await (const { contents, owner, ...fields } of readFirstEntry(bytes)) {
        assert.deepEqual(owner, { uid: 7, gid: 8, mode: 0o4640, hasAttributes: false });
        found.push([fields, await contentsOf({ ...fields, contents })]);
      }
      const all: unknown[] = [];
      for await (const { contents, ...fields } of readTar(source([tar]).bytes)) {
        all.push([fields, await contentsOf({ ...fields, contents })]);
      }
      assert.deepEqual(found, all.slice(0, 1));
      assert.ok(isLeft());
    });
  }

  it('reads no further than the contents', async () => {
    const tar = await packed([{ name: 'a', size: 3000 }, { name: 'b' }]);
    const { bytes, taken } = source(cut(tar, 512));
    for await (const entry of readFirstEntry(bytes)) await contentsOf(entry);
    assert.equal(taken(), 512 + 3072);
  });

  it('returns no contents for a folder', async () => {
    const tar = await packed([
      { name: 'd', type: 'directory' },
      { name: 'd/a', size: 5 },
    ]);
    for await (const entry of readFirstEntry(source([tar]).bytes)) {
      assert.equal(entry.kind, 'folder');
      assert.equal((await contentsOf(entry)).length, 0);
    }
  });

  it('yields nothing for an empty tar or half a header', async () => {
    const tar = await packed([{ name: 'a', size: 3000 }]);
    for (const none of [Buffer.alloc(1024), tar.subarray(0, 500), Buffer.alloc(0)]) {
      for await (const entry of readFirstEntry(source([none]).bytes)) assert.fail(entry.name);
    }
  });

  it('throws the mapped error if the bytes are not a tar or end too early', async () => {
    const toFailure = (error: Error): Error => new Error(`bad: ${error.message}`);
    const tar = await packed([{ name: 'a', size: 3000 }]);
    for (const bad of [Buffer.alloc(600, 'x'), tar.subarray(0, 2000)]) {
      const { bytes, isLeft } = source(cut(bad, 300));
      await assert.rejects(async () => {
        for await (const entry of readFirstEntry(bytes, toFailure)) await contentsOf(entry);
      }, /^Error: bad: (?!bad)/);
      assert.ok(isLeft());
    }
  });

  it('stops buffering if no entry ever comes', async () => {
    function* endless(): Generator<Uint8Array> {
      for (;;) yield Buffer.alloc(1024 * 1024);
    }
    const { bytes, taken } = source(endless());
    await assert.rejects(async () => {
      for await (const entry of readFirstEntry(bytes)) assert.fail(entry.name);
    }, /no entry/);
    assert.ok(taken() < 20 * 1024 * 1024, `${taken()}`);
  });
});
