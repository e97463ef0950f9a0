import assert from 'node:assert/strict';
import type { LogLine } from '../../../../src/engine/model.ts';
import { StoreFeed } from '../../../../src/logviewer/host/storeFeed.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { memoryStore, textsOf } from '../support.ts';

const line = (second: number, text = `line ${second}`): LogLine => ({
  ...({ source: 'stderr', text } as const),
  timestamp: `2026-08-01T00:00:${String(second).padStart(2, '0')}Z`,
});

function feedOf(clearedAt = '') {
  const store = memoryStore();
  const clock = new FakeClock();
  const parts = { store, clock, onCaughtUp: () => undefined };
  return { store, clock, feed: new StoreFeed(parts, clearedAt) };
}

describe('StoreFeed', () => {
  it('stores lines with their member, stream, and timestamp, and markers as text', async () => {
    const { store, feed } = feedOf();
    await feed.lines(3, [line(1)]);
    await feed.marker(3, { kind: 'exited', exitCode: 7 }, '2026-08-01T00:00:02Z');
    await feed.marker(3, { kind: 'gap' }, '2026-08-01T00:00:03Z');
    assert.deepEqual(
      store
        .read(0, 9)
        .map(({ member, kind, text, timestamp }) => [
          ...[member, kind, text.slice(0, 35), timestamp],
        ]),
      [
        [3, 'stderr', 'line 1', '2026-08-01T00:00:01Z'],
        [3, 'marker', 'The container exited with code 7.', '2026-08-01T00:00:02Z'],
        [3, 'gap', 'Lines are missing here: the engine ', '2026-08-01T00:00:03Z'],
      ],
    );
  });

  it('ignores lines and markers that were cleared', async () => {
    const { store, feed } = feedOf('2026-08-01T00:00:02Z');
    await feed.marker(0, { kind: 'started' }, '2026-08-01T00:00:01Z');
    await feed.lines(0, [line(1), line(2), line(3)]);
    assert.deepEqual(textsOf(store), ['line 3']);
    feed.clear();
    assert.equal(feed.clearedAt, '2026-08-01T00:00:03Z');
  });

  it('stores what comes after a clear, whatever its time', async () => {
    const { store, feed } = feedOf();
    await feed.lines(0, [line(1)]);
    await feed.lines(1, [line(5)]);
    feed.clear();
    store.clear();
    // Of a slower container, then after the clock of the engine was set back.
    await feed.lines(0, [line(4)]);
    await feed.lines(1, [line(3)]);
    await feed.marker(1, { kind: 'started' }, '2026-08-01T00:00:02Z');
    assert.deepEqual(textsOf(store), ['line 4', 'line 3', 'The container was started.']);
  });

  it('stores all lines after the first one since a clear, whatever their time', async () => {
    const { store, feed } = feedOf('2026-08-01T00:00:02Z');
    await feed.lines(0, [line(1), line(3), line(1)]);
    await feed.lines(0, [line(2)]);
    assert.deepEqual(textsOf(store), ['line 3', 'line 1', 'line 2']);
    await feed.lines(1, [line(2)]);
    assert.equal(store.endId, 3);
  });

  it('yields to the event loop during a flood, but not on every line', async () => {
    const { clock, feed } = feedOf();
    let hasWaited = true;
    const write = async (): Promise<void> => {
      hasWaited = true;
      setImmediate(() => (hasWaited = false));
      await feed.lines(0, [line(1)]);
    };
    await write();
    assert.equal(hasWaited, true);
    clock.pass(50);
    await write();
    assert.equal(hasWaited, false);
  });
});
