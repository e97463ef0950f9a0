import assert from 'node:assert/strict';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { listContainers } from '../../src/engine/containers/containers.ts';
import { stopContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { readLogs } from '../unit/support/readLogs.ts';
import { followEvents } from '../../src/engine/system/system.ts';
import { Site } from './support.ts';

/** Starts a TCP relay to the engine's socket. */
async function openPort(socket: string): Promise<Server> {
  const server = createServer((client) => {
    const engine = connect(socket);
    client.pipe(engine).pipe(client);
    for (const [one, other] of [
      [client, engine],
      [engine, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describe('an engine over plain TCP', () => {
  const site = new Site();
  let server: Server;
  let connection: Connection;

  before(async () => {
    server = await openPort(site.facts.socket);
    const { port } = server.address() as AddressInfo;
    connection = openConnection(parseEndpoint(`tcp://127.0.0.1:${port}`, 'setting'));
  });

  after(async () => {
    connection.dispose();
    await site.leave();
    server.close();
  });

  it('supports lists, operations, events and logs as over its socket', async () => {
    const controller = new AbortController();
    const events = await followEvents(connection, {}, controller.signal);
    const id = await site.run(['sh', '-c', 'echo over the wire; exec sleep 1000']);
    const listed = await listContainers(connection, { all: true, ids: [id] });
    assert.equal(listed[0]?.state, 'running');
    const following = { tail: 'all', follow: true } as const;
    for await (const batch of await readLogs(connection, id, following, controller.signal))
      if (batch.length > 0) break;
    assert.deepEqual(await stopContainer(connection, id, {}), { outcome: 'stopped' });
    for await (const event of events) if (event.id === id && event.action.startsWith('die')) break;
    const lines: string[] = [];
    const options = { tail: 'all', follow: false } as const;
    for await (const batch of await readLogs(connection, id, options, controller.signal)) {
      lines.push(...batch.map(({ text }) => text));
    }
    assert.deepEqual(lines, ['over the wire']);
    controller.abort();
  });
});
