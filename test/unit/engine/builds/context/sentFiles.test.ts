import assert from 'node:assert/strict';
import { SentFiles } from '../../../../../src/engine/builds/context/sentFiles.ts';

describe('SentFiles', () => {
  it('keeps the ten largest files, largest first, and counts all bytes', () => {
    const sent = new SentFiles();
    const sizes = [5, 12, 1, 8, 3, 11, 2, 9, 4, 10, 7, 6, 0];
    for (const size of sizes) sent.add({ path: `${size}`, size });
    assert.equal(sent.bytes, 78);
    assert.deepEqual(
      sent.largest.map(({ size }) => size),
      [12, 11, 10, 9, 8, 7, 6, 5, 4, 3],
    );
  });
});
