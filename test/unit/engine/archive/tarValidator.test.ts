import assert from 'node:assert/strict';
import { pack } from 'tar-stream';
import { TarValidator, type TarEnd } from '../../../../src/engine/archive/tarValidator.ts';
import { tar } from '../../../bed/tar.ts';

/** Feeds an archive in chunks of `step` bytes and returns how it ended. */
function endOf(archive: Uint8Array, step = 1000): TarEnd {
  const watch = new TarValidator();
  for (let at = 0; at < archive.length; at += step) watch.push(archive.subarray(at, at + step));
  return watch.end;
}

const ENTRIES = [
  { name: 'folder/', kind: 'folder' },
  { name: 'folder/a', kind: 'file', data: Buffer.alloc(700, 'a') },
  { name: 'folder/b', kind: 'link', target: 'a' },
  { name: 'folder/c', kind: 'file', data: Buffer.alloc(0) },
  { name: 'folder/d', kind: 'file', data: Buffer.alloc(512, 'd') },
] as const;

describe('TarValidator', () => {
  const archive = tar(ENTRIES);

  for (const step of [1, 7, 511, 512, 513, 100_000]) {
    it(`accepts a complete archive in chunks of ${step} bytes`, () => {
      assert.equal(endOf(archive, step), 'whole');
    });
  }

  it('accepts an archive that is padded with zeros', () => {
    assert.equal(endOf(Buffer.concat([archive, Buffer.alloc(10_240)])), 'whole');
  });

  it('detects a truncated archive, wherever it is cut', () => {
    for (let size = 0; size < archive.length - 512; size += 300) {
      assert.equal(endOf(archive.subarray(0, size)), 'cut', String(size));
    }
    assert.equal(endOf(archive.subarray(0, archive.length - 512)), 'cut');
  });

  it('detects other data after or inside the archive', () => {
    const words = Buffer.from('{"errorDetail":{"message":"no room"},"error":"no room"}\r\n');
    const padded = Buffer.concat([words, Buffer.alloc(512 - words.length)]);
    assert.equal(endOf(Buffer.concat([archive, words])), 'cut');
    assert.equal(endOf(Buffer.concat([archive, padded])), 'spoilt');
    assert.equal(endOf(Buffer.concat([archive.subarray(0, 512), padded, padded])), 'spoilt');
    assert.equal(endOf(Buffer.concat([archive, archive])), 'spoilt');
  });

  it('rejects bytes that are not an archive', () => {
    assert.equal(endOf(Buffer.alloc(5000, 'x')), 'spoilt');
    assert.equal(endOf(new Uint8Array()), 'cut');
  });

  it('keeps the end as text', () => {
    const watch = new TarValidator();
    watch.push(Buffer.alloc(100_000, 'x'));
    for (const part of ['the ', 'end']) watch.push(Buffer.from(part));
    assert.equal(watch.tail.length, 16 * 1024);
    assert.match(watch.tail, /xthe end$/);
  });

  it('reads long names of GNU tar, which come before those of pax', () => {
    const long = extension('L', 'a/../../out\0');
    const pax = extension('x', '13 path=safe\n');
    for (const before of [[long], [long, pax], [pax, long]]) {
      const names: string[] = [];
      const watch = new TarValidator(({ name }) => names.push(name));
      watch.push(Buffer.concat([...before, tar([{ name: 'short', kind: 'folder' }, ENTRIES[1]])]));
      assert.deepEqual([names, watch.end], [['a/../../out', 'folder/a'], 'whole']);
    }
  });

  it('reads owners from a pax header, also after a value with line feeds', () => {
    const words = '23 comment=a\n8 uid=7\nb\n18 uid=1234567890\n15 gid=3000000\n';
    const owners: unknown[] = [];
    const watch = new TarValidator(({ uid, gid }) => owners.push([uid, gid]));
    watch.push(Buffer.concat([extension('x', words), tar([ENTRIES[0], ENTRIES[1]])]));
    assert.deepEqual(owners, [
      [1_234_567_890, 3_000_000],
      [0, 0],
    ]);
    assert.equal(watch.end, 'whole');
  });

  it('skips the maps of sparse files of GNU tar, of any length', () => {
    const sparse = tar([{ name: 'x', kind: 'file', data: Buffer.alloc(512, 'x') }]);
    const header = sparse.subarray(0, 512);
    const data = sparse.subarray(512, 1024);
    header[482] = 1;
    const maps = [Buffer.alloc(512), Buffer.alloc(512)];
    maps[0]![504] = 1;
    const parts = [summed(header, 'S'), ...maps, data, archive];
    for (const step of [1, 700]) assert.equal(endOf(Buffer.concat(parts), step), 'whole');
  });

  it('reads the size with the holes of sparse files from a pax header', () => {
    for (const words of ['29 GNU.sparse.realsize=90000\n', '25 GNU.sparse.size=90000\n']) {
      const sizes: number[] = [];
      const watch = new TarValidator(({ size }) => sizes.push(size));
      watch.push(withExtension(`13 size=1500\n${words}`));
      assert.deepEqual([sizes, watch.end], [[90_000], 'whole'], words);
    }
  });

  it('reads sizes from a pax header and in base 256', async () => {
    const packed = pack();
    packed.entry({ name: 'big', pax: { comment: 'said beside' } }, 'x'.repeat(1500));
    packed.finalize();
    const parts: Uint8Array[] = [];
    for await (const part of packed) parts.push(part as Uint8Array);
    assert.equal(endOf(Buffer.concat(parts)), 'whole');
    assert.equal(endOf(withExtension('13 size=1500\n')), 'whole');
    assert.equal(endOf(withExtension('13 size=1500\n', extension('L', 'big'))), 'whole');
    assert.equal(endOf(inBytes(tar([ENTRIES[1]]), 700)), 'whole');
    assert.equal(endOf(inBytes(tar([ENTRIES[1]]), 2 ** 60)), 'spoilt');
  });
});

/** Returns an archive whose entry has size 0 in its header and the actual size in a pax header before it. */
function withExtension(words: string, more: Buffer = Buffer.alloc(0)): Buffer {
  const entry = tar([{ name: 'big', kind: 'file', data: Buffer.alloc(1500, 'x') }]);
  entry.write('00000000000', 124);
  return Buffer.concat([extension('x', words), more, summed(entry)]);
}

/** Returns a header that describes the next entry, with its data. */
function extension(type: string, words: string): Buffer {
  const entry = tar([{ name: 'x', kind: 'file', data: Buffer.from(words) }]);
  return summed(entry.subarray(0, 1024), type);
}

/** Returns the same archive, with the size of its first entry in base 256. */
function inBytes(archive: Buffer, size: number): Buffer {
  archive.fill(0, 124, 136);
  archive[124] = 0x80;
  archive.writeBigUInt64BE(BigInt(size), 128);
  return summed(archive);
}

/** Corrects the checksum of the first header. */
function summed(archive: Buffer, type?: string): Buffer {
  if (type !== undefined) archive.write(type, 156);
  archive.write(' '.repeat(8), 148);
  const sum = archive.subarray(0, 512).reduce((all, byte) => all + byte, 0);
  archive.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return archive;
}
