import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { openConnection, type Connection } from '../../../../src/engine/http/connection.ts';
import { EngineError, failedWith } from '../../../../src/engine/errors.ts';
import { DialBridge } from '../../../../src/engine/ssh/dialBridge.ts';
import type { Program } from '../../../../src/base/program.ts';
import type { Tunnel } from '../../../../src/engine/http/tunnel.ts';
import { until } from '../../../bed/until.ts';
import { json, startFakeEngine, type FakeEngine } from '../../support/fakeEngine.ts';

const NOTHING = { retry: () => undefined, dispose: () => undefined };

describe('a connection through a tunnel', () => {
  let engine: FakeEngine;
  let connection: Connection;
  let outcomes: string[];

  beforeEach(async () => {
    engine = await startFakeEngine((_request, response) => json(response, 200, []));
    outcomes = [];
  });

  afterEach(async () => {
    connection.dispose();
    await engine.stop();
  });

  function through(open: Tunnel['open']): Connection {
    const enter: Tunnel['enter'] = async () => ({ path: await open(), leave: () => undefined });
    return over({ open, enter, isNarrow: false, ...NOTHING });
  }

  function over(tunnel: Tunnel): Connection {
    return openConnection(
      { url: 'ssh://nas', transport: { kind: 'ssh', host: 'nas' }, source: 'setting' },
      {
        openTunnel: () => tunnel,
        onRequest: ({ path, outcome }) => outcomes.push(`${path} ${outcome}`),
      },
    );
  }

  it('waits without a limit while the user answers ssh', async () => {
    const { promise: path, resolve: stand } = Promise.withResolvers<string>();
    connection = through(() => path);
    mock.timers.enable({ apis: ['setTimeout'] });
    const asked = connection.info();
    const sent = connection.send({ method: 'GET', path: '/containers/json' });
    try {
      mock.timers.tick(3_600_000);
    } finally {
      mock.timers.reset();
    }
    stand(engine.socket);
    await asked;
    await sent;
  });

  it('fails with the error of the tunnel, and logs it as one request', async () => {
    connection = through(() => Promise.reject(new EngineError('sshRefused')));
    await assert.rejects(connection.info(), (error) => failedWith(error, 'sshRefused'));
    assert.deepEqual(outcomes, ['/_ping sshRefused']);
  });

  it('fails with "cut" if the local socket of the tunnel is gone', async () => {
    connection = through(() => Promise.resolve(`${engine.socket}.gone`));
    await assert.rejects(connection.info(), (error) => failedWith(error, 'cut'));
  });

  it('stops waiting for the tunnel when the signal aborts', async () => {
    connection = through(
      (signal) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
        }),
    );
    const controller = new AbortController();
    const sent = connection.send({ method: 'GET', path: '/x', signal: controller.signal });
    controller.abort();
    await assert.rejects(sent, { name: 'AbortError' });
  });

  describe('with limited sessions', () => {
    let folder: string;
    let bridge: DialBridge;

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'gantry-few-'));
      bridge = new DialBridge(() => programTo(engine.socket), { most: 9 });
      const path = join(folder, 'b');
      await bridge.listen(path);
      connection = over({
        open: () => Promise.resolve(path),
        enter: async (lane) => {
          const leave = await bridge.enter(lane);
          if (!leave) throw new EngineError('sshFull');
          return { path, leave };
        },
        isNarrow: true,
        ...NOTHING,
      });
      engine.answer((request, response) => {
        if (request.path === '/stream') response.writeHead(200).flushHeaders();
        else if (request.path !== '/hangs') json(response, 200, []);
      });
    });

    afterEach(() => {
      bridge.dispose();
      rmSync(folder, { recursive: true, force: true });
    });

    const stream = (signal?: AbortSignal): Promise<unknown> =>
      connection.stream({ method: 'GET', path: '/stream', signal });

    it('reserves sessions for calls, long calls and events, however many streams are requested', async () => {
      const streams = await Promise.allSettled(Array.from({ length: 12 }, () => stream()));
      const refused = streams.filter((one) => one.status === 'rejected');
      assert.equal(refused.length, 8);
      assert(refused.every(({ reason }) => failedWith(reason, 'sshFull')));
      await connection.stream({ method: 'GET', path: '/stream', isVital: true });
      const post = { method: 'POST', path: '/x' } as const;
      await Promise.all(Array.from({ length: 5 }, () => connection.send(post)));
      await Promise.all(Array.from({ length: 5 }, () => connection.send({ ...post, limitMs: 0 })));
    });

    it('reserves a session for events and short calls, however many long calls hang', async () => {
      const hangs = { method: 'POST', path: '/hangs', limitMs: 0 } as const;
      for (let count = 0; count < 9; count++) connection.send(hangs).catch(() => undefined);
      await until(() => engine.seen.length === 3, 'as many long calls hang as there may be');
      await Promise.allSettled(Array.from({ length: 9 }, () => stream()));
      const events = { method: 'GET', path: '/stream', isVital: true } as const;
      await connection.stream(events);
      await Promise.all(
        Array.from({ length: 5 }, () => connection.send({ method: 'GET', path: '/x' })),
      );
    });

    it('never sends a long call that timed out while it waited for a session', async () => {
      const hanging = new AbortController();
      const hangs = { method: 'POST', path: '/hangs', limitMs: 0, signal: hanging.signal } as const;
      for (let count = 0; count < 3; count++) connection.send(hangs).catch(() => undefined);
      await until(() => engine.seen.length === 3, 'all long calls hang');
      const stop = { method: 'POST', path: '/containers/abc/stop', limitMs: 1 } as const;
      await assert.rejects(connection.send(stop), (error) => failedWith(error, 'timeout'));
      hanging.abort();
      await connection.send({ method: 'POST', path: '/x', limitMs: 0 });
      assert.deepEqual(
        engine.seen.map(({ path }) => path),
        ['/hangs', '/hangs', '/hangs', '/x'],
      );
    });

    it('opens another stream when one has ended', async () => {
      const end = new AbortController();
      await Promise.all(Array.from({ length: 4 }, () => stream(end.signal)));
      await assert.rejects(stream(), (error) => failedWith(error, 'sshFull'));
      end.abort();
      await until(async () => {
        await stream().catch(() => undefined);
        return outcomes.at(-1) === '/v1.41/stream 200';
      }, 'a stream is open');
    });

    it('never sends a call that was cancelled while it waited for a session', async () => {
      const hanging = new AbortController();
      const hangs = { method: 'GET', path: '/hangs', signal: hanging.signal } as const;
      for (let count = 0; count < 2; count++) connection.send(hangs).catch(() => undefined);
      await until(() => engine.seen.length === 2, 'both calls hang');
      const cancel = new AbortController();
      const post = { method: 'POST', path: '/containers/abc/stop', signal: cancel.signal } as const;
      const stopped = connection.send(post);
      cancel.abort();
      await assert.rejects(stopped, { name: 'AbortError' });
      hanging.abort();
      await connection.send({ method: 'GET', path: '/x' });
      assert.deepEqual(
        engine.seen.map(({ path }) => path),
        ['/hangs', '/hangs', '/x'],
      );
    });

    it('sends a ping while all calls hang', async () => {
      await connection.info();
      for (let count = 0; count < 2; count++) {
        connection.send({ method: 'GET', path: '/hangs' }).catch(() => undefined);
      }
      await until(() => engine.seen.length === 2, 'both calls hang');
      await connection.renew();
    });
  });
});

/** A fake ssh process whose STDIN and STDOUT are a connection to the engine. */
function programTo(socket: string): Program {
  const engine = connect({ path: socket, allowHalfOpen: true });
  engine.on('error', () => undefined);
  const ended = new Promise((resolve) => {
    engine.once('close', () => resolve({ code: 0, stderr: '' }));
  });
  const dispose = (): void => {
    engine.destroy();
  };
  return { stdin: engine, stdout: engine, ended, dispose } as unknown as Program;
}
