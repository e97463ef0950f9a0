import assert from 'node:assert/strict';
import { planPrune } from '../../../../src/commands/system/planPrune.ts';
import type { CleanupKind } from '../../../../src/engine/system/cleanupKinds.ts';
import type { PrunedKind } from '../../../../src/commands/system/pruneKindCommands.ts';
import { exclude } from '../../../../src/commands/system/cleanupItem.ts';
import {
  ANONYMOUS,
  DANGLING,
  JOB,
  NEW,
  OWN,
  TAGGED,
  WEB,
  openSystemLab,
  pruneCommandOf,
  withoutReasons,
  type SystemLab,
} from './systemLab.ts';

describe('commands/pruneKindCommands', () => {
  let lab: SystemLab;
  beforeEach(async () => {
    lab = await openSystemLab();
  });
  afterEach(() => lab.close());

  const call = (kind: Exclude<CleanupKind, 'buildCache'>, args: object) =>
    lab.call(pruneCommandOf(kind), args) as Promise<PrunedKind>;
  const reasonsOf = ({ reasons }: PrunedKind): readonly string[] =>
    reasons.map(({ name, reason }) => `${name}: ${reason}`);

  /** As the lock on the clean-up page. */
  const excludeNamed = async (kind: CleanupKind, name: string): Promise<void> => {
    const { signal } = new AbortController();
    const { context } = lab;
    const { items } = await planPrune(context, { kinds: [kind], all: true }, signal);
    const item = items.find((one) => one.name === name) ?? assert.fail(name);
    await exclude(context.window.exclusions, context.unit.id, item, true);
  };

  for (const [kind, name, id] of [
    ['containers', 'job', undefined],
    ['images', 'app:1', TAGGED],
    ['volumes', 'free', 'free'],
    ['networks', 'lonely', undefined],
  ] as const)
    it(`keeps what the user excluded: ${kind}`, async () => {
      await excludeNamed(kind, name);
      const args = kind === 'images' || kind === 'volumes' ? { all: true } : {};
      const dry = await call(kind, { ...args, dryRun: true });
      assert(reasonsOf(dry).includes(`${name}: excluded by you`), reasonsOf(dry).join());
      const done = await call(kind, args);
      assert.deepEqual([done.kept, reasonsOf(done)], [[], reasonsOf(dry)]);
      if (id !== undefined) assert(!done.removed.includes(id));
      assert([...(lab.things.get(kind)?.values() ?? [])].some((one) => isNamed(one, name)));
    });

  it('reports of everything else why it is kept', async () => {
    assert.deepEqual(reasonsOf(await call('volumes', { dryRun: true })), [
      ...['free: named volume', 'data: used by web', 'kept: used by job'],
      `${'f'.repeat(64)}: used by job`,
    ]);
    const images = reasonsOf(await call('images', { dryRun: true }));
    assert(images.includes('app:1: tagged image') && images.includes('web:1: used by web, new'));
    assert.deepEqual(reasonsOf(await call('containers', { dryRun: true })), ['web: running']);
  });

  it('keeps the infra container of a pod, which is removed with the pod', async () => {
    lab.things.get('pods')?.set('kube', { Name: 'kube', InfraId: JOB, Containers: [{ Id: JOB }] });
    lab.engine.ping((_, response) => {
      response.writeHead(200, { 'api-version': '1.41', 'libpod-api-version': '5.8.6' });
      response.end('OK');
    });
    const { removed, reasons } = await call('containers', { dryRun: true });
    assert.deepEqual(
      [removed.includes(JOB), reasons.find(({ id }) => id === JOB)?.reason],
      [false, 'removed only with its pod'],
    );
  });

  it('gives the reason of what the engine refuses, too', async () => {
    lab.before = ({ method, path }) =>
      method === 'DELETE' && path.startsWith('/volumes/') ? [500, 'device is busy'] : undefined;
    const { kept, reasons } = await call('volumes', {});
    assert.deepEqual(kept, [ANONYMOUS]);
    assert.deepEqual(reasons[0], { id: ANONYMOUS, name: ANONYMOUS, reason: 'device is busy' });
  });

  it('opens the clean-up page at its kind for the user, and removes nothing', async () => {
    const opened: unknown[] = [];
    const openCleanUp = (only: unknown) => {
      opened.push(only);
      return Promise.resolve({ title: 'Clean Up' });
    };
    Object.assign(lab.context, { openCleanUp });
    const kinds = ['containers', 'images', 'volumes', 'networks'] as const;
    for (const kind of kinds) assert.equal(await lab.run(pruneCommandOf(kind)), undefined);
    assert.deepEqual([opened, lab.removals, lab.engine.seen], [kinds, [], []]);
  });

  it('removes stopped containers, but none of Gantry, and no volumes', async () => {
    const expected = { removed: [JOB, NEW], kept: [], freed: 20 };
    assert.deepEqual(withoutReasons(await call('containers', { dryRun: true })), expected);
    assert.deepEqual(lab.removals, []);
    assert.deepEqual(withoutReasons(await call('containers', {})), expected);
    assert.deepEqual([...(lab.things.get('containers')?.keys() ?? [])], [WEB, OWN]);
    assert.deepEqual(lab.removals, [`/containers/${JOB}`, `/containers/${NEW}`]);
  });

  it('removes anonymous volumes of containers on request', async () => {
    await call('containers', { volumes: true });
    assert.deepEqual(lab.removals, [`/containers/${JOB}?v`, `/containers/${NEW}?v`]);
  });

  it('keeps newer containers, and refuses what is not a duration', async () => {
    const age = Math.ceil(Date.now() / 1000 - 1_790_000_000 + 3600);
    const { removed } = await call('containers', { until: `${age}s` });
    assert.deepEqual(removed, [JOB]);
    await assert.rejects(call('containers', { until: '24' }), /"24" is not a duration/);
  });

  it('keeps a container that the engine refuses to remove, and removes the others', async () => {
    lab.before = ({ method, path }) =>
      method === 'DELETE' && path.includes(JOB) ? [409, 'container has dependents'] : undefined;
    const { removed, kept, freed } = await call('containers', {});
    assert.deepEqual([removed, kept, freed], [[NEW], [JOB], 0]);
  });

  it('removes tagged images and named volumes only on request', async () => {
    for (const [kind, some, all] of [
      ['images', [DANGLING], [DANGLING, TAGGED]],
      ['volumes', [ANONYMOUS], [ANONYMOUS, 'free']],
    ] as const) {
      const sorted = async (args: object) => [...(await call(kind, args)).removed].sort();
      assert.deepEqual(await sorted({ dryRun: true }), [...some].sort());
      assert.deepEqual(await sorted({ all: true, dryRun: true }), [...all].sort());
    }
    assert.deepEqual(lab.removals, []);
  });

  it('lists containers again once, right before the first image is removed', async () => {
    const { removed } = await call('images', { all: true });
    const seen = lab.engine.seen.map(({ method, path }) => `${method} ${path.split('/')[1]}`);
    const lists = seen.flatMap((one, at) => (one === 'GET containers' ? [at] : []));
    assert.deepEqual([removed.length, lists.length], [2, 2]);
    const first = seen.indexOf('DELETE images');
    assert.deepEqual(seen.slice(lists[1]! + 1, first), ['GET images', 'GET images']);
  });

  it('measures again what layers use, because removed images may share them', async () => {
    let layers = 15_000;
    lab.before = ({ method, path }) => {
      if (method === 'DELETE' && path.startsWith('/images/')) layers -= 2900;
      return undefined;
    };
    lab.layers = () => layers;
    const { removed, freed } = await call('images', { all: true });
    assert.deepEqual([removed, freed], [[DANGLING, TAGGED], 5800]);
    const types = lab.engine.seen
      .filter(({ path }) => path === '/system/df')
      .map(({ query }) => query.get('type'));
    assert.deepEqual(types, ['image', 'image']);
  });
});

function isNamed(wire: Readonly<Record<string, unknown>>, name: string): boolean {
  const {
    Name,
    Names = [],
    RepoTags = [],
  } = wire as {
    readonly Name?: string;
    readonly Names?: readonly string[];
    readonly RepoTags?: readonly string[];
  };
  return [Name, ...RepoTags, ...Names.map((one) => one.slice(1))].includes(name);
}
