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

  for (const code of [0, 1, 137]) {
    it(`for the next exit, begun before the start, tells ${code} of a container that is gone in milliseconds`, async () => {
      const { end } = await site.runToEnd(['sh', '-c', `exit ${code}`]);
      assert.deepEqual(end, { exitCode: code });
    });
  }

  it('for a container that does not run is over at once, with its last status', async () => {
    const { id } = await site.runToEnd(['sh', '-c', 'exit 5']);
    const { exit } = await waitForContainer(site.connection, id, 'not-running');
    assert.equal((await exit).exitCode, 5);
  });

  it('leaves what the program said last, before its empty lines, to be read', async () => {
    const script = 'echo first; echo "no such file: a.txt"; echo; echo "  "; exit 3';
    const { id } = await site.runToEnd(['sh', '-c', script]);
    const { signal } = new AbortController();
    assert.equal(await readLastLine(site.connection, id, false, signal), 'no such file: a.txt');
    const { id: silent } = await site.runToEnd(['true']);
    assert.equal(await readLastLine(site.connection, silent, false, signal), undefined);
  });

  it('for a container that runs ends with it', async () => {
    const id = await site.sleeper();
    const { exit } = await waitForContainer(site.connection, id, 'not-running');
    await stopContainer(site.connection, id);
    assert.equal((await exit).exitCode, 137);
  });

  it('of several ends for each of them', async () => {
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

  it('for the removal of one that removes itself tells its status, though it is gone', async () => {
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

  it('for a container that is nobody’s is refused at once', async () => {
    const wait = waitForContainer(site.connection, 'f'.repeat(64), 'not-running');
    assert.equal((await refusal(wait)).reason, 'notFound');
  });

  it('that is cancelled ends at once, and the container runs on', async () => {
    const id = await site.sleeper();
    const controller = new AbortController();
    const { exit } = await waitForContainer(site.connection, id, 'not-running', controller.signal);
    const why = new Error('enough');
    controller.abort(why);
    await assert.rejects(exit, why);
    assert.equal((await inspectContainer(site.connection, id)).state, 'running');
  });
});

describe('a container whose command does not exist, on a real engine', () => {
  let site: Site;
  beforeEach(() => (site = new Site()));
  afterEach(() => site.leave());
  const missing = ['/no/such/command'];

  it('does not start, in the engine’s words, and stays as it was', async () => {
    const id = await site.create(missing);
    const error = await refusal(startContainer(site.connection, id));
    assert.match(error.message, /\/no\/such\/command/);
    assert.match(error.message, /no such file|not found/i);
    const details = await inspectContainer(site.connection, id);
    assert.deepEqual([details.isRunning, details.wasStarted], [false, false], details.startedAt);
  });

  it('leaves no wait hanging that the one who began it gives up', async () => {
    const id = await site.create(missing);
    const controller = new AbortController();
    const { exit } = await waitForContainer(site.connection, id, 'next-exit', controller.signal);
    await refusal(startContainer(site.connection, id));
    controller.abort();
    // Some engines end the wait by themselves, before.
    await exit.catch((error: unknown) => {
      assert((error as Error).name === 'AbortError', String(error));
    });
  });

  it('ends a wait for it to be not running, and can be removed', async () => {
    const id = await site.create(missing);
    await refusal(startContainer(site.connection, id));
    const { exit } = await waitForContainer(site.connection, id, 'not-running');
    const end = await exit;
    if (!site.isPodman) assert.equal(end.exitCode, 127);
    assert.equal((await removeContainer(site.connection, id)).outcome, 'removed');
  });

  it('is removed by itself where it was to be, and a wait for that ends', async () => {
    const id = await site.create(missing, { body: { HostConfig: { AutoRemove: true } } });
    const controller = new AbortController();
    const { exit } = await waitForContainer(site.connection, id, 'removed', controller.signal);
    await refusal(startContainer(site.connection, id));
    // Podman keeps it: only the removal of what has run is its own.
    if (site.isPodman) await removeContainer(site.connection, id, { force: true });
    await exit;
    assert.deepEqual(await listContainers(site.connection, { all: true, ids: [id] }), []);
  });
});

describe('the events of a real engine', () => {
  let site: Site;
  beforeEach(() => (site = new Site()));
  afterEach(() => site.leave());

  /** The actions on one container up to `last`. */
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

  it('tell a container’s life from its creation to its removal', async () => {
    const controller = new AbortController();
    const events = await followEvents(site.connection, {}, controller.signal);
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

  it('are told again since a moment of the engine’s own clock', async () => {
    const since = await engineTime(site.connection);
    assert(since !== undefined && Math.abs(Number(since) * 1000 - Date.now()) < 600_000, since);
    const id = await site.create(['true']);
    const controller = new AbortController();
    const events = await followEvents(site.connection, { since }, controller.signal);
    assert.deepEqual(await actions(events, id, ['create']), ['create']);
    controller.abort();
  });

  it('end with the one who follows them', async () => {
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
