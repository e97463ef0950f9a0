import assert from 'node:assert/strict';
import { delay } from '../../../../../src/time.ts';
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
  feed.take(shape(1000));
  return { asked, feed };
}

describe('the feed of rows', () => {
  it('asks for what is in view and around it, once', () => {
    const { asked, feed } = lab();
    feed.want({ from: 100, to: 150 }, 100);
    feed.want({ from: 101, to: 151 }, 101);
    assert.deepEqual(asked, [{ type: 'want', generation: 1, from: 40, to: 210, anchor: 100 }]);
    assert.equal(feed.takeRows(1, rows(40, 210), 100).length, 170);
    feed.want({ from: 102, to: 152 }, 102);
    assert.equal(asked.length, 1);
  });

  it('asks elsewhere without waiting', () => {
    const { asked, feed } = lab();
    feed.want({ from: 100, to: 150 }, 1);
    feed.want({ from: 900, to: 950 }, 1);
    assert.equal(asked.length, 2);
  });

  it('says once that the end is followed, and asks for no line that comes then', () => {
    const { asked, feed } = lab();
    for (let count = 1001; count < 1100; count++) {
      feed.follow(75);
      feed.take(shape(count));
      feed.takeRows(1, rows(count === 1001 ? 926 : count - 1, count), count);
    }
    assert.deepEqual(asked, [{ type: 'follow', count: 75 }]);
    assert.equal(feed.cache.missing(926, 1099), undefined);
    feed.follow(80);
    assert.deepEqual(asked.at(-1), { type: 'follow', count: 80 });
  });

  it('says where scrolling has come to rest, unless the end is followed by then', async () => {
    const { asked, feed } = lab();
    feed.takeRows(1, rows(0, 1000), 0);
    feed.want({ from: 100, to: 150 }, 100);
    feed.note(100);
    await delay(150);
    const want = { type: 'want', generation: 1, from: 100, to: 150, anchor: 100 };
    assert.deepEqual(asked, [want]);
    feed.note(101);
    feed.follow(75);
    await delay(150);
    assert.deepEqual(asked.slice(1), [{ type: 'follow', count: 75 }]);
  });

  it('asks for no line that comes by itself with rows that moved', () => {
    const { asked, feed } = lab();
    feed.follow(75);
    feed.takeRows(1, rows(925, 1000), 925);
    assert.equal(feed.take(shape(900, 2)), true);
    feed.takeRows(2, rows(825, 900), 825);
    feed.follow(75);
    assert.equal(asked.length, 1);
    assert.equal(feed.cache.missing(825, 900), undefined);
  });

  it('says again that the end is followed where all rows are to be fetched anew', () => {
    const { asked, feed } = lab();
    feed.follow(75);
    feed.refresh();
    feed.follow(75);
    assert.equal(asked.length, 2);
  });

  it('says that the end is left, and what is in view then, though all of it is there', () => {
    const { asked, feed } = lab();
    feed.follow(75);
    feed.takeRows(1, rows(800, 1000), 925);
    feed.want({ from: 920, to: 995 }, 920);
    feed.want({ from: 919, to: 994 }, 919);
    const want = { type: 'want', generation: 1, from: 920, to: 995, anchor: 920 };
    assert.deepEqual(asked.slice(1), [want]);
  });

  it('does not ask again for what it was not given, until something has changed', () => {
    const { asked, feed } = lab();
    feed.want({ from: 100, to: 150 }, 1);
    feed.takeRows(1, rows(40, 40), 100);
    feed.want({ from: 100, to: 150 }, 1);
    feed.take(shape(1001));
    feed.want({ from: 100, to: 150 }, 1);
    assert.equal(asked.length, 1);
    feed.take(shape(1001, 2));
    feed.want({ from: 100, to: 150 }, 1);
    assert.equal(asked.length, 2);
  });

  it('tells which rows are other than before', () => {
    const { feed } = lab();
    feed.takeRows(1, rows(0, 50), 0);
    const other = { id: 7, level: 'error' } as Row;
    const changed = [...rows(5, 7).rows, other, ...rows(8, 10).rows];
    assert.deepEqual(feed.takeRows(1, { from: 5, rows: changed }, 0), [7]);
    assert.deepEqual(feed.takeRows(1, rows(45, 52), 0), [50, 51]);
  });

  it('keeps rows of before a change to show them, and fetches them anew', () => {
    const { asked, feed } = lab();
    feed.takeRows(1, rows(0, 1000), 0);
    assert.equal(feed.take(shape(1000, 2)), true);
    assert.equal(feed.cache.at(5)?.id, 5);
    assert.deepEqual(feed.takeRows(1, { ...rows(50, 51), from: 5 }, 0), []);
    assert.equal(feed.cache.at(5)?.id, 5);
    feed.want({ from: 0, to: 20 }, 1);
    assert.equal(asked.length, 1);
  });

  it('moves rows when others are put before or dropped', () => {
    const { feed } = lab();
    feed.takeRows(1, rows(0, 50), 0);
    feed.takeShift(2, 10);
    assert.equal(feed.take(shape(1010, 2)), false);
    assert.equal(feed.cache.at(10)?.id, 0);
    feed.takeShift(3, -30);
    assert.equal(feed.extent.rowCount, 980);
    assert.equal(feed.cache.at(0)?.id, 20);
  });
});
