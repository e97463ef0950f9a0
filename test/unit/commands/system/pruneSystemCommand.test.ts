import assert from 'node:assert/strict';
import {
  cleanUpBuildCacheCommand,
  cleanUpCommand,
  pruneSystemCommand,
} from '../../../../src/commands/system/pruneSystemCommand.ts';
import { idOf } from '../../inventory/support/nouns.ts';
import {
  ANONYMOUS,
  DANGLING,
  JOB,
  JOB_VOLUME,
  openSystemLab,
  type SystemLab,
} from './systemLab.ts';
import { exclude } from '../../../../src/commands/system/cleanupItem.ts';

const KINDS = ['containers', 'images', 'volumes', 'networks', 'buildCache'];

interface Pruned {
  readonly removed: readonly { readonly kind: string; readonly name: string }[];
  readonly kept: readonly {
    readonly kind: string;
    readonly name: string;
    readonly reason: string;
  }[];
  readonly freed?: number;
}

describe('commands/pruneSystemCommand', () => {
  let lab: SystemLab;
  beforeEach(async () => {
    lab = await openSystemLab();
  });
  afterEach(() => lab.close());

  const call = (args: object) =>
    lab.call(pruneSystemCommand(), args) as Promise<Pruned | undefined>;
  const namesOf = (pruned: Pruned | undefined): readonly string[] =>
    pruned?.removed.map(({ name }) => name) ?? [];

  it('removes only what is easy to make again, in an order that works', async () => {
    const done = await call({ kinds: KINDS });
    assert.deepEqual(done?.removed, [
      { kind: 'containers', name: 'job', size: 20 },
      { kind: 'containers', name: 'new', size: 0 },
      { kind: 'images', name: DANGLING, size: 700 },
      { kind: 'volumes', name: ANONYMOUS, size: 50 },
      { kind: 'volumes', name: JOB_VOLUME, size: 50 },
      { kind: 'networks', name: 'lonely', size: 0 },
      { kind: 'buildCache', name: 'leaf', size: 8 },
      { kind: 'buildCache', name: 'base', size: 7 },
    ]);
    assert.equal(done.freed, 835);
    assert.deepEqual(lab.removals.slice(-2), ['{"id":["^leaf$"]}', '{"id":["^base$"]}']);
    assert(
      !lab.engine.seen.some(({ path }) =>
        /^\/(containers|images|volumes|networks)\/prune/.test(path),
      ),
    );
  });

  it('reports of everything else why it is kept, also for a dry run', async () => {
    const { kept } = (await call({ kinds: KINDS, dryRun: true })) ?? assert.fail();
    assert.deepEqual(
      kept.map(({ kind, name, reason }) => `${kind} ${name}: ${reason}`),
      [
        'containers web: running',
        'images app:1: tagged image',
        'images job:1: tagged image',
        'images web:1: used by web',
        'volumes free: named volume',
        'volumes data: used by web',
        'volumes kept: named volume',
        'networks bridge: belongs to the engine',
        'networks shop: used by web',
        'buildCache used: in use by a build',
        'buildCache shared: shared with an image',
      ],
    );
    const some = await call({ kinds: ['volumes'], all: true, dryRun: true });
    assert.deepEqual(
      some?.kept.map(({ name, reason }) => `${name}: ${reason}`),
      ['data: used by web', 'kept: used by job', `${JOB_VOLUME}: used by job`],
    );
    assert.deepEqual((await call({ kinds: KINDS }))?.kept, kept);
  });

  it('keeps the routing mesh of a swarm, which no container is on', async () => {
    const Id = idOf('6');
    lab.things.get('networks')?.set(Id, { Id, Name: 'ingress', Driver: 'overlay', Ingress: true });
    const done = await call({ kinds: ['networks'], all: true });
    assert.deepEqual(namesOf(done), ['lonely']);
    const reason = 'routing mesh of the swarm';
    assert(done?.kept.some((one) => one.name === 'ingress' && one.reason === reason));
  });

  it('removes tagged images, named volumes and shared cache only with all', async () => {
    const done = await call({ kinds: KINDS, all: true });
    const added = ['app:1', 'job:1', 'kept', 'free', 'shared'];
    assert.deepEqual(
      added.filter((name) => !namesOf(done).includes(name)),
      [],
    );
    for (const [kind, name] of [
      ...[
        ['images', 'web:1'],
        ['volumes', 'data'],
        ['networks', 'shop'],
        ['buildCache', 'used'],
      ],
    ] as const)
      assert(!done?.removed.some((one) => one.kind === kind && one.name === name), name);
  });

  it('keeps what a stopped container uses if containers are not removed', async () => {
    const kinds = ['images', 'volumes'];
    const names = namesOf(await call({ kinds, all: true, dryRun: true }));
    assert.deepEqual(names, [DANGLING, 'app:1', 'free', ANONYMOUS]);
  });

  it('removes nothing for a dry run, and asks for the disk usage once', async () => {
    const done = await call({ kinds: KINDS, dryRun: true });
    assert.deepEqual([done?.removed.length, lab.removals], [8, []]);
    const measured = lab.engine.seen.filter(({ path }) => path === '/system/df');
    assert.equal(measured.length, 1);
  });

  it('keeps what is newer than the given duration', async () => {
    const kinds = ['containers'];
    const age = Math.ceil(Date.now() / 1000 - 1_790_000_000 + 3600);
    assert.deepEqual(namesOf(await call({ kinds, until: `${age}s`, dryRun: true })), ['job']);
    assert.deepEqual(namesOf(await call({ kinds: KINDS, until: '900000h', dryRun: true })), []);
    await assert.rejects(call({ kinds, until: 'soon' }), /"soon" is not a duration/);
  });

  it('refuses unknown kinds and a missing list', async () => {
    const message = /"kinds" must be an array of "containers", "images", "volumes", /;
    for (const kinds of [['volume'], [], 'images', [null]])
      await assert.rejects(call({ kinds }), message);
    await assert.rejects(call({}), /property "kinds" is required/);
    assert.deepEqual(lab.engine.seen, []);
  });

  it('looks at each item again right before, and explains why it is kept', async () => {
    lab.before = ({ method, path }) => {
      const job = lab.things.get('containers')?.get(JOB);
      if (method === 'GET' && path === `/containers/${JOB}/json` && job)
        lab.things.get('containers')?.set(JOB, { ...job, State: 'running' });
      return undefined;
    };
    const done = await call({ kinds: ['containers', 'volumes'] });
    assert.deepEqual(namesOf(done), ['new', ANONYMOUS]);
    const late = done?.kept.filter(({ name }) => name === 'job' || name === JOB_VOLUME);
    assert.deepEqual(late, [
      { kind: 'containers', name: 'job', reason: 'The container was started in the meantime.' },
      {
        ...{ kind: 'volumes', name: JOB_VOLUME },
        reason: 'Containers use it: job. Remove them first.',
      },
    ]);
  });

  it('keeps cache that a build uses by now', async () => {
    let lists = 0;
    lab.before = ({ path }) => {
      const leaf = lab.things.get('cache')?.get('leaf');
      if (path === '/system/df' && (lists += 1) === 2 && leaf)
        lab.things.get('cache')?.set('leaf', { ...leaf, InUse: true });
      return undefined;
    };
    const done = await call({ kinds: ['buildCache'] });
    assert.deepEqual([done?.removed, done?.freed], [[], 0]);
    assert.deepEqual(done?.kept.slice(-2), [
      { kind: 'buildCache', name: 'leaf', reason: 'A build is using this cache record.' },
      {
        ...{ kind: 'buildCache', name: 'base' },
        reason: 'A build or another cache record is using it.',
      },
    ]);
  });

  it('works without sizes, but not for the build cache', async () => {
    lab.before = ({ path }) => (path === '/system/df' ? [500, 'already running'] : undefined);
    const done = await call({ kinds: ['containers'], dryRun: true });
    assert.deepEqual(done?.removed[0], { kind: 'containers', name: 'job' });
    assert.equal(done.freed, undefined);
    await assert.rejects(call({ kinds: ['buildCache'] }), /^Error: Could not prune: already runn/);
  });

  it('keeps what the user excluded, whatever the scope', async () => {
    const { context } = lab;
    const seen = { name: 'free', driver: 'local', labels: {}, options: {}, createdAt: '' };
    const item = { kind: 'volumes', id: 'free', name: 'free', seen } as const;
    await exclude(context.window.exclusions, context.unit.id, item, true);
    const done = await call({ kinds: ['volumes'], all: true });
    const kept = done?.kept.find(({ name }) => name === 'free');
    assert.equal(kept?.reason, 'excluded by you');
    assert(!lab.removals.includes('/volumes/free'));
    await exclude(context.window.exclusions, context.unit.id, item, false);
    assert.deepEqual(namesOf(await call({ kinds: ['volumes'], all: true })), ['free']);
  });

  it('opens the clean-up page for the user, as the other commands do', async () => {
    const opened: unknown[] = [];
    const openCleanUp = (only: unknown) => {
      opened.push(only);
      return Promise.resolve({ title: 'Clean Up' });
    };
    Object.assign(lab.context, { openCleanUp });
    assert.equal(await lab.run(pruneSystemCommand()), undefined);
    assert.deepEqual(await lab.run(cleanUpCommand()), { title: 'Clean Up' });
    assert.deepEqual(await lab.call(cleanUpBuildCacheCommand(), {}), { title: 'Clean Up' });
    await lab.call(cleanUpCommand(), { kind: 'volumes' });
    assert.deepEqual(opened, [undefined, undefined, 'buildCache', 'volumes']);
    await assert.rejects(lab.call(cleanUpCommand(), { kind: 'pods' }), /"kind"/);
    assert.deepEqual(lab.engine.seen, []);
  });
});
