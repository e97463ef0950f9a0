import assert from 'node:assert/strict';
import {
  fullHeight,
  MOST_HEIGHT,
  scrollPositionAt,
  scrollTopOf,
} from '../../../../../src/logviewer/page/rows/scrollPosition.ts';

describe('scroll position', () => {
  const small = { count: 100, average: 18, view: 450 };
  const huge = { count: 5_000_000, average: 18, view: 450 };

  it('covers all rows and the head, up to the maximum height', () => {
    assert.equal(fullHeight(small), 101 * 18);
    assert.equal(fullHeight(huge), MOST_HEIGHT);
  });

  it('maps pixel by pixel if the range is not scaled', () => {
    assert.deepEqual(scrollPositionAt(0, small), { row: -1, offset: 0 });
    assert.equal(scrollTopOf({ row: 9, offset: 5 }, small), 10 * 18 + 5);
    const { row, offset } = scrollPositionAt(10 * 18 + 5, small);
    assert.equal(row, 9);
    assert.ok(Math.abs(offset - 5) < 1e-6);
  });

  it('reaches both ends of any log and maps back to the same row', () => {
    for (const extent of [small, huge]) {
      const end = fullHeight(extent) - extent.view;
      const last = scrollPositionAt(end, extent);
      const bottom = last.row * 18 + last.offset + extent.view;
      assert.ok(Math.abs(bottom - extent.count * 18) < 1);
      for (const share of [0, 0.25, 0.5, 1]) {
        const position = scrollPositionAt(share * end, extent);
        assert.ok(Math.abs(scrollTopOf(position, extent) - share * end) <= 1);
      }
    }
  });

  it('stays at the top if all rows are in view', () => {
    const few = { count: 3, average: 18, view: 450 };
    assert.equal(scrollTopOf({ row: 2, offset: 0 }, few), 0);
    assert.deepEqual(scrollPositionAt(0, few), { row: -1, offset: 0 });
    assert.deepEqual(scrollPositionAt(30, few), { row: -1, offset: 0 });
  });
});
