import assert from 'node:assert/strict';
import '../../support/fakeEditor.ts';
import { executed } from '../../support/fakeVscode.ts';
import type { BuildHistoryEvent } from '../../../../src/engine/builds/model.ts';
import { RecordedBuilds } from '../../../../src/builds/recordedBuilds.ts';
import type { KnownEngine } from '../../../../src/inventory/knownEngine.ts';
import { Emitter } from '../../../../src/base/lifetime.ts';
import { FakeClock, turn } from '../../support/fakeClock.ts';
import type { TreeNode } from '../../../../src/views/treeNode.ts';
import type { BuildRun, BuildSpec } from '../../../../src/builds/buildRun.ts';
import { Builds } from '../../../../src/builds/builds.ts';
import type { BuildsTree, BuildsTreeParts } from '../../../../src/views/builds/buildsTree.ts';

describe('the view of builds', () => {
  const visibility = new Emitter<{ readonly visible: boolean }>();
  const inventory = new Emitter<never>();
  const view = {
    visible: false,
    onDidChangeVisibility: visibility.event,
    message: undefined as string | undefined,
    description: undefined as string | undefined,
    reveal: (row: TreeNode) => Promise.resolve(void revealed.push(row)),
  };
  const changed = new Emitter<ReadonlySet<BuildRun>>();
  const spec: BuildSpec = {
    ...{ ref: 'own', engine: 'docker', title: 'shop' },
    request: { context: '/shop', dockerfile: '/shop/Dockerfile', tags: [] },
    work: () => new Promise(() => undefined),
  };
  let own: BuildRun[];
  let revealed: TreeNode[];
  let hasHistory: boolean;
  let failStream: (error: Error) => void;
  let starts: number;
  let isLive: boolean;
  let streams: ((change: BuildHistoryEvent) => void)[];
  let refreshes: number;
  let refreshed: (readonly string[] | 'all')[];
  let looks: { readonly builds: readonly unknown[]; readonly signal: AbortSignal }[];
  let clock: FakeClock;
  let historyClock: FakeClock;
  let wall: FakeClock;
  let canReplay: boolean;
  let listed: PromiseWithResolvers<readonly string[]>;
  let tree: BuildsTree;

  beforeEach(async () => {
    starts = 0;
    isLive = false;
    streams = [];
    refreshes = 0;
    refreshed = [];
    looks = [];
    own = [];
    revealed = [];
    hasHistory = true;
    view.message = undefined;
    canReplay = true;
    listed = Promise.withResolvers();
    const source = {
      follow: (onChange: (change: BuildHistoryEvent) => void, signal: AbortSignal) => {
        streams.push(onChange);
        return new Promise<void>((_, reject) => {
          failStream = reject;
          signal.addEventListener('abort', () => {
            streams = streams.filter((one) => one !== onChange);
            reject(new Error('aborted'));
          });
        });
      },
      list: () => listed.promise,
      replay: () => (canReplay ? Promise.resolve() : Promise.reject(new Error('no longer there'))),
      findFailure: () => Promise.resolve(undefined),
    };
    clock = new FakeClock();
    historyClock = new FakeClock();
    wall = new FakeClock();
    const history = new RecordedBuilds('docker', source, historyClock);
    const phase = () => ({ kind: isLive ? 'live' : 'connecting' });
    const engine = {
      id: 'docker',
      inventory: {
        get phase() {
          return phase();
        },
      },
    } as unknown as KnownEngine;
    const none = new Emitter<never>().event;
    const parts = {
      builds: { all: own, onDidChange: changed.event },
      historyOf: () => (isLive && hasHistory ? history : undefined),
      engines: {
        all: [engine],
        areSeveral: false,
        onDidChange: none,
        onDidChangeInventory: inventory.event,
        start: () => starts++,
      },
      failures: {
        look: (builds: readonly unknown[], signal: AbortSignal) => {
          looks.push({ builds, signal });
          return Promise.resolve();
        },
      },
      describe: String,
      clock,
      wall,
    } as unknown as BuildsTreeParts;
    const { BuildsTree } = await import('../../../../src/views/builds/buildsTree.ts');
    const refresh = (nodes: readonly TreeNode[] | undefined): void => {
      refreshes++;
      refreshed.push(nodes?.map((node) => node.id) ?? 'all');
    };
    const lazy = { view, refresh };
    tree = new BuildsTree(lazy as never, parts);
  });
  afterEach(() => tree.dispose());

  it('connects the engines when it is shown, and follows their history until it is hidden', async () => {
    assert.deepEqual([starts, streams.length], [0, 0]);
    visibility.fire({ visible: true });
    assert.deepEqual([starts, streams.length], [1, 0]);
    isLive = true;
    inventory.fire(undefined as never);
    assert.equal(streams.length, 1);
    const record = { ref: 'r', tags: ['shop'], startedAt: 0, state: 'done' } as const;
    const counts = { steps: 0, cachedSteps: 0, completedSteps: 0 };
    streams[0]?.({ kind: 'changed', record: { ...record, ...counts } });
    const labels = (await tree.childrenOf(undefined)).map((node) => tree.itemOf(node).label);
    assert.deepEqual([labels, view.description], [['shop'], '1']);
    assert.deepEqual([looks.length, looks[0]?.builds.length], [1, 1]);
    canReplay = false;
    const [build] = await tree.childrenOf(undefined);
    const [reason] = await tree.childrenOf(build);
    assert.equal(tree.itemOf(reason ?? assert.fail()).label, 'Error: no longer there');
    isLive = false;
    inventory.fire(undefined as never);
    assert.equal(streams.length, 0);
    isLive = true;
    inventory.fire(undefined as never);
    assert.equal(streams.length, 1);
    visibility.fire({ visible: false });
    assert.deepEqual([streams.length, view.description], [0, '']);
    assert.equal(looks[0]?.signal.aborted, true);
    assert(refreshes > 0);
  });

  it('says that there are no builds only when it knows', async () => {
    const isLoaded = (): unknown =>
      executed.findLast(([, key]) => key === 'gantry.builds.isLoaded')?.[2];
    executed.length = 0;
    visibility.fire({ visible: true });
    assert.deepEqual([await tree.childrenOf(undefined), isLoaded()], [[], false]);
    isLive = true;
    inventory.fire(undefined as never);
    assert.deepEqual([await tree.childrenOf(undefined), isLoaded()], [[], false]);
    listed.resolve([]);
    await turn();
    assert.equal(isLoaded(), true);
    assert.deepEqual([await tree.childrenOf(undefined), isLoaded()], [[], true]);
    visibility.fire({ visible: false });
    assert.equal(isLoaded(), false);
    hasHistory = false;
    visibility.fire({ visible: true });
    assert.equal(isLoaded(), true);
  });

  it('says that the history cannot be read, until it can', async () => {
    isLive = true;
    visibility.fire({ visible: true });
    failStream(new Error('no route'));
    await turn();
    const rows = await tree.childrenOf(undefined);
    const label = 'Could not read the build history. Error: no route';
    assert.deepEqual(
      rows.map((row) => tree.itemOf(row).label),
      [label],
    );
    assert.match(tree.tooltipOf(rows[0] ?? assert.fail()).value, /no route/);
  });

  it('says below the rows which engines keep no history', async () => {
    hasHistory = false;
    isLive = true;
    visibility.fire({ visible: true });
    assert.deepEqual(await tree.childrenOf(undefined), []);
    const sentences =
      'This engine keeps no build history. Only builds started in this window are shown.';
    assert.equal(view.message, sentences);
    own.push(new Builds(clock).start(spec));
    const labels = (await tree.childrenOf(undefined)).map((row) => tree.itemOf(row).label);
    assert.deepEqual([labels, view.message], [['shop', 'No build history'], undefined]);
  });

  it('refreshes only the row of a build that has changed, so that VS Code still knows the others', async () => {
    isLive = true;
    visibility.fire({ visible: true });
    /** Returns what was asked for since the last call. VS Code asks for all rows after a refresh of all. */
    const asked = async (): Promise<typeof refreshed> => {
      historyClock.pass(100);
      clock.pass(250);
      const before = refreshed;
      refreshed = [];
      if (before.includes('all')) await tree.childrenOf(undefined);
      return before;
    };
    const report = (ref: string, completedSteps: number): void => {
      const counts = { steps: 4, cachedSteps: 0, completedSteps };
      const record = { ref, tags: [ref], startedAt: 0, state: 'done', ...counts } as const;
      streams[0]?.({ kind: 'changed', record });
    };
    await asked();
    const run = new Builds(clock).start({ ...spec, work: () => Promise.reject(new Error('no')) });
    await run.join().catch(() => undefined);
    for (const ref of ['a', 'b']) report(ref, 0);
    own.push(run);
    changed.fire(new Set([run]));
    assert.ok((await asked()).includes('all'));
    report('b', 1);
    assert.deepEqual(await asked(), [['docker/build/b']]);
    changed.fire(new Set([run]));
    assert.deepEqual(await asked(), [['docker/build/own']]);
    streams[0]?.({ kind: 'removed', ref: 'a' });
    assert.deepEqual(await asked(), ['all']);
    failStream(new Error('no route'));
    await turn();
    assert.deepEqual(await asked(), ['all']);
  });

  it('scrolls to the step at which a build of this window has failed', async () => {
    visibility.fire({ visible: true });
    const run = new Builds(clock).start({
      ...spec,
      work: (onEvent) => {
        const step = { id: '1', inputs: [], state: 'failed', error: 'exit code: 1' } as const;
        onEvent({ kind: 'step', step: { ...step, name: '[2/2] RUN make' } });
        return Promise.reject(new Error('exit code: 1'));
      },
    });
    own.push(run);
    changed.fire(new Set([run]));
    assert.deepEqual(revealed, []);
    await run.join().catch(() => undefined);
    changed.fire(new Set([run]));
    changed.fire(new Set([run]));
    assert.deepEqual(
      revealed.map((row) => tree.itemOf(row).label),
      ['2/2 RUN make'],
    );
  });

  it('updates the ages of builds only while the view is visible', async () => {
    visibility.fire({ visible: true });
    const run = new Builds(wall).start({ ...spec, work: () => Promise.reject(new Error('no')) });
    own.push(run);
    await run.join().catch(() => undefined);
    for (const row of await tree.childrenOf(undefined)) tree.itemOf(row);
    clock.pass(250);
    refreshed = [];
    wall.pass(60_000);
    clock.pass(250);
    assert.deepEqual(refreshed[0], ['docker/build/own']);
    visibility.fire({ visible: false });
    assert.deepEqual(wall.sleeping, []);
  });

  it('updates times only while a build runs and the view is visible', async () => {
    isLive = true;
    visibility.fire({ visible: true });
    assert.deepEqual(clock.sleeping, []);
    const record = { ref: 'r', tags: ['shop'], startedAt: 0 } as const;
    const counts = { steps: 0, cachedSteps: 0, completedSteps: 0 };
    const change = async (state: 'running' | 'done'): Promise<void> => {
      streams[0]?.({ kind: 'changed', record: { ...record, ...counts, state } });
      await tree.childrenOf(undefined);
    };
    await change('running');
    await change('running');
    // The refresh of all rows.
    clock.pass(250);
    assert.equal(clock.sleeping.length, 1);
    const before = refreshes;
    clock.pass(2000);
    assert.equal(refreshes, before + 2);
    visibility.fire({ visible: false });
    assert.deepEqual(clock.sleeping, []);
    visibility.fire({ visible: true });
    await change('running');
    await change('done');
    clock.pass(1000);
    assert.deepEqual(clock.sleeping, []);
  });
});
