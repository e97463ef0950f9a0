import assert from 'node:assert/strict';
import { formatBinary, formatLimit, formatMemoryUse } from '../../../src/views/formatMeasure.ts';

const MEBIBYTE = 1024 ** 2;

describe('memory', () => {
  it('is written in the units of limits, as they were set', () => {
    const limits = [64 * MEBIBYTE, 1536 * MEBIBYTE, 2048 * MEBIBYTE, 24_684_084 * 1024, 0, 7];
    const expected = ['64 MiB', '1536 MiB', '2 GiB', '24 GiB', '0 B', '7 B'];
    assert.deepEqual(limits.map(formatLimit), expected);
    const sizes = [1024, 4.26 * MEBIBYTE, 1e300, -1, NaN];
    assert.deepEqual(sizes.map(formatBinary).slice(0, 2), ['1.0 KiB', '4.3 MiB']);
    assert.deepEqual(sizes.map(formatBinary).slice(3), ['0 B', '0 B']);
  });

  it('has its share of a limit, if there is one', () => {
    assert.equal(formatMemoryUse(62 * MEBIBYTE, 64 * MEBIBYTE), '62 MiB of 64 MiB (97%)');
    for (const limit of [undefined, 0, NaN]) assert.equal(formatMemoryUse(5e6, limit), '4.8 MiB');
  });
});
