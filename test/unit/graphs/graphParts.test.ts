import assert from 'node:assert/strict';
import { formatClock, formatLineValue } from '../../../src/graphs/formatGraph.ts';
import { GraphMembers, MOST_LINES } from '../../../src/graphs/graphMembers.ts';
import { graphKey, graphSelectionFrom, graphTitle } from '../../../src/graphs/graphSelection.ts';
import { lineStyle } from '../../../src/graphs/lineStyle.ts';
import { readingRow } from '../../../src/graphs/readingRow.ts';
import { tableRows, tableStep } from '../../../src/graphs/tableRows.ts';
import { followedRange, selectedRange, zoomed } from '../../../src/graphs/timeRange.ts';
import { TimeSeries } from '../../../src/graphs/timeSeries.ts';
import { container, idOf } from '../inventory/support/nouns.ts';
import { inProject } from '../views/support/stage.ts';

const HOSTILE = [NaN, Infinity, -1, 1e308, undefined];

describe('parts of the statistics page', () => {
  it('give the page no number that an engine made up', () => {
    for (const value of HOSTILE) {
      const reading = {
        ...{ at: 1, cpuPercent: value, memoryBytes: value!, memoryLimitBytes: value },
        ...{ networkReceived: value!, networkSent: value! },
        ...{ blockRead: value, blockWritten: value, pids: value },
      };
      assert.deepEqual(readingRow(reading), [1, ...Array.from({ length: 8 }, () => null)]);
    }
  });

  it('draw no two lines alike, also without colors where the contrast is high', () => {
    for (const isPatterned of [false, true]) {
      const styles = Array.from({ length: MOST_LINES }, (_, at) => lineStyle(at, isPatterned));
      assert.equal(new Set(styles.map((one) => JSON.stringify(one))).size, MOST_LINES);
    }
    const first = [0, 1, 2, 3].map((at) => lineStyle(at, true).dash.join());
    assert.equal(new Set(first).size, 4);
  });

  it('show what there is, at least two minutes and at most an hour', () => {
    assert.deepEqual(followedRange(undefined, 1000), { from: 880, to: 1000 });
    assert.deepEqual(followedRange(100, 1000), { from: 100, to: 1000 });
    assert.deepEqual(followedRange(0, 10_000), { from: 6400, to: 10_000 });
  });

  it('zoom around a time, never out of what there is', () => {
    const all = { from: 0, to: 1000 };
    assert.deepEqual(zoomed(all, all, 500, 0.5), { from: 250, to: 750 });
    assert.deepEqual(zoomed(all, all, 1000, 0.5), { from: 500, to: 1000 });
    assert.equal(zoomed({ from: 250, to: 750 }, all, 500, 2), undefined);
    assert.deepEqual(zoomed({ from: 0, to: 400 }, all, 300, 2), { from: 0, to: 800 });
    assert.deepEqual(selectedRange({ from: 998, to: 999 }, all), { from: 980, to: 1000 });
    assert.equal(selectedRange(all, all), undefined);
  });

  it('have rows of a table for few enough times, with the highest values', () => {
    assert.equal(tableStep({ from: 0, to: 3600 }), 60);
    assert.equal(tableStep({ from: 0, to: 60 }), 2);
    const series = new TimeSeries(2000);
    const rows = [0, 2, 4, 6].map((at) => {
      return [at * 1000, at === 4 ? 90 : 10, 1, 2, at, at * 10, 0, 0, 1] as const;
    });
    series.add([{ key: 'a', rows }]);
    const marks = [
      { key: 'a', at: 61_000, kind: 'exited', exitCode: 1 },
      { key: 'b', at: 1000, kind: 'started' },
    ] as const;
    const shown = tableRows(series, 'a', { from: 0, to: 600 }, marks);
    assert.deepEqual(
      shown.map(({ time, values, marks: own }) => [time, values.cpu, values.sent, own.length]),
      [
        [60, undefined, undefined, 1],
        [0, 90, -10, 0],
      ],
    );
  });

  it('format values as docker stats does', () => {
    assert.equal(formatLineValue('cpu', 12.345), '12%');
    assert.equal(formatLineValue('cpu', 812.34), '812%');
    assert.equal(formatLineValue('sent', -1234), '1.2 kB/s');
    assert.equal(formatLineValue('pids', 1234), '1,234');
    assert.equal(formatClock(0, 90), '01:30:00');
    assert.equal(formatClock(1e300, 0), '');
  });
});

