import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { openConnection, type Connection } from '../../../src/engine/connection.ts';
import { EngineError, failedWith } from '../../../src/engine/errors.ts';
import type { Tunnel } from '../../../src/engine/tunnel.ts';
import { json, startFakeEngine, type FakeEngine } from '../support/fakeEngine.ts';

describe('a connection through a tunnel', () => {
  let engine: FakeEngine;
  let connection: Connection;
  let outcomes: string[];

  beforeEach(async () => {
    engine = await startFakeEngine((_request, response) => {
      json(response, 200, []);
    });
    outcomes = [];
  });

  afterEach(async () => {
    connection.dispose();
    await engine.stop();
  });

  function through(open: Tunnel['open']): Connection {
    const tunnel: Tunnel = { open, retry: () => undefined, dispose: () => undefined };
    return openConnection(
      { url: 'ssh://nas', transport: { kind: 'ssh', host: 'nas' }, source: 'setting' },
      {
        openTunnel: () => tunnel,
        onRequest: ({ path, outcome }) => outcomes.push(`${path} ${outcome}`),
      },
    );
  }

  it('has no limit while the person answers ssh', async () => {
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

  it('fails as the tunnel does, and that is one line of the request log', async () => {
    connection = through(() => Promise.reject(new EngineError('sshRefused')));
    await assert.rejects(connection.info(), (error) => failedWith(error, 'sshRefused'));
    assert.deepEqual(outcomes, ['/_ping sshRefused']);
  });

  it('was cut where our end of the tunnel is gone', async () => {
    connection = through(() => Promise.resolve(`${engine.socket}.gone`));
    await assert.rejects(connection.info(), (error) => failedWith(error, 'cut'));
  });

  it('ends a wait with its signal', async () => {
    connection = through(
      (signal) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => {
            reject(new DOMException('', 'AbortError'));
          });
        }),
    );
    const controller = new AbortController();
    const sent = connection.send({ method: 'GET', path: '/x', signal: controller.signal });
    controller.abort();
    await assert.rejects(sent, { name: 'AbortError' });
  });
});
