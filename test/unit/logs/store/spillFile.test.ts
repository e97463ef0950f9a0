import assert from 'node:assert/strict';
import { existsSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { roomOf, SpillFile } from '../../../../src/logs/store/spillFile.ts';
import type { SpillLocation } from '../../../../src/logs/store/storeSnapshot.ts';
import { withFolder } from '../../support/lines.ts';

const KIB = 1024;

describe('a file of page images', () => {
  const folder = withFolder();
  let file: SpillFile;
  beforeEach(() => (file = new SpillFile(join(folder.path(), 'a/b'))));
  afterEach(() => {
    file.dispose();
  });

  /** Writes an image in two pieces that are filled with a letter. */
  const write = (letter: string, kib: number): SpillLocation =>
    file.write([Buffer.alloc(5, letter), Buffer.alloc(kib * KIB - 5, letter)]);

  /** Returns the one letter that an image is filled with. */
  function letterIn(location: SpillLocation): string {
    const bytes = new Uint8Array(location.size + 1);
    file.read(location, bytes);
    assert.equal(bytes.at(-1), 0, 'no more is read than the image');
    return [...new Set(Buffer.from(bytes.subarray(0, -1)).toString())].join('');
  }

  it('uses the first free space that fits, and counts what is used', () => {
    const [a, b, c] = [write('a', 100), write('b', 128), write('c', 1)];
    const all = [a, b, c];
    assert.deepEqual(
      all.map(({ position, size }) => [position / KIB, size / KIB]),
      [
        [0, 100],
        [128, 128],
        [256, 1],
      ],
    );
    assert.equal(file.bytes, 320 * KIB);
    file.free(b);
    file.free(b);
    file.free({ ...a });
    assert.equal(file.bytes, 192 * KIB);
    const more = [write('d', 129), write('e', 64), write('f', 60), write('g', 1)];
    assert.deepEqual(
      more.map(({ position }) => position / KIB),
      [320, 128, 192, 512],
    );
    assert.equal(file.bytes, 576 * KIB);
    assert.deepEqual([a, c, ...more].map(letterIn), ['a', 'c', 'd', 'e', 'f', 'g']);
  });

  it('is deleted with all images, and created again for the next one', () => {
    assert.equal(file.path, undefined);
    const first = write('a', 1);
    const { path = '' } = file;
    file.dispose();
    assert.deepEqual([file.bytes, file.path, existsSync(path)], [0, undefined, false]);
    assert.throws(() => letterIn(first), /Nothing/);
    assert.equal(write('b', 1).position, 0);
    assert.equal(file.bytes, 64 * KIB);
  });

  it('fails to read what another program has cut', () => {
    const location = write('a', 100);
    truncateSync(file.path ?? '', 50 * KIB);
    assert.throws(() => letterIn(location), /ends/);
  });

  it('needs room in whole pieces', () => {
    const sizes = [0, 1, 64 * KIB, 64 * KIB + 1];
    assert.deepEqual(
      sizes.map((size) => roomOf(size) / KIB),
      [0, 64, 64, 128],
    );
  });
});
