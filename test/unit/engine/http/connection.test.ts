import assert from 'node:assert/strict';
import type { Reply } from '../../../../src/engine/http/engineRequest.ts';
import { readBody } from '../../../../src/engine/http/readReply.ts';
import { json } from '../../support/fakeEngine.ts';
import { failure, openLab, type Lab } from '../../support/lab.ts';
import { bytesOf } from '../../support/rawEngine.ts';

describe('engine/connection: a request', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  it('carries the negotiated version, its query encoded, and our name', async () => {
    const { engine, connection } = await lab.fake((_, r) => {
      json(r, 200, {});
    });
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

  it('sends a body as JSON with its type, and none where there is none', async () => {
    const { engine, connection } = await lab.fake((_, r) => {
      json(r, 200, {});
    });
    await connection.send({ method: 'POST', path: '/with', body: { name: 'grüße' } });
    await connection.send({ method: 'POST', path: '/without' });
    const [first, second] = engine.seen;
    assert.equal(first?.headers['content-type'], 'application/json');
    assert.deepEqual(JSON.parse(first.body), { name: 'grüße' });
    assert.equal(second?.headers['content-type'], undefined);
    assert.equal(second?.headers['content-length'], '0');
  });

  it('carries the headers it was given', async () => {
    const { engine, connection } = await lab.fake((_, r) => {
      json(r, 200, {});
    });
    await connection.send({ method: 'GET', path: '/x', headers: { 'x-registry-auth': 'e30=' } });
    assert.equal(engine.seen[0]?.headers['x-registry-auth'], 'e30=');
  });

  it('survives half a surrogate pair in what somebody typed', async () => {
    const { engine, connection } = await lab.fake((_, r) => {
      json(r, 200, {});
    });
    await connection.send({ method: 'GET', path: '/x', query: { name: '\ud800' } });
    assert.equal(engine.seen[0]?.query.get('name'), '\ufffd');
  });

  it('keeps the status, the headers and the text of an answer', async () => {
    const { connection } = await lab.fake((_, response) => {
      response.writeHead(201, { 'X-Two': ['a', 'b'] }).end('grüße');
    });
    const reply = await connection.send({ method: 'GET', path: '/x' });
    assert.deepEqual([reply.status, reply.headers['x-two'], reply.text], [201, 'a, b', 'grüße']);
  });

  it('joins a character that two chunks share', async () => {
    const text = Buffer.from('"ü"');
    const { connection } = await lab.fake((_, response) => {
      response.write(text.subarray(0, 2));
      setImmediate(() => response.end(text.subarray(2)));
    });
    assert.equal((await connection.send({ method: 'GET', path: '/x' })).json(), 'ü');
  });

  it('skips informational answers', async () => {
    const { connection } = await lab.raw((socket) => {
      socket.write(bytesOf('102 Processing', {}));
      socket.write(bytesOf('200 OK', { 'content-length': '2' }, '{}'));
    });
    assert.equal((await connection.send({ method: 'GET', path: '/x' })).status, 200);
  });

  it('goes below the base path of a tcp address', async () => {
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

describe('engine/connection: an answer that says no', () => {
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
    it(`with status ${status} rejects as ${reason}, in the engine's own words`, async () => {
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

  it('is one for a stream, too', async () => {
    const { connection } = await lab.fake((_, r) => {
      json(r, 404, { message: 'gone' });
    });
    const error = await failure(connection.stream({ method: 'GET', path: '/x' }), 'notFound');
    assert.equal(error.engineMessage, 'gone');
  });

  it('takes the message of Podman, with cause and status beside it', async () => {
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

  it('takes the record of a failed push, which Podman sends in place of an error', async () => {
    const message = 'unable to retrieve auth token: authentication required';
    for (const body of [{ errorDetail: { message }, error: 'short' }, { error: `${message}\n` }]) {
      const { connection } = await lab.fake((_, r) => {
        json(r, 500, body);
      });
      const error = await failure(connection.send({ method: 'POST', path: '/x' }), 'failed');
      assert.equal(error.engineMessage, message);
    }
  });

  const odd: [what: string, type: string, body: string, message: string | undefined][] = [
    ['no body', 'application/json', '', undefined],
    ['half a JSON', 'application/json', '{"message":"No su', undefined],
    ['JSON without a message', 'application/json; charset=utf-8', '{"error":1}', undefined],
    ['a message that is no text', 'application/json', '{"message":{"a":1}}', undefined],
    ['JSON that is null', 'application/json', 'null', undefined],
    ['a page', 'text/html', '<head></head>', undefined],
    ['a page without its type', '', '<!DOCTYPE html><HTML>Bad gateway</HTML>', undefined],
    ['plain text', 'text/plain', ' page not found\n', 'page not found'],
  ];
  for (const [what, type, body, message] of odd) {
    it(`with ${what} has ${message === undefined ? 'no message' : 'that message'}`, async () => {
      const { connection } = await lab.fake((_, response) => {
        response.writeHead(500, type === '' ? {} : { 'content-type': type }).end(body);
      });
      const error = await failure(connection.send({ method: 'GET', path: '/x' }), 'failed');
      assert.equal(error.engineMessage, message);
      assert.notEqual(error.message, '');
    });
  }

  it('stays one where its explanation is cut', async () => {
    const { connection } = await lab.raw((socket) => {
      socket.end(bytesOf('409 Conflict', { 'content-length': '100' }, '{"message":'));
    });
    await failure(connection.send({ method: 'POST', path: '/x' }), 'conflict');
  });

  it('stays one where its explanation is past 1 MiB', async () => {
    const { connection } = await lab.fake((_, response) => {
      response.writeHead(500).end('x'.repeat(1024 * 1024 + 1));
    });
    const error = await failure(connection.send({ method: 'POST', path: '/x' }), 'failed');
    assert.equal(error.engineMessage, undefined);
  });

  for (const status of [301, 302, 307]) {
    it(`is what a ${status} is: a redirection is neither followed nor taken for success`, async () => {
      const { engine, connection } = await lab.fake((_, response) => {
        response.writeHead(status, { location: '/v1.41/elsewhere' }).end();
      });
      await failure(connection.send({ method: 'POST', path: '/x' }), 'badAnswer');
      assert.equal(engine.seen.length, 1);
    });
  }

  it('is not what a 304 is', async () => {
    const { connection } = await lab.fake((_, response) => {
      response.writeHead(304).end();
    });
    assert.equal((await connection.send({ method: 'POST', path: '/x' })).status, 304);
  });
});

describe('engine/connection: an answer that is none', () => {
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
    it(`rejects as badAnswer where JSON is asked for and ${body || 'nothing'} comes`, async () => {
      const reply = await jsonOf(body);
      const error = await failure(
        Promise.resolve(reply).then((one) => one.json()),
        'badAnswer',
      );
      assert.equal(error.status, 200);
      assert.equal(error.operation, 'GET /x');
    });
  }

  it('rejects as cut where the body ends too early, whatever its framing', async () => {
    for (const headers of [{ 'content-length': '100' }, { 'transfer-encoding': 'chunked' }]) {
      const { connection } = await lab.raw((socket) => {
        socket.end(bytesOf('200 OK', headers, '5\r\n[1,2,'));
      });
      await failure(connection.send({ method: 'GET', path: '/x' }), 'cut');
    }
  });

  it('rejects as notAnEngine where no HTTP comes', async () => {
    const { connection } = await lab.raw((socket) => socket.end('SSH-2.0-OpenSSH_9.7\r\n'));
    await failure(connection.send({ method: 'GET', path: '/x' }), 'notAnEngine');
  });

  it('rejects as tooLarge past the limit, and leaves the rest unread', async () => {
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

  it('rejects as timeout past its own limit, and frees the connection', async () => {
    const heard = Promise.withResolvers<undefined>();
    const { connection } = await lab.raw(() => {
      heard.resolve(undefined);
    });
    // Which version it speaks is asked within the limit, too, and takes longer than that on a busy machine.
    await connection.renew();
    const error = await failure(
      connection.send({ method: 'POST', path: '/x', limitMs: 20 }),
      'timeout',
    );
    assert.equal(error.limitSeconds, 0.02);
    await heard.promise;
  });

  it('rejects as timeout where the body stalls', async () => {
    const { connection } = await lab.fake((_, response) => {
      response.writeHead(200).write('[');
    });
    await failure(connection.send({ method: 'GET', path: '/x', limitMs: 50 }), 'timeout');
  });

  it('keeps a limit that is too long for a timer', async () => {
    const { connection } = await lab.fake((_, response) => {
      setImmediate(() => {
        setImmediate(() => response.writeHead(204).end());
      });
    });
    const limitMs = 40 * 24 * 3600 * 1000;
    assert.equal((await connection.send({ method: 'POST', path: '/x', limitMs })).status, 204);
  });
});

async function* one(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(chunk);
}