describe('the containers of a statistics page', () => {
  const listed = (...all: readonly ReturnType<typeof container>[]) =>
    new Map(all.map((one) => [one.id, one]));
  const shop = (digit: string, name: string, state: 'running' | 'exited' = 'running') =>
    container(digit, { name, state, labels: inProject('shop', name.split('-')[0]) });

  it('are those of the selection, and stay when they are gone', () => {
    const ids = ['a', 'b'].map(idOf);
    const members = new GraphMembers({ engine: 'e', ids });
    const web = container('a', { name: 'web\u202e\n', state: 'running' });
    assert(members.update(listed(web, container('c')), true));
    assert.deepEqual(members.all, [{ key: web.id, name: 'web', state: 'up' }]);
    assert.equal(members.update(listed(web), true), false);
    members.update(listed(), false);
    assert.deepEqual(
      members.all.map(({ state }) => state),
      ['up'],
    );
    members.update(listed(), true);
    assert.deepEqual(
      members.all.map(({ state }) => state),
      ['gone'],
    );
    assert.deepEqual([members.running, members.existing], [[], []]);
  });

  it('of a project or a service include those that come later', () => {
    const project = new GraphMembers({ engine: 'e', ids: [], project: 'shop' });
    const service = new GraphMembers({ engine: 'e', ids: [], project: 'shop', service: 'web' });
    const all = listed(shop('a', 'web-1'), shop('b', 'db-1', 'exited'), container('c'));
    for (const members of [project, service]) members.update(all, true);
    assert.deepEqual(
      project.all.map(({ name }) => name),
      ['web-1', 'db-1'],
    );
    assert.deepEqual(
      service.all.map(({ name }) => name),
      ['web-1'],
    );
    service.update(listed(...all.values(), shop('d', 'web-2')), true);
    assert.equal(service.all.length, 2);
  });

  it('are as many as fit: one that is gone makes room', () => {
    const members = new GraphMembers({ engine: 'e', ids: [], project: 'shop' });
    const many = Array.from({ length: 25 }, (_, at) => ({
      ...shop('a', `web-${String(at).padStart(2, '0')}`),
      id: at.toString(16).padStart(64, '0'),
    }));
    members.update(listed(...many), true);
    assert.deepEqual([members.all.length, members.hidden], [MOST_LINES, 5]);
    members.update(listed(...many.slice(1)), true);
    assert.deepEqual([members.all.length, members.hidden], [MOST_LINES, 4]);
    assert(members.all.every(({ state }) => state === 'up'));
  });

  it('are found again by what the page kept, whatever that is', () => {
    const ids = [idOf('a')];
    assert.deepEqual(graphSelectionFrom({ engine: 'e', ids, off: [] }), { engine: 'e', ids });
    const project = { engine: 'e', ids: [], project: 'shop', service: 'web' };
    assert.deepEqual(graphSelectionFrom(project), project);
    for (const odd of [undefined, 1, {}, { engine: 'e', ids: ['x'] }, { engine: 1, ids }])
      assert.equal(graphSelectionFrom(odd), undefined);
    assert.equal(
      graphKey({ engine: 'e', ids: ['a', 'b'] }),
      graphKey({ engine: 'e', ids: ['b', 'a'] }),
    );
    assert.equal(graphTitle({ ids: [] }, ['web', 'db', 'cache']), 'web and 2 more');
    assert.equal(graphTitle({ ids: [], project: 'shop' }, ['web', 'db']), 'shop (2)');
  });
});
