import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createWeb, type RequestListener } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { parseEndpoint, type Endpoint, type TlsMaterial } from '../../src/engine/http/endpoint.ts';
import { EngineError, type FailureReason } from '../../src/engine/errors.ts';
import { startEngineOf } from '../bed/engines.ts';
import { bed } from '../bed/env.ts';

describe('connecting to an address without an engine', function () {
  this.timeout(60_000);
  let folder: string;
  let open: (() => unknown)[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-ways-'));
    open = [];
  });
  afterEach(async () => {
    for (const end of open.reverse()) await end();
    rmSync(folder, { recursive: true });
  });

  async function fails(
    address: string,
    reason: FailureReason,
    tls?: TlsMaterial,
  ): Promise<EngineError> {
    const { transport, ...rest } = parseEndpoint(address, 'setting');
    const endpoint: Endpoint = { ...rest, transport: { ...transport, ...(tls && { tls }) } };
    const connection: Connection = openConnection(endpoint);
    open.push(() => connection.dispose());
    const error: unknown = await connection.info().then(
      () => assert.fail('an engine responded'),
      (thrown: unknown) => thrown,
    );
    assert(error instanceof EngineError, String(error));
    assert.equal(error.reason, reason, String(error.cause));
    assert.equal(error.endpoint, address);
    return error;
  }

  async function listen(server: Server): Promise<string> {
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    });
    const { port } = server.address() as { readonly port: number };
    return `tcp://127.0.0.1:${port}`;
  }

  it('reports an unknown host name, also over TLS', async () => {
    await fails('tcp://no-such-host.invalid:2375', 'hostUnknown');
    await fails('tcp://no-such-host.invalid:2376', 'hostUnknown', { verify: true });
  });

  it('reports connection refused for a closed port, also over TLS and by host name', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      await fails(`tcp://${host}:1`, 'refused');
      await fails(`tcp://${host}:1`, 'refused', { verify: true });
    }
  });

  it('reports connection refused for the socket of a killed engine', async () => {
    const engine = await startEngineOf(bed().kind);
    open.push(() => engine.stop());
    await engine.kill();
    await fails(engine.url, 'refused');
  });

  it('reports permission denied for the socket of a real engine', async () => {
    const program = join(import.meta.dirname, 'asNobody.ts');
    const asNobody = async (address: string): Promise<string> => {
      const { stdout } = await promisify(execFile)(process.execPath, [program, address]);
      return stdout;
    };
    assert.equal(await asNobody(bed().socket), 'permissionDenied');
  });

  it('reports permission denied for a socket in an accessible folder', async () => {
    const socket = join(folder, 'engine.sock');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    open.push(() => new Promise((resolve) => server.close(resolve)));
    chmodSync(folder, 0o755);
    chmodSync(socket, 0o600);
    const program = join(import.meta.dirname, 'asNobody.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [program, socket]);
    assert.equal(stdout, 'permissionDenied');
  });

  it('reports that a folder or a file is not a socket', async () => {
    writeFileSync(join(folder, 'file'), '');
    await fails(`unix://${folder}`, 'notASocket');
    await fails(`unix://${join(folder, 'file')}`, 'notASocket');
    await fails(`unix://${join(folder, 'none')}`, 'socketAbsent');
  });

  const pages: [what: string, answer: RequestListener][] = [
    ['an HTML page', (_, answer) => answer.setHeader('content-type', 'text/html').end('<p>Hi</p>')],
    ['a redirect', (_, answer) => answer.writeHead(302, { location: '/login' }).end()],
    ['status 502 (bad gateway)', (_, answer) => answer.writeHead(502).end('Bad Gateway')],
  ];
  for (const [what, answer] of pages) {
    it(`reports ${what} as a response of a proxy or a web server`, async () => {
      await fails(await listen(createWeb(answer)), 'proxyPage');
    });
  }

  it('reports that a server or a proxy requires a sign-in', async () => {
    for (const status of [401, 407])
      await fails(
        await listen(createWeb((_, answer) => answer.writeHead(status).end('<p>Sign in</p>'))),
        'signInNeeded',
      );
  });

  it('reports that a server of another protocol is not an engine', async () => {
    await fails(await listen(createServer((socket) => socket.end('SSH-2.0-x\r\n'))), 'notAnEngine');
    const other = createWeb((_, answer) => answer.writeHead(404).end('no such thing'));
    await fails(await listen(other), 'notAnEngine');
  });

  it('reports that TLS is required if the port responds with a TLS alert', async () => {
    const alert = Buffer.from([21, 3, 1, 0, 2, 2, 70]);
    const server = createServer((socket) => socket.once('data', () => socket.end(alert)));
    await fails(await listen(server), 'tlsNeeded');
  });

  it('reports that a plain HTTP port does not support TLS', async () => {
    const address = await listen(createWeb((_, answer) => answer.end('hi')));
    await fails(address, 'tlsNotSpoken', { verify: true });
    await fails(address, 'tlsNotSpoken', { verify: false });
  });

  it('reports a closed connection if the port closes all connections', async () => {
    const address = await listen(createServer((socket) => socket.destroy()));
    await fails(address, 'cut');
    await fails(address, 'cut', { verify: true });
  });
});
