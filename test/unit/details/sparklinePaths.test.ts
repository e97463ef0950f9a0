import assert from 'node:assert/strict';
import { sparklinePaths } from '../../../src/details/sparklinePaths.ts';

describe('sparklines', () => {
  it('draw values from left to right, up to the most', () => {
    const points = [0, 50, 100].map((value, at) => ({ at: at * 1000, value }));
    const { line, area } = sparklinePaths(points, 100);
    assert.equal(line, 'M0 32L60 16L120 0');
    assert.equal(area, 'M0 32L0 32L60 16L120 0L120 32Z');
    assert.match(sparklinePaths(points, 200).line, /L120 16$/);
  });

  it('break the line where a value is missing or no number', () => {
    const values = [1, undefined, 2, NaN, Infinity, 3];
    const points = values.map((value, at) => ({ at, value }));
    assert.deepEqual(sparklinePaths(points, 0).line.match(/M[^M]*/g)?.length, 3);
    assert.doesNotMatch(sparklinePaths(points, 0).line, /NaN|Infinity/);
  });

  it('draw nothing without values', () => {
    assert.deepEqual(sparklinePaths([], 1), { line: '', area: '' });
    assert.deepEqual(sparklinePaths([{ at: 1, value: undefined }], 1), { line: '', area: '' });
  });
});
