import assert from 'node:assert/strict';
import {
  createContainer,
  inspectContainer,
  listContainers,
} from '../../src/engine/containers/containers.ts';
import {
  killContainer,
  pauseContainer,
  removeContainer,
  renameContainer,
  restartContainer,
  startContainer,
  stopContainer,
  unpauseContainer,
} from '../../src/engine/containers/containerLifecycle.ts';
import { engineTime, followEvents } from '../../src/engine/system/system.ts';
import { refusal, Site } from './support.ts';

describe('a container on a real engine', () => {
  let site: Site;
  beforeEach(() => (site = new Site()));
  afterEach(() => site.leave());

  it('is created with all given options, and with a list of warnings', async () => {
    const name = site.name();
    const labels = { 'gantry.test': 'grüße, 日本', empty: '' };
    const { id, warnings } = await createContainer(site.connection, {
      name,
      body: {
        Image: site.facts.image,
        Cmd: ['echo', 'two words', '$HOME', '"', "'", '\\', ''],
        Env: ['GREETING=grüße & 日本=1', 'EMPTY='],
        Labels: labels,
        WorkingDir: '/tmp',
        Tty: true,
        StopTimeout: 3,
      },
    });
    try {
      assert.match(id, /^[0-9a-f]{64}$/);
      assert(Array.isArray(warnings));
      const details = await inspectContainer(site.connection, id);
      assert.deepEqual(
        [details.id, details.name, details.state, details.isRunning, details.wasStarted],
        [id, name, 'created', false, false],
      );
      assert.deepEqual(
        [details.hasTty, details.startedAt, details.finishedAt, details.error],
        [true, '', '', ''],
      );
      assert.equal(details.stopTimeout, 3);
      for (const [key, value] of Object.entries(labels)) assert.equal(details.labels[key], value);
      const { Cmd, Env } = (details.raw as { Config: { Cmd: string[]; Env: string[] } }).Config;
      assert.deepEqual(Cmd, ['echo', 'two words', '$HOME', '"', "'", '\\', '']);
      assert(Env.includes('GREETING=grüße & 日本=1'), Env.join());
    } finally {
      await removeContainer(site.connection, id);
    }
  });

  it('is not created from an image of another platform', async () => {
    const body = { Image: site.facts.image };
    const error = await refusal(
      createContainer(site.connection, { name: site.name(), platform: 'linux/s390x', body }),
    );
    assert.equal(error.reason, 'notFound', error.message);
    assert.match(error.message, /s390x/);
  });

  it('is not created from a missing image, or with a name that is in use or invalid', async () => {
    const create = (name: string, Image: string): Promise<unknown> =>
      createContainer(site.connection, { name, body: { Image } });
    const missing = await refusal(create(site.name(), 'localhost/no/such:image'));
    assert.equal(missing.reason, 'notFound');
    assert.match(missing.message, /no such image/i);
    const name = site.name();
    await site.create(['true'], { name });
    assert.match((await refusal(create(name, site.facts.image))).message, /in use/);
    await refusal(create('wrong name', site.facts.image));
  });

  it('is started once, and reported as already started the second time', async () => {
    const id = await site.create(['sleep', '1000']);
    assert.equal((await startContainer(site.connection, id)).outcome, 'started');
    assert.equal((await startContainer(site.connection, id)).outcome, 'alreadyStarted');
    const details = await inspectContainer(site.connection, id);
    assert.deepEqual(
      [details.state, details.isRunning, details.wasStarted, details.finishedAt],
      ['running', true, true, ''],
    );
    assert(!Number.isNaN(Date.parse(details.startedAt)), details.startedAt);
  });

  it('is stopped once, and reported as already stopped the second time', async () => {
    const id = await site.sleeper();
    assert.equal((await stopContainer(site.connection, id)).outcome, 'stopped');
    assert.equal((await stopContainer(site.connection, id)).outcome, 'alreadyStopped');
    const details = await inspectContainer(site.connection, id);
    assert.deepEqual([details.state, details.exitCode], ['exited', 137]);
  });

  it('is killed after the stop timeout', async () => {
    // A signal without effect. SIGTERM ends the engine's program that is about to start `sleep`.
    const id = await site.sleeper({ body: { StopSignal: 'SIGWINCH' } });
    const { outcome } = await stopContainer(site.connection, id, { timeoutSeconds: 0 });
    assert.equal(outcome, 'stopped');
    assert.equal((await inspectContainer(site.connection, id)).exitCode, 137);
  });

  it('is reported as already stopped if it was never started', async () => {
    const id = await site.create(['true']);
    const { outcome } = await stopContainer(site.connection, id);
    // Podman accepts this like any other stop.
    assert.equal(outcome, site.isPodman ? 'stopped' : 'alreadyStopped');
    assert.equal((await inspectContainer(site.connection, id)).state, 'created');
  });

  it('is restarted, whether running or stopped', async () => {
    const id = await site.sleeper();
    const first = await inspectContainer(site.connection, id);
    const { outcome } = await restartContainer(site.connection, id, { timeoutSeconds: 0 });
    assert.equal(outcome, 'restarted');
    const second = await inspectContainer(site.connection, id);
    assert.equal(second.state, 'running');
    assert.notEqual(second.startedAt, first.startedAt);
    await stopContainer(site.connection, id);
    await restartContainer(site.connection, id);
    assert.equal((await inspectContainer(site.connection, id)).state, 'running');
  });

  it('is killed by any signal while running, and reported as already stopped otherwise', async () => {
    const id = await site.run(['sh', '-c', 'trap "exit 7" USR1; while :; do sleep 0.05; done']);
    assert.match(
      (await refusal(killContainer(site.connection, id, { signal: 'NOSUCH' }))).message,
      /invalid signal/i,
    );
    assert.equal((await killContainer(site.connection, id)).outcome, 'killed');
    await stopContainer(site.connection, id);
    assert.equal((await killContainer(site.connection, id)).outcome, 'alreadyStopped');
  });

  it('stops and restarts with an unlimited timeout', async () => {
    const id = await site.sleeper();
    const options = { timeoutSeconds: -1 };
    assert.equal((await restartContainer(site.connection, id, options)).outcome, 'restarted');
    assert.equal((await stopContainer(site.connection, id, options)).outcome, 'stopped');
  });

  it('is renamed, but not to a name that is in use', async () => {
    const id = await site.create(['true']);
    const other = site.name();
    await site.create(['true'], { name: other });
    const next = site.name();
    assert.equal((await renameContainer(site.connection, id, next)).outcome, 'renamed');
    assert.equal((await inspectContainer(site.connection, id)).name, next);
    const again = await renameContainer(site.connection, id, next);
    // Podman accepts the current name like any other.
    assert.equal(again.outcome, site.isPodman ? 'renamed' : 'alreadyNamed');
    const taken = await refusal(renameContainer(site.connection, id, other));
    assert.equal(taken.reason, 'conflict');
    assert.match(taken.message, /in use/);
    assert.equal((await inspectContainer(site.connection, id)).name, next);
  });

  it('is removed if stopped, with force if running, and reported as already gone the second time', async () => {
    const id = await site.sleeper();
    assert.match((await refusal(removeContainer(site.connection, id))).message, /running/);
    const { outcome } = await removeContainer(site.connection, id, { force: true });
    assert.equal(outcome, 'removed');
    assert.equal((await removeContainer(site.connection, id)).outcome, 'alreadyGone');
    assert.equal(
      (await removeContainer(site.connection, id, { force: true })).outcome,
      'alreadyGone',
    );
    const stopped = await site.create(['true']);
    assert.equal((await removeContainer(site.connection, stopped)).outcome, 'removed');
  });

  it('is not found by any operation if it does not exist', async () => {
    const nobody = 'f'.repeat(64);
    const { connection } = site;
    const asked = [
      inspectContainer(connection, nobody),
      startContainer(connection, nobody),
      stopContainer(connection, nobody),
      stopContainer(connection, nobody, { timeoutSeconds: 1 }),
      restartContainer(connection, nobody, { timeoutSeconds: 1 }),
      killContainer(connection, nobody),
      pauseContainer(connection, nobody),
      unpauseContainer(connection, nobody),
      renameContainer(connection, nobody, site.name()),
    ];
    for (const { reason } of await Promise.all(asked.map(refusal))) {
      assert.equal(reason, 'notFound');
    }
  });
});

