import assert from 'node:assert/strict';
import '../../support/fakeEditor.ts';
import { EngineError } from '../../../../src/engine/errors.ts';
import type { Connection } from '../../../../src/engine/http/connection.ts';
import type { Container } from '../../../../src/engine/model.ts';
import { Activity } from '../../../../src/inventory/activity.ts';
import { Inventory } from '../../../../src/inventory/inventory.ts';
import type { KnownEngine, KnownEngines } from '../../../../src/inventory/knownEngine.ts';
import { EventRing } from '../../../../src/inventory/runs/eventRing.ts';
import { OwnActs } from '../../../../src/inventory/runs/ownActs.ts';
import { Emitter } from '../../../../src/base/lifetime.ts';
import { Statistics } from '../../../../src/statistics/statistics.ts';
import { PLAIN } from '../../../../src/views/arrangement/arrangements.ts';
import type { ContainerNode } from '../../../../src/views/containers/containerNode.ts';
import { ContainerRows } from '../../../../src/views/containers/containerRows.ts';
import { LateUsage } from '../../../../src/views/containers/lateUsage.ts';
import { EngineRows } from '../../../../src/views/engines/engineRows.ts';
import type { RenderContext } from '../../../../src/views/rowPresentation.ts';
import type { TreeNode } from '../../../../src/views/treeNode.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { inProject } from '../support/stage.ts';

const INFO = { product: 'docker', version: '28.5.2', api: '1.51', engineApi: '1.51' } as const;
const MB = 1024 ** 2;

