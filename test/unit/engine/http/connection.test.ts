import assert from 'node:assert/strict';
import { parseEndpoint } from '../../../../src/engine/http/endpoint.ts';
import { openConnection } from '../../../../src/engine/http/connection.ts';
import type { Reply } from '../../../../src/engine/http/engineRequest.ts';
import { readBody } from '../../../../src/engine/http/readReply.ts';
import { json } from '../../support/fakeEngine.ts';
import { failure, openLab, when, type Lab } from '../../support/lab.ts';
import { bytesOf } from '../../support/rawEngine.ts';

describe('a request', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  it('has the negotiated version, an encoded query and our user agent', async () => {
    const { engine, connection } = await lab.fake((_, r) => json(r, 200, {}));
    await connection.send({
      method: 'GET',
      path: '/x',
      query: { a: 'ü &=?#', n: -1, yes: true, no: false, none: undefined, many: ['p', 'q'] },
    });
    const [seen] = engine.seen;
    assert.equal(seen?.version, '1.41');
    assert.deepEqual(
      [...seen.query],
      [
        ['a', 'ü &=?#'],
        ['n', '-1'],
        ['yes', '1'],
        ['no', '0'],
        ['many', 'p'],
        ['many', 'q'],
      ],
    );
    assert.equal(seen.headers['user-agent'], 'Gantry');
    assert.equal(seen.headers.host, 'localhost');
  });

  it('sends a body as JSON with its type, and no type without a body', async () => {
    const { engine, connection } = await lab.fake((_, r) => json(r, 200, {}));
    await connection.send({ method: 'POST', path: '/with', body: { name: 'grüße' } });
    await connection.send({ method: 'POST', path: '/without' });
    const [first, second] = engine.seen;
    assert.equal(first?.headers['content-type'], 'application/json');
    assert.deepEqual(JSON.parse(first.body), { name: 'grüße' });
    assert.equal(second?.headers['content-type'], undefined);
    assert.equal(second?.headers['content-length'], '0');
  });

  it('sends the given headers', async () => {
    const { engine, connection } = await lab.fake((_, r) => json(r, 200, {}));
    await connection.send({ method: 'GET', path: '/x', headers: { 'x-registry-auth': 'e30=' } });
    assert.equal(engine.seen[0]?.headers['x-registry-auth'], 'e30=');
  });

  it('replaces a lone surrogate in the query', async () => {
    const { engine, connection } = await lab.fake((_, r) => json(r, 200, {}));
    await connection.send({ method: 'GET', path: '/x', query: { name: '\ud800' } });
    assert.equal(engine.seen[0]?.query.get('name'), '\ufffd');
  });

  it('returns status, headers and text of the response', async () => {
    const { connection } = await lab.fake((_, response) => {
      response.writeHead(201, { 'X-Two': ['a', 'b'] }).end('grüße');
    });
    const reply = await connection.send({ method: 'GET', path: '/x' });
    assert.deepEqual([reply.status, reply.headers['x-two'], reply.text], [201, 'a, b', 'grüße']);
  });

  it('decodes a character that is split over two chunks', async () => {
    const text = Buffer.from('"ü"');
    const { connection } = await lab.fake((_, response) => {
      response.write(text.subarray(0, 2));
      setImmediate(() => response.end(text.subarray(2)));
    });
    assert.equal((await connection.send({ method: 'GET', path: '/x' })).json(), 'ü');
  });

  it('skips informational responses', async () => {
    const { connection } = await lab.raw((socket) => {
      socket.write(bytesOf('102 Processing', {}));
      socket.write(bytesOf('200 OK', { 'content-length': '2' }, '{}'));
    });
    assert.equal((await connection.send({ method: 'GET', path: '/x' })).status, 200);
  });

  it('uses the base path of a tcp address', async () => {
    const { engine } = await lab.fake();
    const bridge = await import('node:http').then(({ createServer }) => createServer());
    const paths: (string | undefined)[] = [];
    bridge.on('request', (request, response) => {
      paths.push(request.url);
      response.setHeader('api-version', '1.41').end('OK');
    });
    await new Promise<void>((resolve) => bridge.listen(0, '127.0.0.1', resolve));
    const { port } = bridge.address() as { port: number };
    const connection = lab.connect(`tcp://127.0.0.1:${port}/base/`);
    await connection.send({ method: 'GET', path: '/x' });
    bridge.close();
    assert.deepEqual(paths, ['/base/_ping', '/base/v1.41/x']);
    assert.equal(engine.seen.length, 0);
  });
});

