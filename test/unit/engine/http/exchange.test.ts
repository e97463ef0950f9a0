import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { createServer, type Socket } from 'node:net';
import { parseEndpoint } from '../../../../src/engine/http/endpoint.ts';
import { openConnection, type Connection } from '../../../../src/engine/http/connection.ts';
import type { FailureReason } from '../../../../src/engine/errors.ts';
import type { StreamReply, Upload } from '../../../../src/engine/http/engineRequest.ts';
import { requestOrigin } from '../../../../src/engine/http/pools.ts';
import { failure, openLab, settle, when, type Lab } from '../../support/lab.ts';
import { bytesOf } from '../../support/rawEngine.ts';

/** The clock of undici's own time limits, which have a resolution of a second. */
const undiciTimers = createRequire(import.meta.url)('undici/lib/util/timers.js') as {
  readonly tick: (milliseconds: number) => void;
};

const EMPTY = bytesOf('200 OK', { 'content-length': '2' }, '[]');
const GET = { method: 'GET', path: '/x' } as const;
const POST = { method: 'POST', path: '/x' } as const;

async function textOf({ body }: StreamReply): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('a request over a socket', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  it('names the host of the engine, with its port unless it is the default', () => {
    const hosts: [url: string, host: string][] = [
      ['unix:///run/engine.sock', 'localhost'],
      ['tcp://engine.example:2375', 'engine.example:2375'],
      ['tcp://engine.example:80', 'engine.example'],
      ['tcp://[::1]:2375', '[::1]:2375'],
    ];
    for (const [url, host] of hosts) {
      assert.equal(new URL(requestOrigin(parseEndpoint(url, 'setting'))).host, host);
    }
  });

  it('sends headers as Latin-1, also with a body', async () => {
    let head = '';
    const { connection } = await lab.raw((socket, text) => {
      head = text;
      socket.write(EMPTY);
    });
    await connection.send({ ...POST, body: { a: 'ü' }, headers: { 'x-name': 'Zoë' } });
    assert.match(head, /\r\nx-name: Zoë\r\n/);
    assert.match(head, /\r\nconnection: keep-alive(\r\n|$)/i);
  });

  it('has the headers that the user configured instead of ours', async () => {
    let head = '';
    const { engine } = await lab.raw((socket, text) => {
      head = text;
      socket.write(EMPTY);
    });
    const endpoint = parseEndpoint(engine.url, 'setting');
    const connection = openConnection({ ...endpoint, headers: { 'User-Agent': 'mine' } });
    await connection.send(POST);
    connection.dispose();
    assert.deepEqual(head.match(/^user-agent: .*$/gim), ['user-agent: mine']);
  });

  it('with invalid characters is not sent and does no harm', async () => {
    const { engine, connection } = await lab.raw((socket) => socket.write(EMPTY));
    // More than there are sockets.
    for (let count = 0; count < 7; count++) {
      await failure(connection.send({ method: 'POST', path: '/a b' }), 'unreachable');
    }
    const headers = { 'x-name': 'a\r\nx-other: b' };
    await failure(connection.send({ ...POST, headers }), 'unreachable');
    assert.equal((await connection.send(POST)).status, 200);
    assert.deepEqual(engine.seen, ['POST /v1.41/x']);
  });

  it('uses one socket again and again without a warning', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    const { engine, connection } = await lab.raw((socket) => socket.write(EMPTY));
    const upload: Upload = {
      type: 'application/x-tar',
      size: 1,
      async *open() {
        yield await Promise.resolve(Buffer.from('x'));
      },
    };
    for (let count = 0; count < 15; count++) {
      await connection.send(POST);
      await connection.send({ ...POST, upload });
    }
    await settle();
    process.off('warning', onWarning);
    assert.deepEqual([warnings, engine.accepted()], [[], 1]);
  });
});

