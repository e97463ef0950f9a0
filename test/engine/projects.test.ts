import assert from 'node:assert/strict';
import { inspectContainer, listContainers } from '../../src/engine/containers/containers.ts';
import { readContainerHealth } from '../../src/engine/containers/containerHealth.ts';
import { removeContainer, startContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { Activity, type Verb } from '../../src/inventory/activity.ts';
import { Inventory } from '../../src/inventory/inventory.ts';
import { Watcher } from '../../src/inventory/watcher.ts';
import { DisposableStore } from '../../src/base/lifetime.ts';
import { ComposeProbes } from '../../src/projects/cli/composeProbes.ts';
import { listResources, planDown } from '../../src/projects/downPlan.ts';
import type { ProjectVerb } from '../../src/projects/operations.ts';
import { findProject, type Project } from '../../src/projects/project.ts';
import { runDown } from '../../src/projects/runDown.ts';
import {
  runOnProject,
  type ContainerDone,
  type ProjectRun,
} from '../../src/projects/runOnProject.ts';
import { monotonicClock, wallClock } from '../../src/base/time.ts';
import { until } from '../bed/until.ts';
import { Site } from './support.ts';

const SECOND = 1e9;

/** A health check that succeeds as soon as its container has the file. */
const CHECK = {
  Test: ['CMD-SHELL', 'test -e /ready'],
  Interval: SECOND,
  Timeout: 5 * SECOND,
  Retries: 60,
};

describe('a compose project on a real engine', function () {
  this.timeout(60_000);
  const site = new Site();
  const store = new DisposableStore();
  const inventory = store.add(new Inventory());
  const activity = store.add(new Activity());
  const { connection } = site;
  let name: string;

  before(() => {
    const connect = () => Promise.resolve(connection);
    store.add(new Watcher({ inventory, connect, clock: wallClock })).start();
  });
  beforeEach(() => (name = site.name()));
  after(async () => {
    store.dispose();
    await site.leave();
  });

  /** Creates a container of a service. */
  function service(
    title: string,
    command: readonly string[],
    { depends = '', labels = {}, ...body }: Readonly<Record<string, unknown>> = {},
  ): Promise<string> {
    const own = {
      'com.docker.compose.project': name,
      'com.docker.compose.config-hash': 'hash',
      'com.docker.compose.service': title,
      'com.docker.compose.container-number': '1',
      'com.docker.compose.oneoff': 'False',
      'com.docker.compose.depends_on': depends,
      ...(labels as object),
    };
    return site.create(command, { name: `${name}-${title}-1`, body: { Labels: own, ...body } });
  }

  async function project(): Promise<Project> {
    const found = findProject(await listContainers(connection, { all: true }), name);
    return found ?? assert.fail('there is no project');
  }

  async function run(verb: ProjectVerb, only?: string): Promise<ProjectRun> {
    const { signal } = new AbortController();
    const world = { connection, inventory, activity, clock: monotonicClock, signal };
    return runOnProject(verb, await project(), { ...world, service: only });
  }

  type Handled = Pick<ContainerDone, 'container'>;
  const titleOf = ({ container }: Handled): string => container.name.slice(name.length + 1, -2);
  const titles = (all: readonly Handled[]): readonly string[] => all.map(titleOf);

  it('starts in the order of its dependencies, after they are healthy or completed', async () => {
    await service('web', ['sleep', '1000'], {
      depends: 'db:service_healthy:true,migrate:service_completed_successfully:false',
    });
    const migrate = await service('migrate', ['sh', '-c', 'sleep 0.3'], {
      depends: 'db:service_started:false',
    });
    const db = await service('db', ['sh', '-c', 'sleep 1; touch /ready; sleep 1000'], {
      Healthcheck: CHECK,
    });
    const waits: (Verb | undefined)[] = [];
    activity.onDidChange((ids) => waits.push(...[...ids].map((id) => activity.verbOf(id))));
    const { done, failed } = await run('start');
    assert.deepEqual(failed, []);
    assert.deepEqual(titles(done), ['db', 'migrate', 'web']);
    assert(waits.includes('waiting'));
    const details = await inspectContainer(connection, db);
    const { Health } = (details.raw as { State: { Health: { Status: string } } }).State;
    assert.equal(Health.Status, 'healthy');
    assert.equal((await inspectContainer(connection, migrate)).exitCode, 0);
    const again = await run('start', 'db');
    assert.deepEqual(
      again.done.map(({ outcome }) => outcome),
      ['alreadyStarted'],
    );
    const restarted = await run('restart', 'db');
    assert.deepEqual(titles(restarted.done), ['db', 'web']);
    const stopped = await run('stop');
    assert.equal(titles(stopped.done).at(-1), 'db');
    assert.equal(titles(stopped.done).length, 3);
  });

  it('gets healthy while the compose CLI waits for it', async () => {
    const db = await service('db', ['sh', '-c', 'touch /ready; sleep 1000'], {
      Healthcheck: CHECK,
    });
    await startContainer(connection, db);
    const probes = store.add(
      new ComposeProbes(() => Promise.resolve(connection), { inventory, clock: monotonicClock }),
    );
    probes.handle({ id: `Container ${name}-db-1`, status: 'Waiting' });
    await until(async () => {
      const details = await inspectContainer(connection, db);
      return readContainerHealth(details)?.status === 'healthy';
    }, 'the container is healthy');
  });

  it('does not start what depends on a service that is unhealthy or fails', async () => {
    await service('sick', ['sleep', '1000'], {
      Healthcheck: { ...CHECK, Test: ['CMD', 'false'], Retries: 1 },
    });
    await service('job', ['sh', '-c', 'exit 3']);
    const web = await service('web', ['sleep', '1000'], { depends: 'sick:service_healthy:false' });
    await service('api', ['sleep', '1000'], {
      depends: 'job:service_completed_successfully:false',
    });
    await service('last', ['sleep', '1000'], { depends: 'api:service_started:false' });
    const { done, failed } = await run('start');
    assert.deepEqual(titles(done).toSorted(), ['job', 'sick']);
    const why = new Map(failed.map((one) => [titleOf(one), one.why]));
    const dependency = { kind: 'dependency' };
    assert.deepEqual(why.get('web'), {
      ...dependency,
      ...{ service: 'sick', end: { kind: 'unhealthy' } },
    });
    assert.deepEqual(why.get('api'), {
      ...dependency,
      ...{ service: 'job', end: { kind: 'exited', exitCode: 3 } },
    });
    assert.deepEqual(why.get('last'), {
      ...dependency,
      ...{ service: 'api', end: { kind: 'failed' } },
    });
    assert.equal((await inspectContainer(connection, web)).state, 'created');
  });

  it('is paused, unpaused, killed, and removed', async () => {
    await service('web', ['sleep', '1000']);
    await service('db', ['sleep', '1000']);
    await service('job', ['true']);
    await run('start', 'web');
    await run('start', 'db');
    const outcomes = async (verb: ProjectVerb): Promise<readonly string[]> => {
      const { done, failed } = await run(verb);
      assert.deepEqual(failed, []);
      return done.map((one) => `${titleOf(one)} ${one.outcome}`).sort();
    };
    assert.deepEqual(await outcomes('pause'), ['db paused', 'job notRunning', 'web paused']);
    assert.deepEqual(await outcomes('unpause'), ['db unpaused', 'job notRunning', 'web unpaused']);
    const killed = await outcomes('kill');
    assert.deepEqual([killed[0], killed[2]], ['db killed', 'web killed']);
    assert.deepEqual(await outcomes('remove'), ['db removed', 'job removed', 'web removed']);
  });

  it('has no container that only runs an image which Compose built', async () => {
    const base = await site.create(['true']);
    const repo = site.repository();
    const tag = site.owns(`${repo}:1`);
    // The labels that Compose writes into an image.
    const changes = `LABEL com.docker.compose.project=${name} com.docker.compose.service=web com.docker.compose.version=2.40.3`;
    await connection.send({
      method: 'POST',
      path: '/commit',
      query: { container: base, repo, tag: '1', changes },
    });
    const web = await service('web', ['sleep', '1000'], { Image: tag });
    const volume = site.volume();
    const foreign = await site.run(['sleep', '1000'], {
      body: { Image: tag, HostConfig: { Binds: [`${volume}:/data`] } },
    });
    const labelled = (await listContainers(connection, { all: true })).filter(
      ({ labels }) => labels['com.docker.compose.project'] === name,
    );
    assert.deepEqual(labelled.map(({ id }) => id).sort(), [web, foreign].sort());
    await run('start');
    const { done } = await run('stop');
    assert.deepEqual(titles(done), ['web']);
    const { signal } = new AbortController();
    const plan = planDown([name], await listResources(connection, signal));
    assert.deepEqual(
      plan.containers.map(({ id }) => id),
      [web],
    );
    const world = { connection, inventory, activity, clock: monotonicClock, signal };
    const down = await runDown([name], plan, world);
    assert.deepEqual(
      down.done.map(({ id }) => id),
      [web],
    );
    assert.equal((await inspectContainer(connection, foreign)).isRunning, true);
  });

  it('is taken down with its networks and volumes, but what others use stays', async () => {
    const labels = { 'com.docker.compose.project': name, 'com.docker.compose.config-hash': 'hash' };
    const create = async (kind: 'networks' | 'volumes', short: string): Promise<string> => {
      const body = { Name: `${name}_${short}`, Labels: labels };
      const made = await connection.send({ method: 'POST', path: `/${kind}/create`, body });
      return (made.json() as { Id?: string }).Id ?? body.Name;
    };
    const front = await create('networks', 'front');
    await create('networks', 'back');
    await create('volumes', 'data');
    await create('volumes', 'shared');
    const host = { NetworkMode: `${name}_front`, Binds: [`${name}_data:/data`] };
    const web = await service('web', ['sleep', '1000'], { HostConfig: host });
    const runner = await site.run(['sleep', '1000'], {
      body: {
        Labels: {
          ...labels,
          'com.docker.compose.service': 'web',
          'com.docker.compose.oneoff': 'True',
        },
        HostConfig: { NetworkMode: `${name}_front` },
      },
    });
    await run('start');
    const other = await site.create(['sleep', '1000'], {
      body: {
        HostConfig: { NetworkMode: `${name}_back`, Binds: [`${name}_shared:/data`] },
      },
    });
    const { signal } = new AbortController();
    const plan = planDown([name], await listResources(connection, signal));
    const kept = plan.kept.filter(({ kind }) => kind !== 'image');
    assert.deepEqual(
      kept.map((one) => [one.kind, one.name, one.users.length]),
      [
        ['network', `${name}_back`, 1],
        ['volume', `${name}_shared`, 1],
      ],
    );
    const world = { connection, inventory, activity, clock: monotonicClock, signal };
    const { done, failed } = await runDown([name], { ...plan, images: [] }, world);
    assert.deepEqual(failed, []);
    assert.deepEqual(
      done.map(({ kind, id, outcome }) => [kind, id, outcome]),
      [
        ['container', runner, 'removed'],
        ['container', web, 'removed'],
        ['network', front, 'removed'],
        ['volume', `${name}_data`, 'removed'],
      ],
    );
    await assert.rejects(inspectContainer(connection, web), { reason: 'notFound' });
    await removeContainer(connection, other, { force: true });
    const rest = planDown([name], await listResources(connection, signal));
    assert.deepEqual(rest.kept, []);
    assert.deepEqual(rest.images, [], 'without containers, its images are not known');
    const second = await runDown([name], { ...rest, images: [] }, world);
    assert.deepEqual(
      second.done.map((one) => one.name),
      [`${name}_back`, `${name}_shared`],
    );
  });
});