describe('the container list of a real engine', () => {
  let site: Site;
  beforeEach(() => (site = new Site()));
  afterEach(() => site.leave());

  it('contains the running containers, or all', async () => {
    const running = await site.sleeper();
    const created = await site.create(['true']);
    const ids = async (all: boolean): Promise<string[]> =>
      (await listContainers(site.connection, { all })).map((one) => one.id);
    const some = await ids(false);
    assert.deepEqual([some.includes(running), some.includes(created)], [true, false]);
    const all = await ids(true);
    assert.deepEqual([all.includes(running), all.includes(created)], [true, true]);
  });

  it('contains only the containers requested by ID, and is empty if none is requested', async () => {
    const made = [await site.create(['true']), await site.create(['true'])];
    await site.create(['true']);
    const list = async (ids: readonly string[]): Promise<string[]> =>
      (await listContainers(site.connection, { all: true, ids })).map((one) => one.id).sort();
    assert.deepEqual(await list(made), [...made].sort());
    assert.deepEqual(await list([made[0]!, 'f'.repeat(64)]), [made[0]]);
    assert.deepEqual(await list(['f'.repeat(64)]), []);
    assert.deepEqual(await list([]), []);
  });

  it('contains the properties of a container', async () => {
    const name = site.name();
    const id = await site.sleeper({
      name,
      body: {
        Labels: { a: 'ü' },
        ExposedPorts: { '80/tcp': {} },
        HostConfig: {
          NetworkMode: 'default',
          PortBindings: { '80/tcp': [{ HostIp: '127.0.0.1', HostPort: '' }] },
        },
      },
    });
    const [one] = await listContainers(site.connection, { ids: [id] });
    assert(one);
    assert.deepEqual([one.name, one.names, one.state], [name, [name], 'running']);
    assert.equal(one.labels['a'], 'ü');
    assert.match(one.image, /gantry-test\/busybox/);
    assert.match(one.imageId, /^sha256:[0-9a-f]{64}$/);
    assert.match(one.status, /^Up /);
    assert(Math.abs(Date.parse(one.createdAt) - Date.now()) < 600_000, one.createdAt);
    assert.match(one.command, /sleep 1000/);
    assert.equal(one.ports.length, 1);
    assert.deepEqual(
      [one.ports[0]?.ip, one.ports[0]?.privatePort, one.ports[0]?.protocol],
      ['127.0.0.1', 80, 'tcp'],
    );
    assert((one.ports[0]?.publicPort ?? 0) > 0);
  });

  const hasDied = async (id: string, since: string): Promise<void> => {
    const enough = new AbortController();
    const events = await followEvents(site.connection, { since }, enough.signal);
    for await (const event of events) {
      if (event.id === id && /^died?$/.test(event.action)) break;
    }
    enough.abort();
  };

  for (const code of [0, 1, 137]) {
    it(`reports exit code ${code} to a wait that began before its start, and shows it`, async () => {
      const since = await engineTime(site.connection);
      assert.ok(since !== undefined);
      const { id, end } = await site.runToEnd(['sh', '-c', `exit ${code}`]);
      assert.deepEqual(end, { exitCode: code });
      // Docker's list may lag behind a wait, but not behind the event.
      await hasDied(id, since);
      const [one] = await listContainers(site.connection, { all: true, ids: [id] });
      assert.deepEqual([one?.state, one?.exitCode], ['exited', code], one?.status);
      assert.match(one?.status ?? '', new RegExp(`^Exited \\(${code}\\) `));
      const details = await inspectContainer(site.connection, id);
      assert.deepEqual([details.exitCode, details.wasStarted], [code, true]);
    });
  }
});