describe('a response over a socket', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  /** Connects to an engine that sends these responses, the last of them again and again. */
  async function responding(
    ...responses: readonly string[]
  ): Promise<{ connection: Connection; accepted: () => number }> {
    const left = [...responses];
    const { engine, connection } = await lab.raw((socket) => {
      socket.write((left.length > 1 ? left.shift() : left[0]) ?? '', 'latin1');
    });
    return { connection, accepted: engine.accepted };
  }

  it('keeps all headers and all their values', async () => {
    const many = Array.from({ length: 1_200 }, (_, at) => `n${at}:1\r\n`).join('');
    const head = `HTTP/1.1 200 OK\r\n${many}X-Last: caf\xe9\r\nx-last: b\r\nSet-Cookie: a\r\nset-cookie: b\r\n`;
    const { connection } = await responding(`${head}content-length: 2\r\n\r\n[]`);
    const { headers } = await connection.send(GET);
    assert.equal(headers['x-last'], 'caf\xe9, b');
    assert.equal(headers['set-cookie'], 'a, b');
    assert.equal(headers['n1199'], '1');
  });

  it('with headers of more than 16 KiB is too large', async () => {
    const big = (size: number): string =>
      bytesOf('200 OK', { big: 'x'.repeat(size), 'content-length': '2' }, '[]');
    await (await responding(big(16_000))).connection.send(GET);
    await failure((await responding(big(17_000))).connection.send(GET), 'tooLarge');
  });

  it('to a slow reader is delivered up to the byte at which the connection broke', async () => {
    const piece = Buffer.concat([
      Buffer.from('400\r\n'),
      Buffer.alloc(1024, 'x'),
      Buffer.from('\r\n'),
    ]);
    // More than is queued, and less than it takes until the socket is paused.
    const count = 280;
    const { connection } = await lab.raw((socket) => {
      socket.write(bytesOf('200 OK', { 'transfer-encoding': 'chunked' }));
      socket.end(Buffer.concat(Array.from({ length: count }, () => piece)));
    });
    const reply = await connection.stream(GET);
    for (let turn = 0; turn < 100; turn++) await new Promise((done) => setImmediate(done));
    let size = 0;
    const reading = (async () => {
      for await (const chunk of reply.body) size += chunk.length;
    })();
    await failure(reading, 'cut');
    assert.equal(size, count * 1024);
  });

  it('to a HEAD has no body, and its socket is not used again', async () => {
    // undici does not trust a server to send no body.
    const response = bytesOf('200 OK', { 'content-length': '9000' });
    const { connection, accepted } = await responding(response, EMPTY);
    assert.equal((await connection.send({ method: 'HEAD', path: '/x' })).text, '');
    assert.equal((await connection.send(POST)).text, '[]');
    assert.equal(accepted(), 2);
  });

  for (const [what, response] of [
    ['status 204', bytesOf('204 No Content', {})],
    ['status 304', bytesOf('304 Not Modified', {})],
  ] as const) {
    it(`has no body for ${what}, and its socket is used again`, async () => {
      const { connection, accepted } = await responding(response, EMPTY);
      assert.equal((await connection.send(POST)).text, '');
      assert.equal((await connection.send(POST)).text, '[]');
      assert.equal(accepted(), 1);
    });
  }

  it('may have trailers', async () => {
    const chunks = '2\r\n[]\r\n0\r\nx-sum: 1\r\n\r\n';
    const { connection, accepted } = await responding(
      bytesOf('200 OK', { 'transfer-encoding': 'chunked', trailer: 'x-sum' }, chunks),
    );
    for (let count = 0; count < 2; count++) assert.equal((await connection.send(POST)).text, '[]');
    assert.equal(accepted(), 1);
  });

  it('may be followed by bytes that are not part of it: these are not taken for the next', async () => {
    for (const excess of ['rubbish', bytesOf('409 Conflict', { 'content-length': '0' })]) {
      const { connection, accepted } = await responding(EMPTY + excess, EMPTY);
      assert.equal((await connection.send(POST)).text, '[]');
      assert.equal((await connection.send(POST)).text, '[]');
      assert.equal(accepted(), 2);
    }
  });

  it('ends with the connection if it has no length', async () => {
    const { connection } = await lab.raw((socket) =>
      socket.end(bytesOf('200 OK', {}, 'all of it')),
    );
    assert.equal(await textOf(await connection.stream(GET)), 'all of it');
  });

  it('is cut if its chunks end too early, although the engine announced to close', async () => {
    const { connection } = await lab.raw((socket) => {
      const headers = { 'transfer-encoding': 'chunked', connection: 'close' };
      socket.end(bytesOf('200 OK', headers, '5\r\n[1'));
    });
    await failure(connection.send(POST), 'cut');
  });

  const CHUNKED = { 'transfer-encoding': 'chunked' };
  const refused: [what: string, response: string, reason: FailureReason][] = [
    ['another protocol', 'SSH-2.0-OpenSSH_9.7\r\n', 'notAnEngine'],
    ['HTTP/2', 'HTTP/2 200 OK\r\n\r\n', 'notAnEngine'],
    ['a lone line feed', 'HTTP/1.1 200 OK\r\na: b\nc: d\r\n\r\n', 'notAnEngine'],
    ['a folded header', 'HTTP/1.1 200 OK\r\na: b\r\n c: d\r\n\r\n', 'notAnEngine'],
    ['a negative length', bytesOf('200 OK', { 'content-length': '-1' }), 'notAnEngine'],
    [
      'two lengths',
      bytesOf('200 OK', { 'content-length': '1', 'Content-Length': '2' }, 'xy'),
      'cut',
    ],
    ['a length and chunks', bytesOf('200 OK', { 'content-length': '1', ...CHUNKED }), 'cut'],
    ['an odd chunk size', bytesOf('200 OK', CHUNKED, '5g\r\n'), 'notAnEngine'],
    ['a chunk that is too long', bytesOf('200 OK', CHUNKED, '1\r\nxy'), 'notAnEngine'],
    ['long trailers', bytesOf('200 OK', CHUNKED, `0\r\n${'a: b\r\n'.repeat(9_000)}`), 'tooLarge'],
  ];
  for (const [what, response, reason] of refused) {
    it(`with ${what} is refused, and its socket is not used again`, async () => {
      const { connection, accepted } = await responding(response, EMPTY);
      await failure(connection.send(POST), reason);
      assert.equal((await connection.send(POST)).text, '[]');
      assert.equal(accepted(), 2);
    });
  }

  it('may take any time, also between two parts of its body', async () => {
    const { engine, connection } = await lab.raw(() => undefined);
    const sockets: Socket[] = [];
    const { connection: slow } = await lab.raw((socket) => {
      sockets.push(socket);
      socket.write(bytesOf('200 OK', CHUNKED, '1\r\na\r\n'));
    });
    const waiting = connection.send({ ...POST, limitMs: 0 });
    const body = (await slow.stream(GET)).body[Symbol.asyncIterator]();
    await body.next();
    await when(() => engine.seen.length === 1);
    // More than the 300 s after which undici gives up, unless it is told not to.
    for (let second = 0; second < 400; second++) undiciTimers.tick(1_000);
    await settle();
    sockets[0]?.write('1\r\nb\r\n');
    assert.deepEqual((await body.next()).value, Buffer.from('b'));
    assert.deepEqual(
      lab.records.map(({ outcome }) => outcome),
      [200, 200, 200],
    );
    connection.dispose();
    await failure(waiting, 'cut');
  });

  it('closes its socket if the engine allows no idle time', async () => {
    const headers = { 'content-length': '2', 'keep-alive': 'max=9, timeout=2' };
    const { connection, accepted } = await responding(bytesOf('200 OK', headers, '[]'));
    for (let count = 0; count < 2; count++) await connection.send(POST);
    assert.equal(accepted(), 2);
  });

  for (const [what, response] of [
    ['nobody requested', bytesOf('101 UPGRADED', { connection: 'Upgrade', upgrade: 'tcp' })],
    ['names no protocol', bytesOf('101 UPGRADED', {})],
  ] as const) {
    it(`is cut if it is an upgrade that ${what}`, async () => {
      const { connection } = await responding(response);
      await failure(connection.send(POST), 'cut');
    });
  }

  it('to an upgrade that is not one closes its socket', async () => {
    const { connection, accepted } = await responding(
      bytesOf('404 Not Found', { 'content-length': '0' }),
      EMPTY,
    );
    const streams = accepted;
    await failure(connection.upgrade(POST), 'notFound');
    const { body } = await connection.stream(POST);
    assert.equal(await textOf({ status: 200, headers: {}, body }), '[]');
    assert.equal(streams(), 3);
  });

  it('closes its socket if the engine announces to close it', async () => {
    const headers = { 'content-length': '2', connection: 'close' };
    const { connection, accepted } = await responding(bytesOf('200 OK', headers, '[]'));
    for (let count = 0; count < 2; count++) await connection.send(POST);
    assert.equal(accepted(), 2);
  });

  it('that comes before the end of the request closes the socket', async () => {
    const { engine, connection } = await lab.raw((socket) => {
      const headers = { 'content-length': '0', 'keep-alive': 'timeout=600' };
      socket.write(bytesOf('409 Conflict', headers));
    });
    let isClosed = false;
    const upload: Upload = {
      type: 'application/x-tar',
      async *open() {
        try {
          for (;;) {
            await new Promise<void>((resolve) => void setImmediate(resolve));
            yield Buffer.from('x');
          }
        } finally {
          isClosed = true;
        }
      },
    };
    await connection.info();
    await failure(connection.send({ ...POST, upload, limitMs: 0 }), 'conflict');
    await when(() => isClosed);
    await failure(connection.send({ ...POST, limitMs: 0 }), 'conflict');
    assert.equal(engine.accepted(), 3);
  });

  it('is TLS if it is an alert over plain TCP', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.once('data', () => socket.end(Buffer.from([0x15, 3, 1, 0, 2, 2, 0x46])));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await failure(lab.connect(`tcp://127.0.0.1:${port}`).info(), 'tlsNeeded');
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});
