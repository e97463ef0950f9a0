import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { RowFeed } from '../../../../../src/logviewer/page/rows/rowFeed.ts';
import type { Row, RowSlice, LogExtent, ToHost } from '../../../../../src/logviewer/protocol.ts';

const shape = (rowCount: number, generation = 1): LogExtent => ({
  generation,
  rowCount,
  lineCount: rowCount,
  droppedCount: 0,
  isStart: true,
  isReadingOlder: false,
  isFiltered: false,
});

const rows = (from: number, to: number): RowSlice => ({
  from,
  rows: Array.from({ length: to - from }, (_, offset) => ({ id: from + offset }) as Row),
});

function lab() {
  const asked: ToHost[] = [];
  const feed = new RowFeed((message) => asked.push(message));
  feed.applyExtent(shape(1000));
  return { asked, feed };
}

describe('RowFeed', () => {
  afterEach(() => mock.timers.reset());

  it('requests the rows in view and around it once', () => {
    const { asked, feed } = lab();
    feed.want({ from: 100, to: 150 }, 100);
    feed.want({ from: 101, to: 151 }, 101);
    assert.deepEqual(asked, [{ type: 'want', generation: 1, from: 40, to: 210, anchor: 100 }]);
    assert.equal(feed.applyRows(1, rows(40, 210), 100).length, 170);
    feed.want({ from: 102, to: 152 }, 102);
    assert.equal(asked.length, 1);
  });

  it('requests rows elsewhere without waiting for the first response', () => {
    const { asked, feed } = lab();
    feed.want({ from: 100, to: 150 }, 1);
    feed.want({ from: 900, to: 950 }, 1);
    assert.equal(asked.length, 2);
  });

  it('sends one follow message and requests no rows while following the end', () => {
    const { asked, feed } = lab();
    for (let count = 1001; count < 1100; count++) {
      feed.follow(75);
      feed.applyExtent(shape(count));
      feed.applyRows(1, rows(count === 1001 ? 926 : count - 1, count), count);
    }
    assert.deepEqual(asked, [{ type: 'follow', count: 75 }]);
    assert.equal(feed.cache.missing(926, 1099), undefined);
    feed.follow(80);
    assert.deepEqual(asked.at(-1), { type: 'follow', count: 80 });
  });

  it('reports the position when scrolling has ended, unless the end is followed by then', () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const { asked, feed } = lab();
    feed.applyRows(1, rows(0, 1000), 0);
    feed.want({ from: 100, to: 150 }, 100);
    feed.record(100);
    mock.timers.tick(99);
    assert.deepEqual(asked, []);
    mock.timers.tick(1);
    const want = { type: 'want', generation: 1, from: 100, to: 150, anchor: 100 };
    assert.deepEqual(asked, [want]);
    feed.record(101);
    feed.follow(75);
    mock.timers.tick(100);
    assert.deepEqual(asked.slice(1), [{ type: 'follow', count: 75 }]);
  });

  it('requests no rows that arrive together with a new generation', () => {
    const { asked, feed } = lab();
    feed.follow(75);
    feed.applyRows(1, rows(925, 1000), 925);
    assert.equal(feed.applyExtent(shape(900, 2)), true);
    feed.applyRows(2, rows(825, 900), 825);
    feed.follow(75);
    assert.equal(asked.length, 1);
    assert.equal(feed.cache.missing(825, 900), undefined);
  });

  it('sends the follow message again after a refresh', () => {
    const { asked, feed } = lab();
    feed.follow(75);
    feed.refresh();
    feed.follow(75);
    assert.equal(asked.length, 2);
  });

  it('reports leaving the end and the rows in view, even if no row is missing', () => {
    const { asked, feed } = lab();
    feed.follow(75);
    feed.applyRows(1, rows(800, 1000), 925);
    feed.want({ from: 920, to: 995 }, 920);
    feed.want({ from: 919, to: 994 }, 919);
    const want = { type: 'want', generation: 1, from: 920, to: 995, anchor: 920 };
    assert.deepEqual(asked.slice(1), [want]);
  });

  it('does not repeat a request for rows it did not get until the generation changes', () => {
    const { asked, feed } = lab();
    feed.want({ from: 100, to: 150 }, 1);
    feed.applyRows(1, rows(40, 40), 100);
    feed.want({ from: 100, to: 150 }, 1);
    feed.applyExtent(shape(1001));
    feed.want({ from: 100, to: 150 }, 1);
    assert.equal(asked.length, 1);
    feed.applyExtent(shape(1001, 2));
    feed.want({ from: 100, to: 150 }, 1);
    assert.equal(asked.length, 2);
  });

  it('returns the indexes of changed rows', () => {
    const { feed } = lab();
    feed.applyRows(1, rows(0, 50), 0);
    const other = { id: 7, level: 'error' } as Row;
    const changed = [...rows(5, 7).rows, other, ...rows(8, 10).rows];
    assert.deepEqual(feed.applyRows(1, { from: 5, rows: changed }, 0), [7]);
    assert.deepEqual(feed.applyRows(1, rows(45, 52), 0), [50, 51]);
  });

  it('shows rows of the old generation until new ones arrive, and ignores late rows of the old generation', () => {
    const { asked, feed } = lab();
    feed.applyRows(1, rows(0, 1000), 0);
    assert.equal(feed.applyExtent(shape(1000, 2)), true);
    assert.equal(feed.cache.at(5)?.id, 5);
    assert.deepEqual(feed.applyRows(1, { ...rows(50, 51), from: 5 }, 0), []);
    assert.equal(feed.cache.at(5)?.id, 5);
    feed.want({ from: 0, to: 20 }, 1);
    assert.equal(asked.length, 1);
  });

  it('moves cached rows when rows are inserted before the first row or dropped', () => {
    const { feed } = lab();
    feed.applyRows(1, rows(0, 50), 0);
    feed.applyShift(2, 10);
    assert.equal(feed.applyExtent(shape(1010, 2)), false);
    assert.equal(feed.cache.at(10)?.id, 0);
    feed.applyShift(3, -30);
    assert.equal(feed.extent.rowCount, 980);
    assert.equal(feed.cache.at(0)?.id, 20);
  });
});
