import assert from 'node:assert/strict';
import { inspectContainer, listContainers } from '../../src/engine/containers/containers.ts';
import {
  removeContainer,
  startContainer,
  stopContainer,
} from '../../src/engine/containers/containerLifecycle.ts';
import { waitForContainer } from '../../src/engine/containers/waitForContainer.ts';
import { readLastLine } from '../../src/engine/logs/readLastLine.ts';
import { failedWith } from '../../src/engine/errors.ts';
import type { EngineEvent } from '../../src/engine/model.ts';
import { waitForRemoval } from '../../src/engine/containers/waitForContainer.ts';
import { engineTime, followEvents } from '../../src/engine/system/system.ts';
import { refusal, Site } from './support.ts';

describe('a wait on a real engine', () => {
  let site: Site;
  beforeEach(() => (site = new Site()));
  afterEach(() => site.leave());

  it('for a stopped container resolves immediately to its last exit code', async () => {
    const { id } = await site.runToEnd(['sh', '-c', 'exit 5']);
    const { exit } = await waitForContainer(site.connection, id, 'not-running');
    assert.equal((await exit).exitCode, 5);
  });

  it('allows reading the last line of output, without empty lines', async () => {
    const script = 'echo first; echo "no such file: a.txt"; echo; echo "  "; exit 3';
    const { id } = await site.runToEnd(['sh', '-c', script]);
    const { signal } = new AbortController();
    assert.equal(await readLastLine(site.connection, id, false, signal), 'no such file: a.txt');
    const { id: silent } = await site.runToEnd(['true']);
    assert.equal(await readLastLine(site.connection, silent, false, signal), undefined);
  });

  it('for a running container ends with its exit', async () => {
    const id = await site.sleeper();
    const { exit } = await waitForContainer(site.connection, id, 'not-running');
    await stopContainer(site.connection, id);
    assert.equal((await exit).exitCode, 137);
  });

  it('ends for each of several waits', async () => {
    const id = await site.create(['sh', '-c', 'exit 4']);
    const waits = await Promise.all(
      Array.from({ length: 5 }, () => waitForContainer(site.connection, id, 'next-exit')),
    );
    await startContainer(site.connection, id);
    const ends = await Promise.all(waits.map(({ exit }) => exit));
    assert.deepEqual(
      ends.map((end) => end.exitCode),
      [4, 4, 4, 4, 4],
    );
  });

  it('for the removal of an auto-removed container returns its exit code', async () => {
    const id = await site.create(['sh', '-c', 'exit 6'], {
      body: { HostConfig: { AutoRemove: true } },
    });
    const { exit } = await waitForRemoval(site.connection, id);
    await startContainer(site.connection, id);
    assert.equal((await exit).exitCode, 6);
    assert.deepEqual(await listContainers(site.connection, { all: true, ids: [id] }), []);
    assert.equal(
      (await refusal(waitForContainer(site.connection, id, 'removed'))).reason,
      'notFound',
    );
  });

  it('for a missing container is rejected immediately', async () => {
    const wait = waitForContainer(site.connection, 'f'.repeat(64), 'not-running');
    assert.equal((await refusal(wait)).reason, 'notFound');
  });

  it('ends immediately when canceled, and the container keeps running', async () => {
    const id = await site.sleeper();
    const controller = new AbortController();
    const { exit } = await waitForContainer(site.connection, id, 'not-running', controller.signal);
    const why = new Error('enough');
    controller.abort(why);
    await assert.rejects(exit, why);
    assert.equal((await inspectContainer(site.connection, id)).state, 'running');
  });
});

describe('a container with a missing command, on a real engine', () => {
  let site: Site;
  beforeEach(() => (site = new Site()));
  afterEach(() => site.leave());
  const missing = ['/no/such/command'];

  it("does not start, and the engine's message is reported", async () => {
    const id = await site.create(missing);
    const error = await refusal(startContainer(site.connection, id));
    assert.match(error.message, /\/no\/such\/command/);
    assert.match(error.message, /no such file|not found/i);
    const details = await inspectContainer(site.connection, id);
    assert.deepEqual([details.isRunning, details.wasStarted], [false, false], details.startedAt);
  });

  it('leaves no wait hanging after it is aborted', async () => {
    const id = await site.create(missing);
    const controller = new AbortController();
    const { exit } = await waitForContainer(site.connection, id, 'next-exit', controller.signal);
    await refusal(startContainer(site.connection, id));
    controller.abort();
    // Some engines end the wait themselves before the abort.
    await exit.catch((error: unknown) => {
      assert((error as Error).name === 'AbortError', String(error));
    });
  });

  it('ends a wait for a stopped container, and can be removed', async () => {
    const id = await site.create(missing);
    await refusal(startContainer(site.connection, id));
    const { exit } = await waitForContainer(site.connection, id, 'not-running');
    const end = await exit;
    if (!site.isPodman) assert.equal(end.exitCode, 127);
    assert.equal((await removeContainer(site.connection, id)).outcome, 'removed');
  });

  it('is removed automatically if requested, and a wait for the removal ends', async () => {
    const id = await site.create(missing, { body: { HostConfig: { AutoRemove: true } } });
    const controller = new AbortController();
    const { exit } = await waitForContainer(site.connection, id, 'removed', controller.signal);
    await refusal(startContainer(site.connection, id));
    // Podman keeps the container: it only removes automatically what has run.
    if (site.isPodman) await removeContainer(site.connection, id, { force: true });
    await exit;
    assert.deepEqual(await listContainers(site.connection, { all: true, ids: [id] }), []);
  });
});

describe('the events of a real engine', () => {
  let site: Site;
  beforeEach(() => (site = new Site()));
  afterEach(() => site.leave());

  /** Resolves to the actions on one container up to `last`. */
  const actions = async (
    events: AsyncIterable<EngineEvent>,
    id: string,
    last: readonly string[],
  ): Promise<string[]> => {
    const seen: string[] = [];
    for await (const event of events) {
      if (event.id !== id) continue;
      assert.equal(event.type, 'container');
      seen.push(event.action);
      if (last.includes(event.action)) break;
    }
    return seen;
  };

  it('report a container from its creation to its removal', async () => {
    const controller = new AbortController();
    // Docker may respond before it subscribes to the events.
    const since = await engineTime(site.connection);
    const events = await followEvents(site.connection, { since }, controller.signal);
    const { id } = await site.runToEnd(['true']);
    await removeContainer(site.connection, id);
    const seen = await actions(events, id, ['destroy', 'remove']);
    for (const action of ['create', 'start']) assert(seen.includes(action), seen.join());
    assert(
      seen.some((action) => action === 'die' || action === 'died'),
      seen.join(),
    );
    controller.abort();
  });

  it("are replayed since a time of the engine's clock", async () => {
    const since = await engineTime(site.connection);
    assert(since !== undefined && Math.abs(Number(since) * 1000 - Date.now()) < 600_000, since);
    const id = await site.create(['true']);
    const controller = new AbortController();
    const events = await followEvents(site.connection, { since }, controller.signal);
    assert.deepEqual(await actions(events, id, ['create']), ['create']);
    controller.abort();
  });

  it('end when aborted', async () => {
    const controller = new AbortController();
    const events = await followEvents(site.connection, {}, controller.signal);
    const over = (async () => {
      for await (const event of events) assert.notEqual(event.action, '');
    })();
    controller.abort();
    await assert.rejects(
      over,
      (error) => !failedWith(error) && (error as Error).name === 'AbortError',
    );
  });
});