describe('a response with an error status', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  const reasons = [
    [400, 'badRequest'],
    [401, 'unauthorized'],
    [403, 'failed'],
    [404, 'notFound'],
    [409, 'conflict'],
    [500, 'failed'],
    [503, 'failed'],
  ] as const;
  for (const [status, reason] of reasons) {
    it(`rejects with ${reason} and the message of the engine for status ${status}`, async () => {
      const { engine, connection } = await lab.fake((_, r) => {
        json(r, status, { message: 'No such <thing>: x\n' });
      });
      const error = await failure(connection.send({ method: 'POST', path: '/a/b' }), reason);
      assert.equal(error.engineMessage, 'No such <thing>: x');
      assert.equal(error.message, 'No such <thing>: x');
      assert.equal(error.status, status);
      assert.equal(error.endpoint, engine.url);
      assert.equal(error.operation, 'POST /a/b');
    });
  }

  it('rejects a stream, too', async () => {
    const { connection } = await lab.fake((_, r) => json(r, 404, { message: 'gone' }));
    const error = await failure(connection.stream({ method: 'GET', path: '/x' }), 'notFound');
    assert.equal(error.engineMessage, 'gone');
  });

  it('yields the message if Podman sends cause and status beside it', async () => {
    const { connection } = await lab.fake((_, r) => {
      json(r, 500, {
        cause: 'no such container',
        message: 'no container "x" found',
        response: 500,
      });
    });
    const error = await failure(connection.send({ method: 'GET', path: '/x' }), 'failed');
    assert.equal(error.engineMessage, 'no container "x" found');
  });

  it('yields the message of the stream record that Podman sends for a failed push', async () => {
    const message = 'unable to retrieve auth token: authentication required';
    for (const body of [{ errorDetail: { message }, error: 'short' }, { error: `${message}\n` }]) {
      const { connection } = await lab.fake((_, r) => json(r, 500, body));
      const error = await failure(connection.send({ method: 'POST', path: '/x' }), 'failed');
      assert.equal(error.engineMessage, message);
    }
  });

  const odd: [what: string, type: string, body: string, message: string | undefined][] = [
    ['empty', 'application/json', '', undefined],
    ['incomplete JSON', 'application/json', '{"message":"No su', undefined],
    ['JSON without a message', 'application/json; charset=utf-8', '{"error":1}', undefined],
    ['JSON whose message is not a string', 'application/json', '{"message":{"a":1}}', undefined],
    ['the JSON value null', 'application/json', 'null', undefined],
    ['an HTML page', 'text/html', '<head></head>', undefined],
    [
      'an HTML page without a content type',
      '',
      '<!DOCTYPE html><HTML>Bad gateway</HTML>',
      undefined,
    ],
    ['plain text', 'text/plain', ' page not found\n', 'page not found'],
  ];
  for (const [what, type, body, message] of odd) {
    it(`yields ${message === undefined ? 'no message' : 'the body as message'} if the body is ${what}`, async () => {
      const { connection } = await lab.fake((_, response) => {
        response.writeHead(500, type === '' ? {} : { 'content-type': type }).end(body);
      });
      const error = await failure(connection.send({ method: 'GET', path: '/x' }), 'failed');
      assert.equal(error.engineMessage, message);
      assert.notEqual(error.message, '');
    });
  }

  it('keeps its reason if the message is incomplete', async () => {
    const { connection } = await lab.raw((socket) => {
      socket.end(bytesOf('409 Conflict', { 'content-length': '100' }, '{"message":'));
    });
    await failure(connection.send({ method: 'POST', path: '/x' }), 'conflict');
  });

  it('keeps its reason if the message exceeds 1 MiB', async () => {
    const { connection } = await lab.fake((_, response) => {
      response.writeHead(500).end('x'.repeat(1024 * 1024 + 1));
    });
    const error = await failure(connection.send({ method: 'POST', path: '/x' }), 'failed');
    assert.equal(error.engineMessage, undefined);
  });

  for (const status of [301, 302, 307]) {
    it(`may be a redirect (${status}), which is neither followed nor taken for success`, async () => {
      const { engine, connection } = await lab.fake((_, response) => {
        response.writeHead(status, { location: '/v1.41/elsewhere' }).end();
      });
      await failure(connection.send({ method: 'POST', path: '/x' }), 'badAnswer');
      assert.equal(engine.seen.length, 1);
    });
  }

  it('does not have status 304, which is a success', async () => {
    const { connection } = await lab.fake((_, response) => {
      response.writeHead(304).end();
    });
    assert.equal((await connection.send({ method: 'POST', path: '/x' })).status, 304);
  });
});

