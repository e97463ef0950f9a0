import assert from 'node:assert/strict';
import { RowFeed } from '../../../../../src/logviewer/page/rows/rowFeed.ts';
import type { Row, LogExtent, ToHost } from '../../../../../src/logviewer/protocol.ts';

const shape = (rowCount: number, generation = 1): LogExtent => ({
  generation,
  rowCount,
  lineCount: rowCount,
  droppedCount: 0,
  isStart: true,
  isReadingOlder: false,
  isFiltered: false,
});

const rows = (from: number, to: number): readonly Row[] =>
  Array.from({ length: to - from }, (_, offset) => ({ id: from + offset }) as Row);

function lab() {
  const asked: ToHost[] = [];
  const feed = new RowFeed((message) => asked.push(message));
  feed.take(shape(1000));
  return { asked, feed };
}

describe('the feed of rows', () => {
  it('asks for what is in view and around it, once', () => {
    const { asked, feed } = lab();
    feed.want({ from: 100, to: 150 }, 100, false);
    feed.want({ from: 101, to: 151 }, 101, false);
    assert.deepEqual(asked, [{ type: 'want', generation: 1, from: 40, to: 210, anchor: 100 }]);
    assert.equal(feed.takeRows(1, 40, rows(40, 210), 100).length, 170);
    feed.want({ from: 102, to: 152 }, 102, false);
    assert.equal(asked.length, 1);
  });

  it('asks elsewhere without waiting, unless it is patient', () => {
    const { asked, feed } = lab();
    feed.want({ from: 100, to: 150 }, 1, false);
    feed.want({ from: 900, to: 950 }, 1, true);
    assert.equal(asked.length, 1);
    feed.want({ from: 900, to: 950 }, 1, false);
    assert.equal(asked.length, 2);
  });

  it('asks for nothing around what is in view while the end is followed', () => {
    const { asked, feed } = lab();
    feed.want({ from: 925, to: 1000 }, 1, true);
    assert.deepEqual(asked, [{ type: 'want', generation: 1, from: 925, to: 1000, anchor: 1 }]);
  });

  it('does not ask again for what it was not given, until something has changed', () => {
    const { asked, feed } = lab();
    feed.want({ from: 100, to: 150 }, 1, false);
    feed.takeRows(1, 40, [], 100);
    feed.want({ from: 100, to: 150 }, 1, false);
    assert.equal(asked.length, 1);
    feed.take(shape(1001));
    feed.want({ from: 100, to: 150 }, 1, false);
    assert.equal(asked.length, 2);
  });

  it('tells which rows are other than before', () => {
    const { feed } = lab();
    feed.takeRows(1, 0, rows(0, 50), 0);
    const other = { id: 7, level: 'error' } as Row;
    assert.deepEqual(feed.takeRows(1, 5, [...rows(5, 7), other, ...rows(8, 10)], 0), [7]);
    assert.deepEqual(feed.takeRows(1, 45, rows(45, 52), 0), [50, 51]);
  });

  it('keeps rows of before a change to show them, and fetches them anew', () => {
    const { asked, feed } = lab();
    feed.takeRows(1, 0, rows(0, 1000), 0);
    assert.equal(feed.take(shape(1000, 2)), true);
    assert.equal(feed.cache.at(5)?.id, 5);
    assert.deepEqual(feed.takeRows(1, 5, rows(50, 51), 0), []);
    assert.equal(feed.cache.at(5)?.id, 5);
    feed.want({ from: 0, to: 20 }, 1, false);
    assert.equal(asked.length, 1);
  });

  it('moves rows when others are put before or dropped', () => {
    const { feed } = lab();
    feed.takeRows(1, 0, rows(0, 50), 0);
    feed.takeShift(2, 10);
    assert.equal(feed.take(shape(1010, 2)), false);
    assert.equal(feed.cache.at(10)?.id, 0);
    feed.takeShift(3, -30);
    assert.equal(feed.extent.rowCount, 980);
    assert.equal(feed.cache.at(0)?.id, 20);
  });

  it('says up to where the newest rows have come', () => {
    const { feed } = lab();
    assert.equal(feed.settled, 0);
    feed.takeRows(1, 900, rows(900, 1000), 0);
    feed.take(shape(1200));
    assert.equal(feed.settled, 1000);
  });
});
