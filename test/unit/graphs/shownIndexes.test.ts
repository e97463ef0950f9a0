import assert from 'node:assert/strict';
import { shownIndexes } from '../../../src/graphs/shownIndexes.ts';

describe('what is drawn of a line', () => {
  it('is each value while there is room', () => {
    assert.deepEqual(shownIndexes([3, 1, undefined, 2], 0, 3, 1), [0, 1, 3]);
    assert.deepEqual(shownIndexes([3, 1, 2, 4], 1, 2, 1), [1, 2]);
  });

  it('is the lowest and the highest of neighbors, in order', () => {
    assert.deepEqual(shownIndexes([5, 1, 9, 2, 2, 8, 0, 7, 4], 0, 8, 4), [1, 2, 5, 6, 8]);
    assert.deepEqual(shownIndexes([3, 3, 3, 3], 0, 3, 4), [0]);
  });

  it('is as it was after more has come, and keeps where the line breaks', () => {
    const values = [5, 1, 9, null, undefined, 8, 0, 7];
    const before = shownIndexes(values, 0, 7, 4);
    assert.deepEqual(before, [1, 2, 3, 5, 6]);
    assert.deepEqual(shownIndexes([...values, 9], 0, 8, 4), [...before, 8]);
  });
});
