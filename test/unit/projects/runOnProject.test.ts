import assert from 'node:assert/strict';
import type { Connection } from '../../../src/engine/http/connection.ts';
import type { Container } from '../../../src/engine/model.ts';
import { Activity } from '../../../src/inventory/activity.ts';
import { Inventory } from '../../../src/inventory/inventory.ts';
import type { ProjectVerb } from '../../../src/projects/operations.ts';
import { findProject } from '../../../src/projects/project.ts';
import { runOnProject, type ProjectRun } from '../../../src/projects/runOnProject.ts';
import { container, idOf } from '../inventory/support/nouns.ts';
import { FakeClock } from '../support/fakeClock.ts';
import type { FakeEngine } from '../support/fakeEngine.ts';
import { openLab, settle, when, type Lab } from '../support/lab.ts';
import { podmanPing, ProjectEngine } from '../support/projectEngine.ts';
import { inProject } from '../views/support/stage.ts';

/** Returns the container of a service, with the letter of its ID. */
function service(letter: string, name: string, depends = '', fields = {}): Container {
  return container(letter, {
    name,
    labels: { ...inProject('shop', name, 1), 'com.docker.compose.depends_on': depends },
    state: 'exited',
    ...fields,
  });
}

describe('runOnProject', () => {
  let lab: Lab;
  let engine: ProjectEngine;
  let connection: Connection;
  let socket: FakeEngine;
  let containers: readonly Container[];
  let inventory: Inventory;
  let activity: Activity;
  let clock: FakeClock;
  let cancel: AbortController;
  afterEach(() => lab.close());

  async function open(...all: readonly Container[]): Promise<void> {
    containers = all;
    engine = new ProjectEngine(all);
    lab = openLab();
    const fake = await lab.fake(engine.answer);
    ({ connection, engine: socket } = fake);
    inventory = new Inventory();
    activity = new Activity();
    clock = new FakeClock();
    cancel = new AbortController();
    inventory.replaceAll(all, [], clock.now());
  }

  function run(verb: ProjectVerb, only?: string): Promise<ProjectRun> {
    const project = findProject(containers, 'shop') ?? assert.fail();
    const { signal } = cancel;
    const world = { connection, inventory, activity, clock, signal };
    return runOnProject(verb, project, { ...world, service: only });
  }

  /** Tells the inventory that a container has changed, as after an event. */
  function tell(letter: string): void {
    const [one] = containers.filter(({ id }) => id === idOf(letter));
    const health = inventory.containers.get(idOf(letter))?.health === 'starting' ? {} : STARTING;
    const next = { ...(one ?? assert.fail()), state: 'running', ...health } as const;
    inventory.replaceContainers([next.id], [next], clock.now());
  }
  const STARTING = { health: 'starting' } as const;

  const names = (all: readonly { readonly container: Container }[]) =>
    all.map((one) => one.container.name);
  const whyOf = ({ failed }: ProjectRun) =>
    Object.fromEntries(failed.map((one) => [one.container.name, one.why]));

  it('starts what nothing orders at the same time, and others once their dependencies are', async () => {
    await open(service('a', 'web', 'api'), service('b', 'api'), service('c', 'db'));
    engine.holds.add('start api').add('start db');
    const running = run('start');
    await when(() => engine.asked.length === 2);
    assert.deepEqual(engine.asked.toSorted(), ['start api', 'start db']);
    assert.equal(activity.verbOf(idOf('b')), 'starting');
    assert.deepEqual(activity.waitOf(idOf('a')), { service: 'api', condition: 'started' });
    engine.release('start api');
    await when(() => engine.asked.includes('start web'));
    engine.release('start db');
    const { done, failed, isCanceled, total } = await running;
    assert.deepEqual(names(done).sort(), ['api', 'db', 'web']);
    assert.deepEqual([failed, isCanceled, total], [[], false, 3]);
    for (const { id } of containers) assert.equal(activity.verbOf(id), undefined);
  });

  it('sends at most 16 requests at a time', async () => {
    const all = Array.from({ length: 20 }, (_, at) =>
      service('a', `s${at}`, '', { id: String(at).padStart(64, '0') }),
    );
    await open(...all);
    for (const { name } of all) engine.holds.add(`start ${name}`);
    const running = run('start');
    await when(() => engine.asked.length === 16);
    await settle();
    assert.equal(engine.asked.length, 16);
    engine.release('start s0');
    await when(() => engine.asked.length === 17);
    for (const { name } of all) engine.release(`start ${name}`);
    assert.equal((await running).done.length, 20);
  });

  it('waits until a dependency is healthy, and inspects it only after its events', async () => {
    await open(service('a', 'web', 'db:service_healthy:false'), service('b', 'db'));
    engine.setHealth('db', 'starting');
    const inspects = () => lab.records.filter(({ path }) => path.endsWith('/json')).length;
    const running = run('start');
    await clock.asleep(40_000);
    assert.deepEqual(activity.waitOf(idOf('a')), { service: 'db', condition: 'healthy' });
    assert.equal(inspects(), 1);
    tell('a');
    await settle();
    assert.equal(inspects(), 1);
    tell('b');
    await when(() => inspects() === 2);
    await clock.asleep(40_000);
    assert(!engine.asked.includes('start web'));
    engine.setHealth('db', 'healthy');
    tell('b');
    assert.deepEqual(names((await running).done), ['db', 'web']);
    assert.deepEqual(clock.sleeping, []);
  });

  it('does not start what depends on an unhealthy service, nor what depends on that', async () => {
    await open(
      service('a', 'web', 'db:service_healthy:false'),
      service('b', 'db'),
      service('c', 'last', 'web'),
      service('d', 'other'),
    );
    engine.setHealth('db', 'unhealthy');
    const done = await run('start');
    assert.deepEqual(names(done.done).sort(), ['db', 'other']);
    assert.deepEqual(whyOf(done), {
      web: { kind: 'dependency', service: 'db', end: { kind: 'unhealthy' } },
      last: { kind: 'dependency', service: 'web', end: { kind: 'failed' } },
    });
  });

  it('reports a dependency that has no health check, exits, or is removed', async () => {
    await open(
      service('a', 'a', 'x:service_healthy:false'),
      service('b', 'b', 'y:service_healthy:false'),
      service('c', 'c', 'z:service_healthy:false'),
      ...[service('d', 'x'), service('e', 'y'), service('f', 'z')],
    );
    engine.setHealth('y', 'starting');
    engine.setHealth('z', 'starting');
    engine.holds.add('start y').add('start z');
    const running = run('start');
    await when(() => engine.asked.length === 3);
    engine.release('start y');
    engine.release('start z');
    await when(() => clock.sleeping.length === 2);
    engine.exit('y', 7);
    engine.remove('z');
    tell('e');
    tell('f');
    const why = whyOf(await running);
    assert.deepEqual(why, {
      a: { kind: 'dependency', service: 'x', end: { kind: 'noCheck' } },
      b: { kind: 'dependency', service: 'y', end: { kind: 'exited', exitCode: 7 } },
      c: { kind: 'dependency', service: 'z', end: { kind: 'gone' } },
    });
  });

  it('waits no longer than the health check needs', async () => {
    await open(service('a', 'web', 'db:service_healthy:false'), service('b', 'db'));
    engine.setHealth('db', 'starting');
    const running = run('start');
    await clock.asleep(40_000);
    clock.pass(39_999);
    await settle();
    assert.equal(activity.verbOf(idOf('a')), 'waiting');
    clock.pass(1);
    assert.deepEqual(whyOf(await running), {
      web: { kind: 'dependency', service: 'db', end: { kind: 'late', afterMs: 40_000 } },
    });
  });

  it('waits until a job has completed, and takes only exit code 0', async () => {
    await open(
      service('a', 'web', 'good:service_completed_successfully:false'),
      service('b', 'api', 'bad:service_completed_successfully:false'),
      ...[service('c', 'good'), service('d', 'bad')],
    );
    const running = run('start');
    await when(() => clock.sleeping.length === 2);
    engine.exit('good', 0);
    engine.exit('bad', 1);
    const done = await running;
    assert.deepEqual(names(done.done).sort(), ['bad', 'good', 'web']);
    assert.deepEqual(whyOf(done), {
      api: { kind: 'dependency', service: 'bad', end: { kind: 'exited', exitCode: 1 } },
    });
  });

  it('waits on for a job and for health if only the connection ends', async () => {
    await open(
      service('a', 'web', 'job:service_completed_successfully:false,db:service_healthy:false'),
      ...[service('b', 'job'), service('c', 'db')],
    );
    engine.setHealth('db', 'starting');
    engine.holds.add('start job').add('start db');
    const running = run('start');
    await when(() => engine.asked.length === 2);
    engine.release('start job');
    engine.release('start db');
    engine.isAway = true;
    const pausing = () => clock.sleeping.filter((one) => one === 250).length;
    await when(() => pausing() === 2);
    engine.isAway = false;
    clock.pass(250);
    await clock.asleep(39_750);
    await when(() => engine.isWaited('job'));
    engine.isAway = true;
    engine.cutWait('job');
    tell('c');
    await when(() => pausing() === 1 && clock.sleeping.includes(500));
    engine.isAway = false;
    engine.setHealth('db', 'healthy');
    engine.exit('job', 0);
    clock.pass(500);
    const { done, failed } = await running;
    assert.deepEqual([names(done).sort(), failed], [['db', 'job', 'web'], []]);
    assert.deepEqual(clock.sleeping, []);
  });

  it('gives up on the engine after the time that the health check may take', async () => {
    await open(service('a', 'web', 'db:service_healthy:false'), service('b', 'db'));
    engine.setHealth('db', 'starting');
    const running = run('start');
    await clock.asleep(40_000);
    engine.isAway = true;
    tell('b');
    for (const pause of [250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000]) {
      await clock.asleep(pause);
      clock.pass(pause);
    }
    const { web } = whyOf(await running);
    assert.equal(web?.kind === 'dependency' && web.end.kind, 'error');
  });

  it('looks what became of an operation whose answer was lost', async () => {
    const up = { state: 'running' };
    await open(service('a', 'web', '', up), service('b', 'db', '', up));
    engine.losses.add('stop web');
    const stopped = await run('stop');
    assert.deepEqual(
      stopped.done.map(({ container, outcome }) => [container.name, outcome]).sort(),
      [
        ['db', 'stopped'],
        ['web', 'stopped'],
      ],
    );
    engine.losses.add('remove db');
    const { done, failed } = await run('remove');
    assert.deepEqual([names(done).sort(), failed], [['db', 'web'], []]);
    assert.equal(engine.asked.filter((one) => one === 'remove db').length, 1);
  });

  it('does not take a lost operation for done that the engine has not done', async () => {
    await open(service('a', 'web', '', { state: 'running' }));
    engine.cuts.add('stop web');
    const running = run('stop');
    for (const pause of [250, 500, 1000, 2000, 4000, 7250]) {
      await clock.asleep(pause);
      clock.pass(pause);
    }
    const { web } = whyOf(await running);
    assert.equal(web?.kind, 'error');
    engine.cuts.add('remove web');
    assert.equal(whyOf(await run('remove'))['web']?.kind, 'error');
  });

  it('runs the health check itself at its interval if the engine does not', async () => {
    await open(service('a', 'web', 'db:service_healthy:false'), service('b', 'db'));
    engine.setHealth('db', 'starting');
    socket.ping(podmanPing);
    const probes = () => engine.asked.filter((one) => one === 'healthcheck db').length;
    const running = run('start');
    await clock.asleep(5000);
    assert.equal(probes(), 1);
    clock.pass(5000);
    await clock.asleep(5000);
    assert.equal(probes(), 2);
    engine.setHealth('db', 'healthy');
    clock.pass(5000);
    assert.deepEqual(names((await running).done), ['db', 'web']);
    assert.equal(probes(), 3);
  });

  it('starts only a service and what it depends on, and stops only the service', async () => {
    await open(service('a', 'web', 'db'), service('b', 'db'), service('c', 'other'));
    assert.deepEqual(names((await run('start', 'web')).done), ['db', 'web']);
    assert.deepEqual(names((await run('stop', 'db')).done), ['db']);
  });

  it('stops dependents first, and the others even if one cannot be stopped', async () => {
    await open(service('a', 'web', 'api'), service('b', 'api', 'db'), service('c', 'db'));
    engine.refuses.add('stop api');
    const { done, failed } = await run('stop');
    assert.deepEqual(engine.asked, ['stop web', 'stop api', 'stop db']);
    assert.deepEqual([names(done), names(failed)], [['web', 'db'], ['api']]);
  });

  it('restarts a service with those that are restarted with it', async () => {
    await open(
      service('a', 'web', 'db:service_started:true'),
      service('b', 'db', '', { state: 'running' }),
      service('c', 'other', 'db:service_started:false'),
    );
    assert.deepEqual(names((await run('restart', 'db')).done), ['db', 'web']);
  });

  it('leaves out one-off containers', async () => {
    const labels = { ...inProject('shop', 'web'), 'com.docker.compose.oneoff': 'True' };
    await open(service('a', 'web'), container('b', { labels }));
    assert.deepEqual(names((await run('stop')).done), ['web']);
  });

  it('stops where it is when it is canceled, and returns what was done', async () => {
    await open(
      service('a', 'web', 'db:service_healthy:false'),
      service('b', 'db'),
      service('c', 'slow'),
      service('d', 'last', 'slow'),
    );
    engine.setHealth('db', 'starting');
    engine.holds.add('start slow');
    const running = run('start');
    await clock.asleep(40_000);
    cancel.abort();
    const { done, failed, isCanceled, total } = await running;
    assert.deepEqual([names(done), failed, isCanceled, total], [['db'], [], true, 4]);
    assert(!engine.asked.includes('start web') && !engine.asked.includes('start last'));
    for (const { id } of containers) assert.equal(activity.verbOf(id), undefined);
    assert.deepEqual(clock.sleeping, []);
  });
});
