import assert from 'node:assert/strict';
import { pack } from 'tar-stream';
import { TarValidator, type TarEnd } from '../../../../src/engine/archive/tarValidator.ts';
import { tar } from '../../../bed/tar.ts';

/** Feeds an archive in pieces of `step` bytes. */
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

describe('engine/tarWatch', () => {
  const archive = tar(ENTRIES);

  for (const step of [1, 7, 511, 512, 513, 100_000]) {
    it(`knows a whole archive that comes in pieces of ${step}`, () => {
      assert.equal(endOf(archive, step), 'whole');
    });
  }

  it('knows one with zeros to the end of its last record', () => {
    assert.equal(endOf(Buffer.concat([archive, Buffer.alloc(10_240)])), 'whole');
  });

  it('misses what is cut off, wherever that is', () => {
    for (let size = 0; size < archive.length - 512; size += 300) {
      assert.equal(endOf(archive.subarray(0, size)), 'cut', String(size));
    }
    assert.equal(endOf(archive.subarray(0, archive.length - 512)), 'cut');
  });

  it('notices what stands behind, or in between', () => {
    const words = Buffer.from('{"errorDetail":{"message":"no room"},"error":"no room"}\r\n');
    const padded = Buffer.concat([words, Buffer.alloc(512 - words.length)]);
    assert.equal(endOf(Buffer.concat([archive, words])), 'cut');
    assert.equal(endOf(Buffer.concat([archive, padded])), 'spoilt');
    assert.equal(endOf(Buffer.concat([archive.subarray(0, 512), padded, padded])), 'spoilt');
    assert.equal(endOf(Buffer.concat([archive, archive])), 'spoilt');
  });

  it('is not taken in by what is no archive', () => {
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

  it('reads sizes that a header cannot hold, from its extension and in bytes', async () => {
    const packed = pack();
    packed.entry({ name: 'big', pax: { comment: 'said beside' } }, 'x'.repeat(1500));
    packed.finalize();
    const parts: Uint8Array[] = [];
    for await (const part of packed) parts.push(part as Uint8Array);
    assert.equal(endOf(Buffer.concat(parts)), 'whole');
    assert.equal(endOf(withExtension('24 size=1500\n')), 'whole');
    assert.equal(endOf(inBytes(tar([ENTRIES[1]]), 700)), 'whole');
    assert.equal(endOf(inBytes(tar([ENTRIES[1]]), 2 ** 60)), 'spoilt');
  });
});

/** An archive whose entry says 0 in its header, and its size in an extension before it. */
function withExtension(words: string): Buffer {
  const extension = tar([{ name: 'x', kind: 'file', data: Buffer.from(words) }]).subarray(0, 1024);
  const entry = tar([{ name: 'big', kind: 'file', data: Buffer.alloc(1500, 'x') }]);
  entry.write('00000000000', 124);
  return Buffer.concat([summed(extension, 'x'), summed(entry)]);
}

/** The same archive, the size of its first entry in the way of those that octal digits do not suffice for. */
function inBytes(archive: Buffer, size: number): Buffer {
  archive.fill(0, 124, 136);
  archive[124] = 0x80;
  archive.writeBigUInt64BE(BigInt(size), 128);
  return summed(archive);
}

/** Mends the sum of the first header. */
function summed(archive: Buffer, type?: string): Buffer {
  if (type !== undefined) archive.write(type, 156);
  archive.write(' '.repeat(8), 148);
  const sum = archive.subarray(0, 512).reduce((all, byte) => all + byte, 0);
  archive.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return archive;
}
