import assert from 'node:assert/strict';
import type { ReadingRow } from '../../../src/graphs/protocol.ts';
import { TimeSeries } from '../../../src/graphs/timeSeries.ts';

const START = 1_000_000_000_000;

/** Returns a reading some seconds after the start. */
function row(seconds: number, cpu: number | null, bytes = seconds * 1000): ReadingRow {
  return [START + seconds * 1000, cpu, 50, 100, bytes, bytes, bytes, bytes, 3];
}

describe('TimeSeries', () => {
  const read = (step: number, ...rows: readonly ReadingRow[]): TimeSeries => {
    const series = new TimeSeries(step);
    series.add([{ key: 'a', rows }]);
    return series;
  };

  it('has evenly spaced times, and no break where nothing was read between two readings', () => {
    const series = read(2000, row(0, null), row(2, 10), row(6, 20));
    assert.deepEqual(
      series.times,
      [0, 2, 4, 6].map((one) => START / 1000 + one),
    );
    assert.deepEqual(series.lineOf('a', 'cpu'), [null, 10, undefined, 20]);
    assert.deepEqual(series.lineOf('a', 'memory'), [50, 50, undefined, 50]);
  });

  it('shows for each second what the engine counts up, going out below 0', () => {
    const series = read(2000, row(0, null), row(2, 10), row(6, 20));
    assert.deepEqual(series.lineOf('a', 'received'), [null, 1000, undefined, 1000]);
    assert.deepEqual(series.lineOf('a', 'written'), [null, -1000, undefined, -1000]);
  });

  it('breaks the line at a restart instead of a peak', () => {
    for (const after of [row(12, null, 5), row(12, 30, 5)]) {
      const far = read(2000, row(0, null), row(2, 10), after);
      assert.deepEqual(far.lineOf('a', 'received').slice(-2), [null, null]);
      assert.equal(far.lineOf('a', 'memory').at(-2), null);
    }
    const near = read(
      2000,
      row(0, null, 9000),
      row(2, 10, 10_000),
      row(4, 30, 5),
      row(6, 40, 2005),
    );
    assert.deepEqual(near.lineOf('a', 'received'), [null, 500, null, 1000]);
    assert.deepEqual(near.lineOf('a', 'memory'), [50, 50, null, 50]);
  });

  it('breaks the line where nothing is known for long', () => {
    const series = read(5000, row(0, null), row(5, 10), row(60, 20));
    assert.equal(series.lineOf('a', 'cpu').at(-2), null);
    assert.equal(series.valueAt('a', 'cpu', series.times.length - 2), undefined);
    assert.equal(series.valueAt('a', 'cpu', 2), 10);
  });

  it('keeps an hour', () => {
    const series = new TimeSeries(5000);
    for (let at = 0; at < 2000; at++) series.add([{ key: 'a', rows: [row(at * 5, 1)] }]);
    assert(series.times.length >= 720 && series.times.length < 800, String(series.times.length));
    assert.equal(series.lineOf('a', 'cpu').length, series.times.length);
    assert.equal(series.times.at(-1), START / 1000 + 1999 * 5);
  });

  it('starts again if the clock jumps, and is never larger for it', () => {
    const series = read(5000, row(0, null), row(5, 10));
    series.add([{ key: 'a', rows: [row(100_000, 20)] }]);
    assert.deepEqual(series.lineOf('a', 'cpu'), [20]);
    series.add([{ key: 'a', rows: [row(0, 30)] }]);
    assert.deepEqual(series.lineOf('a', 'cpu'), [30]);
  });

  it('has the lines of containers that come later over the same times', () => {
    const series = read(5000, row(0, null), row(5, 10));
    series.add([
      { key: 'b', rows: [row(10, 1)] },
      { key: 'a', rows: [row(10, 2)] },
    ]);
    assert.deepEqual(series.lineOf('b', 'cpu'), [undefined, undefined, 1]);
    assert.equal(series.latestOf('b')?.[1], 1);
    assert.equal(series.indexAt(START / 1000 + 7), 1);
    assert.equal(series.indexAt(Infinity), 2);
  });

  it('knows the lowest and the highest value of each part, also after more has come', () => {
    const series = read(5000, row(0, null));
    for (let at = 1; at < 1000; at++) {
      series.add([{ key: 'a', rows: [row(at * 5, (at * 7919) % 977)] }]);
      if (at % 50 !== 0) continue;
      const last = series.times.length - 1;
      for (const from of [0, 1, 59, 60, 130].filter((one) => one <= last)) {
        const values = series.lineOf('a', 'cpu').slice(from, last + 1);
        const known = values.filter((one) => typeof one === 'number');
        assert.deepEqual(series.extremesOf('a', 'cpu', from, last), [0, Math.max(0, ...known)]);
      }
    }
  });
});