describe('views/containers/rowUsage', () => {
  let clock: FakeClock;
  let inventory: Inventory;
  let engines: KnownEngines;
  let rows: EngineRows<ContainerRows>;
  let usage: LateUsage;
  /** By container: CPU time in milliseconds, and memory. */
  let used: Map<string, { cpuMs: number; memoryBytes: number; memoryLimitBytes?: number }>;
  let sampled: string[];
  let isVisible: boolean;
  let isFocused: boolean;
  let onAsked: () => void;
  let focus: Emitter<void>;
  let folded: Set<string>;
  let pinned: Set<string>;
  let isPinned: (node: ContainerNode) => boolean;
  let selection: readonly TreeNode[];
  let painted: string[];
  let context: RenderContext;
  let sortBy: string;
  let statistics: Statistics;

  const sampleOf = (id: string) => ({
    ...{ engineAt: clock.now(), networkReceived: 0, networkSent: 0 },
    ...{ blockRead: undefined, blockWritten: undefined, pids: undefined },
    memoryLimitBytes: undefined,
    ...(used.get(id) ?? { cpuMs: 0, memoryBytes: MB }),
  });

  beforeEach(() => {
    clock = new FakeClock();
    inventory = new Inventory();
    inventory.setPhase({ kind: 'live', info: INFO });
    used = new Map();
    sampled = [];
    isVisible = true;
    isFocused = true;
    onAsked = () => undefined;
    focus = new Emitter();
    folded = new Set();
    pinned = new Set();
    isPinned = ({ container: { id } }) => pinned.has(id);
    selection = [];
    painted = [];
    sortBy = 'name';
    const engine = { id: 'e', name: 'e', inventory, activity: new Activity() } as KnownEngine;
    engines = {
      all: [engine],
      areSeveral: false,
      get: (id) => (id === 'e' ? engine : undefined),
      onDidChange: new Emitter<void>().event,
      onDidChangeInventory: inventory.onDidChange,
    };
    context = {
      inventory,
      activity: engine.activity,
      now: () => clock.now(),
      usageOf: (ids) => usage.format('e', ids),
      readingOf: (id) => usage.readingOf('e', id),
    };
  });

  afterEach(() => {
    usage.dispose();
    rows.dispose();
    statistics.dispose();
  });

  /** Shows the rows of these containers, and what they use. */
  const start = async (...containers: readonly Container[]): Promise<void> => {
    inventory.replaceAll(containers, [], clock.now());
    rows = new EngineRows({
      engines,
      contextOf: () => context,
      isPreferred: () => false,
      whenEmpty: () => '',
      make: (engine, top) => new ContainerRows(engine.id, context, top, { ...PLAIN, sortBy }),
    });
    const now = (): number => clock.now();
    const acts = new OwnActs({ activity: new Activity(), now });
    statistics = new Statistics({
      engine: { connect: () => Promise.resolve({} as Connection) },
      inventory,
      events: new EventRing({ inventory, acts, now }),
      clock,
      open: () =>
        Promise.resolve({
          sample: (due, _watched, receive) => {
            sampled.push(...due);
            for (const id of due) receive(id, sampleOf(id));
            return Promise.resolve();
          },
          dispose: () => undefined,
        }),
    });
    usage = new LateUsage({
      engines,
      rows,
      statisticsOf: () => Promise.resolve(statistics),
      isVisible: () => isVisible,
      isOpen: ({ id }) => !folded.has(id),
      isPinned: (node) => isPinned(node),
      selection: () => selection,
      repaint: (nodes) => painted.push(...nodes.map((node) => node.present(context).description)),
      window: {
        isFocused: () => {
          onAsked();
          return isFocused;
        },
        onDidChangeFocus: focus.event,
      },
      clock,
    });
    await usage.show(true);
    await settle(0);
  };
  const settle = async (seconds: number): Promise<void> => {
    await new Promise(setImmediate);
    for (let step = 0; step < seconds; step++) {
      clock.pass(1000);
      await new Promise(setImmediate);
    }
  };
  /** Lets a container use this share of a processor from now on, until the next reading of all. */
  const use = (id: string, cpuMs: number, memoryBytes = MB, memoryLimitBytes?: number): void => {
    const before = used.get(id)?.cpuMs ?? 0;
    const limit = memoryLimitBytes === undefined ? {} : { memoryLimitBytes };
    used.set(id, { cpuMs: before + cpuMs, memoryBytes, ...limit });
  };
  const says = (id: string): string => rows.find(id)?.present(context).description ?? '';
  const manyContainers = (count: number): readonly Container[] =>
    Array.from({ length: count }, (_, at) => {
      const id = at.toString(16).padStart(64, '0');
      return { ...container('a'), id, name: `n${at}` };
    });
  const a = idOf('a');
  const b = idOf('b');
  const c = idOf('c');

  it('shows CPU and memory once the rate is known, and not to screen readers', async () => {
    await start(container('a'));
    await settle(1);
    assert.match(says(a), /^Up/);
    use(a, 125, 52 * MB);
    await settle(1);
    assert.match(says(a), /^13% · 52 MiB · Up/);
    assert.doesNotMatch(rows.find(a)?.present(context).accessibilityLabel ?? '', /%|MB/);
  });

  it('shows the limit from 90% of it on', async () => {
    await start(container('a'));
    await settle(1);
    use(a, 0, 89 * MB, 100 * MB);
    await settle(1);
    assert.match(says(a), /^0% · 89 MiB · Up/);
    use(a, 0, 90 * MB, 100 * MB);
    await settle(5);
    assert.match(says(a), /^0% · 90 MiB of 100 MiB \(90%\) · Up/);
  });

  it('shows the sums of services and projects, and only those that are complete', async () => {
    await start(
      container('a', { labels: inProject('shop', 'web') }),
      container('b', { labels: inProject('shop', 'web') }),
      container('c', { labels: inProject('shop', 'db'), state: 'exited' }),
    );
    const [project] = rows.roots;
    const service = rows.find(a)?.parent;
    await settle(1);
    use(a, 100, 2 * MB);
    use(b, 200, 3 * MB);
    await settle(1);
    assert.match(service?.present(context).description ?? '', /^30% · 5.0 MiB · 2 of 2 up/);
    assert.match(project?.present(context).description ?? '', /^30% · 5.0 MiB · 2 of 3 up/);
    inventory.replaceContainers(
      [c],
      [container('c', { labels: inProject('shop', 'db') })],
      clock.now(),
    );
    assert.match(project?.present(context).description ?? '', /^3 of 3 up/);
    await settle(2);
    assert.match(project?.present(context).description ?? '', /^[\d.]+% · 6.0 MiB · 3 of 3 up/);
  });

  it('reads nothing of a folded project, but the replicas of a folded service', async () => {
    folded.add('e/project/shop');
    await start(
      container('a', { labels: inProject('shop', 'web') }),
      container('b', { labels: inProject('shop', 'web') }),
    );
    await settle(5);
    assert.equal(sampled.length, 0);
    folded.clear();
    folded.add(rows.find(a)?.parent?.id ?? '');
    usage.update();
    await settle(5);
    assert.ok(sampled.includes(a) && sampled.includes(b));
  });

  it('no longer shows what is no longer read: the sum of a project that was folded', async () => {
    await start(container('a', { labels: inProject('shop', 'web') }));
    const [project] = rows.roots;
    await settle(2);
    assert.match(project?.present(context).description ?? '', /^0%/);
    painted = [];
    folded.add('e/project/shop');
    usage.update();
    await settle(1);
    assert.match(project?.present(context).description ?? '', /^1 of 1 up/);
    assert.ok(painted.includes('1 of 1 up'), painted.join());
  });

  it('no longer shows what is no longer read: all rows if there are more than 40', async () => {
    const many = manyContainers(41);
    const [last, ...others] = many.toReversed();
    await start(...others);
    await settle(3);
    assert.match(says(others[0]?.id ?? ''), /^0%/);
    painted = [];
    inventory.replaceContainers([last?.id ?? ''], [last ?? assert.fail()], clock.now());
    await settle(1);
    assert.match(says(others[0]?.id ?? ''), /^Up/);
    await settle(1);
    assert.ok(painted.length >= 40, String(painted.length));
  });

  it('shows nothing of the run before after a restart', async () => {
    await start(container('a'));
    await settle(2);
    assert.match(says(a), /^0%/);
    painted = [];
    inventory.recordEvent({ type: 'container', action: 'die', id: a });
    inventory.recordEvent({ type: 'container', action: 'start', id: a });
    assert.match(says(a), /^Up/);
    await settle(1);
    assert.match(painted.join(), /^Up/);
    await settle(2);
    assert.match(says(a), /^0%/);
  });

  it('shows the sum of a project in which one restarts again and again', async () => {
    await start(
      container('a', { labels: inProject('shop', 'web') }),
      container('b', { labels: inProject('shop', 'db'), state: 'restarting' }),
    );
    await settle(2);
    assert.match(rows.roots[0]?.present(context).description ?? '', /^0% · 1.0 MiB/);
  });

  it('counts the minute without focus from when the focus went', async () => {
    await start(container('a'));
    isFocused = false;
    focus.fire();
    await settle(30);
    // Something else of the window has changed.
    focus.fire();
    await settle(31);
    const before = sampled.length;
    await settle(20);
    assert.equal(sampled.length, before);
  });

  it('reads what is pinned and runs, however many that do not run are pinned', async () => {
    const many = manyContainers(100).map((one, at) =>
      at < 50 ? { ...one, state: 'exited' as const } : one,
    );
    for (const { id } of many.slice(0, 51)) pinned.add(id);
    await start(...many);
    await settle(3);
    assert.deepEqual([...new Set(sampled)], [many[50]?.id]);
  });

  it('reads nothing while the view is hidden, and shows nothing old when it is shown again', async () => {
    await start(container('a'));
    await settle(2);
    assert.match(says(a), /^0%/);
    isVisible = false;
    usage.update();
    const before = sampled.length;
    await settle(20);
    assert.equal(sampled.length, before);
    isVisible = true;
    usage.update();
    await settle(0);
    assert.match(says(a), /^Up/);
    await settle(2);
    assert.match(says(a), /^0%/);
  });

  it('reads nothing after the window has been without focus for a minute', async () => {
    await start(container('a'));
    isFocused = false;
    focus.fire();
    await settle(59);
    const before = sampled.length;
    assert.ok(before > 10);
    painted = [];
    await settle(1);
    assert.match(painted.join(), /^Up [^,]+$/);
    await settle(60);
    assert.ok(sampled.length <= before + 1);
    isFocused = true;
    focus.fire();
    await settle(2);
    assert.ok(sampled.length > before + 1);
  });

  it('goes on if the focus is back within a minute', async () => {
    await start(container('a'));
    for (const now of [false, true, false, true]) {
      isFocused = now;
      focus.fire();
      await settle(40);
    }
    const before = sampled.length;
    await settle(60);
    assert.ok(sampled.length >= before + 11);
  });

  it('reads selected containers more often', async () => {
    await start(container('a'), container('b'));
    await settle(2);
    selection = [rows.find(b) ?? assert.fail()];
    const before = sampled.length;
    await settle(20);
    const recent = sampled.slice(before);
    assert.equal(recent.filter((id) => id === b).length, 10);
    assert.equal(recent.filter((id) => id === a).length, 4);
  });

  it('reads only what is pinned and selected if there are more than 40', async () => {
    const many = manyContainers(41);
    await start(...many);
    const [first = '', second = ''] = many.map(({ id }) => id);
    await settle(3);
    assert.deepEqual(sampled, []);
    pinned.add(first);
    usage.update();
    selection = [rows.find(second) ?? assert.fail()];
    await settle(3);
    assert.deepEqual([...new Set(sampled)].sort(), [first, second]);
  });

  it('paints a row again only if its text changes', async () => {
    await start(container('a'));
    await settle(2);
    painted = [];
    await settle(20);
    assert.deepEqual(painted, []);
    use(a, 500);
    await settle(5);
    assert.match(painted.join(), /^10% · 1.0 MiB · Up [^,]+$/);
  });

  it('marks what is old, and shows nothing while the engine is lost', async () => {
    await start(container('a'));
    await settle(2);
    inventory.setPhase({ kind: 'connecting' });
    await settle(20);
    assert.match(says(a), /^0% · 1.0 MiB · old · Up/);
    const error = new EngineError('cut');
    inventory.setPhase({ kind: 'lost', error, hadRows: true });
    assert.doesNotMatch(says(a), /%/);
    inventory.setPhase({ kind: 'live', info: INFO });
    await settle(2);
    assert.match(says(a), /^0% · 1.0 MiB · Up/);
  });

  it('sorts by CPU and by memory, and moves a row only if that changes much', async () => {
    sortBy = 'cpu';
    await start(container('a'), container('b'));
    const order = () => rows.roots.map((node) => node.present(context).label).join('');
    await settle(2);
    assert.equal(order(), 'ab');
    use(b, 5000);
    await settle(6);
    assert.equal(order(), 'ba');
    const moves: unknown[] = [];
    rows.onDidChange((change) => moves.push(change));
    use(b, 4990);
    await settle(6);
    assert.equal(order(), 'ba');
    assert.deepEqual(moves, []);
    use(a, 6000);
    use(b, 0);
    await settle(6);
    assert.equal(order(), 'ab');
  });

  it('moves the only row of a project, or of the view, never', async () => {
    sortBy = 'cpu';
    await start(container('a', { labels: inProject('shop', 'web') }));
    await settle(2);
    const changes: unknown[] = [];
    rows.onDidChange((change) => changes.push(change));
    await settle(20);
    assert.deepEqual(changes, []);
  });

  it('sorts a service with replicas by their sum', async () => {
    sortBy = 'cpu';
    await start(
      container('a', { labels: inProject('shop', 'alone') }),
      container('b', { labels: inProject('shop', 'web') }),
      container('c', { labels: inProject('shop', 'web') }),
    );
    const order = () =>
      rows.roots[0]?.children?.map((node) => node.present(context).label).join(' ');
    await settle(2);
    assert.equal(order(), 'alone web');
    use(a, 2500);
    use(b, 2000);
    use(c, 2000);
    await settle(6);
    assert.equal(order(), 'web alone');
    use(a, 2500);
    await settle(6);
    assert.equal(order(), 'alone web');
  });

  it('looks at all rows only after a change, however many there are', async () => {
    let looks = 0;
    isPinned = () => {
      looks++;
      return false;
    };
    await start(...manyContainers(4000));
    await settle(60);
    assert.equal(looks, 4000);
    inventory.replaceContainers([a], [container('a')], clock.now());
    await settle(60);
    assert.equal(looks, 8001);
  });

  it('is also gone from rows that were made anew since the last reading', async () => {
    await start(container('a', { labels: inProject('shop') }));
    await settle(2);
    rows.each((one) => one.reorder());
    assert.match(says(a), /^0%/);
    painted = [];
    await usage.show(false);
    assert.deepEqual(
      painted.toSorted().map((text) => text.replace(/ .*/, '')),
      ['1', 'Up'],
    );
  });

  it('is not loaded before the view is visible', async () => {
    isVisible = false;
    let asked = 0;
    onAsked = () => (asked += 1);
    await start(container('a'));
    await settle(5);
    assert.equal(asked, 0);
    isVisible = true;
    usage.update();
    // Its code is loaded.
    await import('../../../../src/views/containers/rowUsage.ts');
    await settle(3);
    assert.match(says(a), /^0%/);
  });

  it('is hidden again, and keeps no timer', async () => {
    await start(container('a'));
    await settle(2);
    painted = [];
    await usage.show(false);
    assert.match(painted.join(), /^Up [^,]+$/);
    const before = sampled.length;
    await settle(10);
    assert.equal(sampled.length, before);
    assert.deepEqual(clock.sleeping, []);
  });
});
