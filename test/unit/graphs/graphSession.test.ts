import assert from 'node:assert/strict';
import { Emitter } from '../../../src/base/lifetime.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import { GraphSession } from '../../../src/graphs/graphSession.ts';
import type { ToPage } from '../../../src/graphs/protocol.ts';
import { LogPositions } from '../../../src/logviewer/logPositions.ts';
import type { Mark, Reading } from '../../../src/statistics/reading.ts';
import { container, idOf } from '../inventory/support/nouns.ts';
import { openCommandLab, type CommandLab } from '../support/commandLab.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { settle } from '../support/lab.ts';

const WEB = container('a', { name: 'web', state: 'running' });

function reading(at: number): Reading {
  return {
    ...{ at, cpuPercent: 5, memoryBytes: 1, memoryLimitBytes: undefined, networkReceived: 1 },
    ...{ networkSent: 1, blockRead: undefined, blockWritten: undefined, pids: 1 },
  };
}

describe('GraphSession', () => {
  let lab: CommandLab;
  let session: GraphSession;
  let clock: FakeClock;
  let told: ToPage[];
  let opened: unknown[];
  let history: Reading[];
  let marks: Mark[];
  let intervals: number[];
  let watches: number;
  let isVisible: boolean;
  let positions: LogPositions;
  const reads = new Emitter<readonly string[]>();
  const messages = new Emitter<unknown>();
  const visibility = new Emitter<unknown>();

  beforeEach(async () => {
    [told, opened, history, marks, intervals] = [[], [], [], [], []];
    watches = 0;
    isVisible = true;
    clock = new FakeClock();
    positions = new LogPositions();
    const openViewer = (...what: readonly unknown[]) => {
      opened.push(what);
      return Promise.resolve({ title: 'Log' });
    };
    lab = await openCommandLab(() => undefined, { openViewer });
    lab.list([WEB]);
    const page = {
      get isVisible() {
        return isVisible;
      },
      onMessage: messages.event,
      onDidChangeVisibility: visibility.event,
      post: (message: ToPage) => told.push(message),
    };
    const statistics = {
      watch: ({ interval }: { readonly interval: number }) => {
        intervals.push(interval);
        watches += 1;
        return { dispose: () => void (watches -= 1) };
      },
      historyOf: () => history,
      marksOf: () => marks,
      onDidRead: reads.event,
    };
    const selection = { engine: lab.context.unit.id, ids: [WEB.id] };
    const options = { title: 'web', selection, statistics, positions, clock };
    session = new GraphSession(lab.context, page, options);
  });
  afterEach(async () => {
    session.dispose();
    await lab.close();
  });

  const rowsOf = (message: ToPage | undefined): readonly number[] =>
    message?.type === 'readings'
      ? message.readings.flatMap(({ rows }) => rows.map(([at]) => at))
      : assert.fail('no readings');
  const last = <T extends ToPage['type']>(type: T) =>
    told.findLast((one): one is Extract<ToPage, { type: T }> => one.type === type);

  it('sends the history once, then only what is new', () => {
    const start = clock.now();
    history = [reading(start - 4000), reading(start - 2000)];
    messages.fire({ type: 'ready' });
    assert.deepEqual(
      told.map(({ type }) => type),
      ['init', 'members', 'readings', 'marks', 'position'],
    );
    assert.deepEqual(rowsOf(last('readings')), [start - 4000, start - 2000]);
    clock.pass(2000);
    history.push(reading(clock.now()));
    reads.fire([WEB.id]);
    clock.pass(1000);
    assert.deepEqual(rowsOf(last('readings')), [clock.now() - 1000]);
    const count = told.length;
    reads.fire([idOf('b')]);
    clock.pass(1000);
    assert.equal(told.length, count);
  });

  it('begins anew when the clock was set back, instead of standing still until then', () => {
    history = [reading(clock.now())];
    messages.fire({ type: 'ready' });
    clock.set(clock.now() - 600_000);
    history = [reading(clock.now())];
    reads.fire([WEB.id]);
    clock.pass(1000);
    assert.equal(told.filter(({ type }) => type === 'init').length, 2);
    assert.deepEqual(rowsOf(last('readings')), [clock.now() - 1000]);
  });

  it('reads as long as the panel is open, and sends nothing to a hidden page', () => {
    messages.fire({ type: 'ready' });
    isVisible = false;
    visibility.fire(undefined);
    const count = told.length;
    history.push(reading(clock.now()));
    reads.fire([WEB.id]);
    clock.pass(5000);
    assert.deepEqual([told.length, watches, intervals], [count, 1, [2000]]);
    session.dispose();
    assert.equal(watches, 0);
  });

  it('says in the words of the views why it stands still, and goes on', async () => {
    messages.fire({ type: 'ready' });
    lab.inventory.setPhase({ kind: 'lost', error: new EngineError('refused'), hadRows: true });
    await settle();
    assert.match(last('members')?.problem ?? '', /^Connection lost: .*Reconnecting\.\.\.$/);
    lab.list([WEB]);
    await settle();
    assert.equal(last('members')?.problem, '');
    session.end();
    assert.match(last('members')?.problem ?? '', /removed from the settings/);
    assert.equal(watches, 0);
  });

  it('keeps a container that is gone, and sends marks', async () => {
    messages.fire({ type: 'ready' });
    marks = [{ at: clock.now(), kind: 'exited', exitCode: 137 }];
    lab.list([]);
    await settle();
    clock.pass(1000);
    assert.deepEqual(last('members')?.members, [{ key: WEB.id, name: 'web', state: 'gone' }]);
    assert.deepEqual(last('marks')?.marks, [{ ...marks[0], key: WEB.id }]);
  });

  it('opens the log at a time, and follows where the log viewer is', async () => {
    messages.fire({ type: 'ready' });
    messages.fire({ type: 'openLog', at: 5000 });
    messages.fire({ type: 'openLog', at: 'soon' });
    await settle();
    assert.deepEqual(opened, [[{ ids: [WEB.id] }, ['web'], 5000]]);
    const engine = lab.context.unit.id;
    const viewer = {};
    positions.set(viewer, { engine, ids: [WEB.id], at: 7000 });
    assert.equal(last('position')?.at, 7000);
    positions.set({}, { engine, ids: [idOf('b')], at: 8000 });
    assert.equal(last('position')?.at, 7000);
    positions.set(viewer, { engine, ids: [WEB.id], at: undefined });
    assert.equal(last('position')?.at, undefined);
  });
});
