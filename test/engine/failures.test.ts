import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createWeb, type RequestListener } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import {
  parseEndpoint,
  type Endpoint,
  type TlsMaterial,
} from '../../src/engine/discovery/endpoint.ts';
import { EngineError, type FailureReason } from '../../src/engine/errors.ts';
import { startEngineOf } from '../bed/engines.ts';
import { bed } from '../bed/env.ts';

describe('a way that leads to no engine', function () {
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
    open.push(() => {
      connection.dispose();
    });
    const error: unknown = await connection.info().then(
      () => assert.fail('an engine answered'),
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

  it('says that no machine has the name, over TLS too', async () => {
    await fails('tcp://no-such-host.invalid:2375', 'hostUnknown');
    await fails('tcp://no-such-host.invalid:2376', 'hostUnknown', { verify: true });
  });

  it('says refused of a port where nobody listens, over TLS and by name too', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      await fails(`tcp://${host}:1`, 'refused');
      await fails(`tcp://${host}:1`, 'refused', { verify: true });
    }
  });

  it('says refused of the socket that a killed engine left', async () => {
    const engine = await startEngineOf(bed().kind);
    open.push(() => engine.stop());
    await engine.kill();
    await fails(engine.url, 'refused');
  });

  it('says that the real engine’s socket may not be used by those without a right to it', async () => {
    const program = join(import.meta.dirname, 'asNobody.ts');
    const asNobody = async (address: string): Promise<string> => {
      const { stdout } = await promisify(execFile)(process.execPath, [program, address]);
      return stdout;
    };
    assert.equal(await asNobody(bed().socket), 'permissionDenied');
  });

  it('says permission denied of a socket in a folder all may enter', async () => {
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

  it('says of a folder and of a file that they are no socket', async () => {
    writeFileSync(join(folder, 'file'), '');
    await fails(`unix://${folder}`, 'notASocket');
    await fails(`unix://${join(folder, 'file')}`, 'notASocket');
    await fails(`unix://${join(folder, 'none')}`, 'socketAbsent');
  });

  const pages: [what: string, answer: RequestListener][] = [
    ['a page', (_, answer) => answer.setHeader('content-type', 'text/html').end('<p>Hi</p>')],
    ['a redirection', (_, answer) => answer.writeHead(302, { location: '/login' }).end()],
    ['a proxy that asks who it is', (_, answer) => answer.writeHead(407).end()],
    ['a gateway without anybody behind', (_, answer) => answer.writeHead(502).end('Bad Gateway')],
  ];
  for (const [what, answer] of pages) {
    it(`says that ${what} is a proxy’s or a web server’s`, async () => {
      await fails(await listen(createWeb(answer)), 'proxyPage');
    });
  }

  it('says that what speaks something else is no engine', async () => {
    await fails(await listen(createServer((socket) => socket.end('SSH-2.0-x\r\n'))), 'notAnEngine');
    const other = createWeb((_, answer) => answer.writeHead(404).end('no such thing'));
    await fails(await listen(other), 'notAnEngine');
  });

  it('says of a port that answers with an alert that it speaks only TLS', async () => {
    const alert = Buffer.from([21, 3, 1, 0, 2, 2, 70]);
    const server = createServer((socket) => socket.once('data', () => socket.end(alert)));
    await fails(await listen(server), 'tlsNeeded');
  });

  it('says of a web server’s plain port that it speaks no TLS', async () => {
    const address = await listen(createWeb((_, answer) => answer.end('hi')));
    await fails(address, 'tlsNotSpoken', { verify: true });
    await fails(address, 'tlsNotSpoken', { verify: false });
  });

  it('says of a port that hangs up on everybody that the connection was cut', async () => {
    const address = await listen(createServer((socket) => socket.destroy()));
    await fails(address, 'cut');
    await fails(address, 'cut', { verify: true });
  });
});
