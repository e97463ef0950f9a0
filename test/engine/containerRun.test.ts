import assert from 'node:assert/strict';
import { statPath } from '../../src/engine/archive/archive.ts';
import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { inspectContainer } from '../../src/engine/containers/containers.ts';
import {
  killContainer,
  removeContainer,
  startContainer,
  stopContainer,
} from '../../src/engine/containers/containerLifecycle.ts';
import type { CreateArguments } from '../../src/engine/options/options.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { failedWith } from '../../src/engine/errors.ts';
import { sameEngineOnly } from '../../src/engine/http/sameEngineOnly.ts';
import type { Memento } from '../../src/base/lifetime.ts';
import { ContainerRun, NotStartedError } from '../../src/tasks/containerRun.ts';
import { PendingRemovals } from '../../src/tasks/pendingRemovals.ts';
import { until } from '../bed/until.ts';
import { SilenceProxy } from '../bed/silenceProxy.ts';
import { itOnDocker, refusal, Site, type Wishes } from './support.ts';

describe('running a container to its end, on a real engine', () => {
  let site: Site;
  beforeEach(() => (site = new Site()));
  afterEach(() => site.leave());

  async function make(
    command: readonly string[],
    wishes: Wishes = {},
    args: Partial<CreateArguments> = {},
    connection = site.connection,
  ): Promise<{ readonly id: string; readonly run: ContainerRun; readonly text: () => string }> {
    const id = await site.create(command, wishes);
    let text = '';
    const write = (more: string): Promise<void> => {
      text += more;
      return Promise.resolve();
    };
    const whole = { image: site.facts.image, ...args };
    const connect = (): Promise<Connection> => Promise.resolve(connection);
    const run = new ContainerRun({ connect, id, args: whole, write });
    return { id, run, text: () => text };
  }

  it('reports the exit code and all output, from the first byte to the last', async () => {
    const count = 20_000;
    const script = `echo first; seq ${count}; echo last >&2; exit 3`;
    const { run, text } = await make(['sh', '-c', script]);
    const end = await run.toEnd();
    assert.deepEqual([end.exitCode, end.wasOutOfMemory], [3, false]);
    assert.ok(Date.parse(end.finishedAt) > 0 && Date.parse(end.startedAt) > 0);
    // Engines do not preserve the order between stdout and stderr: one may arrive in the middle of a line of
    // the other.
    const [before, after, ...more] = text().split('last\r\n');
    assert.deepEqual(more, []);
    const numbers = Array.from({ length: count }, (_, index) => `${index + 1}\r\n`);
    assert.equal(`${before}${after}`, `first\r\n${numbers.join('')}`);
  });

  it('reports the exit code and the output of a container that exits within milliseconds', async () => {
    const { run, text } = await make(['sh', '-c', 'echo 2; exit 2']);
    assert.equal((await run.toEnd()).exitCode, 2);
    assert.equal(text(), '2\r\n');
  });

  it('sends input to the container', async () => {
    const wishes = { body: { OpenStdin: true, StdinOnce: true } };
    const { run, text } = await make(['sh', '-c', 'read a; echo "<$a>"'], wishes, {
      openStdin: true,
    });
    const ending = run.toEnd();
    await run.whenUp;
    // Only once: for input after the exit, Podman writes an error into the output.
    await run.input(Buffer.from('hello\n'));
    assert.equal((await ending).exitCode, 0);
    assert.equal(text(), '<hello>\r\n');
  });

  it('stops the container on request, and reports the exit code', async () => {
    const script = 'trap "echo bye; exit 7" TERM; echo ready; while :; do sleep 0.1; done';
    const { run, text } = await make(['sh', '-c', script], { body: { StopSignal: 'SIGTERM' } });
    const ending = run.toEnd();
    await until(() => Promise.resolve(text().includes('ready')), 'the container has set its trap');
    await run.stop();
    assert.equal((await ending).exitCode, 7);
    assert.match(text(), /bye\r\n$/);
  });

  it('reports why the container does not start, and can still remove it', async () => {
    const { id, run } = await make(['/no/such/program']);
    const error: unknown = await run.toEnd().catch((thrown: unknown) => thrown);
    assert(error instanceof NotStartedError, String(error));
    assert.ok(error.exitCode >= 125 && error.exitCode <= 128, String(error.exitCode));
    assert.match(String(error.cause), /\/no\/such\/program/);
    await run.remove();
    const gone: unknown = await inspectContainer(site.connection, id).catch(
      (thrown: unknown) => thrown,
    );
    assert.ok(failedWith(gone, 'notFound'));
  });

  it('survives a proxy that closes idle connections, and removes the exited container', async () => {
    const proxy = await SilenceProxy.start(socketOf(site.facts.socket), 1000);
    const connection = openConnection(parseEndpoint(proxy.url, 'setting'));
    try {
      const script = 'trap "exit 6" USR1; sleep 4; while :; do echo tick; sleep 0.2; done';
      const { id, run, text } = await make(['sh', '-c', script], {}, {}, connection);
      const ending = run.toEnd();
      await until(
        () => Promise.resolve(text() !== ''),
        'output arrives after the container is attached again',
      );
      await killContainer(site.connection, id, { signal: 'SIGUSR1' });
      assert.equal((await ending).exitCode, 6);
      assert.match(text(), /^(tick\r\n)+$/);
      assert.ok(proxy.closed >= 2, String(proxy.closed));
      await run.remove();
      assert.equal((await refusal(inspectContainer(site.connection, id))).reason, 'notFound');
    } finally {
      connection.dispose();
      await proxy.stop();
    }
  });

  it('does not remove a running container', async () => {
    const { id, run, text } = await make(['sh', '-c', 'echo up; sleep 1000']);
    const ending = run.toEnd();
    await until(() => Promise.resolve(text() !== ''), 'the first output arrives');
    await refusal(run.remove());
    assert.equal((await inspectContainer(site.connection, id)).isRunning, true);
    await run.stop();
    await ending;
    await run.remove();
    assert.equal((await refusal(inspectContainer(site.connection, id))).reason, 'notFound');
  });

  itOnDocker(
    'ends if another engine address is in use, and leaves the container alone',
    async () => {
      const proxy = await SilenceProxy.start(socketOf(site.facts.socket), 60_000);
      const first = openConnection(parseEndpoint(proxy.url, 'setting'));
      try {
        let inUse = first;
        const id = await site.create(['sh', '-c', 'echo up; sleep 1000']);
        let text = '';
        const run = new ContainerRun({
          connect: sameEngineOnly(first, () => Promise.resolve(inUse)),
          ...{ id, args: { image: site.facts.image } },
          write: (more) => Promise.resolve(void (text += more)),
        });
        const ending = run.toEnd();
        await run.whenUp;
        await until(() => Promise.resolve(text !== ''), 'the first output arrives');
        inUse = site.connection;
        first.dispose();
        const error: unknown = await ending.catch((thrown: unknown) => thrown);
        assert.ok(failedWith(error, 'engineReplaced'), String(error));
        assert.equal(await run.look(), 'unknown');
        assert.equal((await inspectContainer(site.connection, id)).isRunning, true);
      } finally {
        first.dispose();
        await proxy.stop();
      }
    },
  );

  it('ends if the container is removed from outside, and reports it as gone', async () => {
    const { id, run, text } = await make(['sh', '-c', 'echo up; sleep 1000']);
    const ending = run.toEnd();
    await until(() => Promise.resolve(text() !== ''), 'the first output arrives');
    assert.equal(await run.look(), 'running');
    await removeContainer(site.connection, id, { force: true });
    // Engines report either the exit, or that there is no such container.
    await ending.catch(() => undefined);
    assert.equal(await run.look(), 'gone');
  });

  it('lets the next window remove the container after its exit, without stopping it', async () => {
    const memory = newMemory();
    const connect = (): Promise<Connection> => Promise.resolve(site.connection);
    const script = 'trap "exit 0" TERM; touch /ready; while :; do sleep 0.1; done';
    const id = await site.create(['sh', '-c', script], { body: { StopSignal: 'SIGTERM' } });
    const removals = new PendingRemovals(memory);
    await removals.add(site.connection, id, true);
    await startContainer(site.connection, id);
    await removals.recordStart(connect, id);
    const next = new PendingRemovals(memory);
    const sweep = (): Promise<void> => next.sweep(site.connection.endpoint.url, connect);
    await sweep();
    assert.equal((await inspectContainer(site.connection, id)).isRunning, true);
    // SIGTERM before the trap is set would kill the container.
    const isReady = (): Promise<boolean> =>
      statPath(site.connection, id, '/ready').then(
        () => true,
        () => false,
      );
    await until(isReady, 'the container has set its trap');
    await stopContainer(site.connection, id);
    await until(async () => {
      await sweep();
      return !next.hasLeft;
    }, 'the container is removed');
    assert.equal((await refusal(inspectContainer(site.connection, id))).reason, 'notFound');
  });
});

/** Returns the path of a socket that is given as a path or as a `unix://` URL. */
function socketOf(socket: string): string {
  return socket.replace(/^unix:\/\//, '');
}

/** A stand-in for VS Code's storage that persists across windows. */
function newMemory(): Memento {
  let kept: unknown;
  return {
    get: () => kept,
    update: (_key, value) => {
      kept = structuredClone(value);
      return Promise.resolve();
    },
  };
}