describe('an invalid response', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  const jsonOf = async (body: string): Promise<Reply> => {
    const { connection } = await lab.fake((_, response) => {
      response.writeHead(200).end(body);
    });
    return connection.send({ method: 'GET', path: '/x' });
  };

  for (const body of ['', '{"half":', '<html></html>']) {
    it(`rejects with badAnswer if JSON is expected and the body is ${body || 'empty'}`, async () => {
      const reply = await jsonOf(body);
      const error = await failure(
        Promise.resolve(reply).then((one) => one.json()),
        'badAnswer',
      );
      assert.equal(error.status, 200);
      assert.equal(error.operation, 'GET /x');
    });
  }

  it('rejects with cut if the body ends too early, with any framing', async () => {
    const framings: Record<string, string>[] = [
      { 'content-length': '100' },
      { 'transfer-encoding': 'chunked' },
    ];
    for (const headers of framings) {
      const { connection } = await lab.raw((socket) => {
        socket.end(bytesOf('200 OK', headers, '5\r\n[1,2,'));
      });
      await failure(connection.send({ method: 'GET', path: '/x' }), 'cut');
    }
  });

  it('rejects with notAnEngine if it is not HTTP', async () => {
    const { connection } = await lab.raw((socket) => socket.end('SSH-2.0-OpenSSH_9.7\r\n'));
    await failure(connection.send({ method: 'GET', path: '/x' }), 'notAnEngine');
  });

  it('rejects with tooLarge past the limit and leaves the rest unread', async () => {
    let given = 0;
    let isLeft = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          given++;
          yield await Promise.resolve(Buffer.alloc(10));
        }
      } finally {
        isLeft = true;
      }
    }
    const where = { endpoint: 'unix:///x', operation: 'GET /x' };
    const error = await failure(readBody(endless(), 25, where), 'tooLarge');
    assert.deepEqual([given, isLeft, error.operation], [3, true, 'GET /x']);
    assert.equal((await readBody(one(Buffer.alloc(25)), 25, where)).length, 25);
  });

  it('rejects with timeout past its own limit and frees the connection', async () => {
    let isFreed = true;
    const { connection } = await lab.raw((socket) => {
      isFreed = false;
      socket.on('close', () => (isFreed = true));
    });
    // The version negotiation counts toward the limit, too, and takes longer than 20 ms on a busy machine.
    await connection.renew();
    const error = await failure(
      connection.send({ method: 'POST', path: '/x', limitMs: 20 }),
      'timeout',
    );
    assert.equal(error.limitSeconds, 0.02);
    await when(() => isFreed);
  });

  it('rejects with timeout if the engine does not respond to a ping in time', async () => {
    const { engine } = await lab.raw(
      () => undefined,
      () => undefined,
    );
    const limits = { callMs: 60_000, pingMs: 20 };
    const connection = openConnection(parseEndpoint(engine.url, 'setting'), { limits });
    const error = await failure(connection.send({ method: 'GET', path: '/x' }), 'timeout');
    connection.dispose();
    assert.equal(error.operation, 'GET /_ping');
    assert.equal(error.limitSeconds, 0.02);
  });

  it('rejects with timeout if the body stalls', async () => {
    const { connection } = await lab.fake((_, response) => {
      response.writeHead(200).write('[');
    });
    await failure(connection.send({ method: 'GET', path: '/x', limitMs: 50 }), 'timeout');
  });

  it('supports a limit that is too long for a timer', async () => {
    const { connection } = await lab.fake((_, response) => {
      setImmediate(() => setImmediate(() => response.writeHead(204).end()));
    });
    const limitMs = 40 * 24 * 3600 * 1000;
    assert.equal((await connection.send({ method: 'POST', path: '/x', limitMs })).status, 204);
  });
});

async function* one(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(chunk);
}
