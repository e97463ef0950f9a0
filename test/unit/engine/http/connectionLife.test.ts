import assert from 'node:assert/strict';
import type { Connection } from '../../../../src/engine/http/connection.ts';
import type { StreamReply } from '../../../../src/engine/http/engineRequest.ts';
import { json, type Answer } from '../../support/fakeEngine.ts';
import { failure, openLab, settle, when, type Lab } from '../../support/lab.ts';
import { bytesOf } from '../../support/rawEngine.ts';

const GOOD = bytesOf('200 OK', { 'content-length': '2' }, '[]');

async function textOf(reply: StreamReply): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Sends only headers for `/stream…` and a complete response for any other path. */
const openStreams: Answer = (request, response) => {
  if (request.path.startsWith('/stream')) response.writeHead(200).flushHeaders();
  else json(response, 200, []);
};

describe('calls and streams', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  it('do not wait for each other: fifty open streams and waits do not block calls', async () => {
    const { connection } = await lab.fake(openStreams);
    await Promise.all(
      Array.from({ length: 50 }, () => connection.stream({ method: 'GET', path: '/stream' })),
    );
    await connection.send({ method: 'GET', path: '/x' });
    await connection.send({ method: 'POST', path: '/x', limitMs: 0 });
  });

  it('of any length do not block short calls: fifty pending calls without a limit', async () => {
    const { engine, connection } = await lab.fake((request, response) => {
      if (request.path === '/x') json(response, 200, []);
    });
    for (let count = 0; count < 50; count++) {
      connection.send({ method: 'POST', path: '/long', limitMs: 0 }).catch(() => undefined);
    }
    await connection.send({ method: 'GET', path: '/x' });
    await when(() => engine.seen.length === 51);
  });

  it('share connections if they are short', async () => {
    const { engine, connection } = await lab.raw((socket) => {
      setImmediate(() => socket.write(GOOD));
    });
    await Promise.all(
      Array.from({ length: 40 }, () => connection.send({ method: 'GET', path: '/x' })),
    );
    assert.equal(engine.seen.length, 40);
    assert(engine.open() <= 6, String(engine.open()));
  });

  it('deliver the chunks of a stream in order until its end', async () => {
    const { connection } = await lab.fake((_, response) => {
      for (let number = 0; number < 1000; number++) response.write(`${number},`);
      response.end();
    });
    const text = await textOf(await connection.stream({ method: 'GET', path: '/x' }));
    assert.equal(text, Array.from({ length: 1000 }, (_, number) => `${number},`).join(''));
  });

  it('report a broken stream after delivering what came before', async () => {
    const { engine, connection } = await lab.fake((_, response) => {
      response.writeHead(200).write('half');
    });
    const { body } = await connection.stream({ method: 'GET', path: '/x' });
    const chunks = body[Symbol.asyncIterator]();
    const first = await chunks.next();
    assert.equal(Buffer.from(first.value as Uint8Array).toString(), 'half');
    engine.cut();
    await failure(chunks.next(), 'cut');
    assert.equal((await chunks.next()).done, true);
  });

  it('hold a fast sender back while nothing is read, and lose nothing', async () => {
    const piece = Buffer.alloc(64 * 1024, 'x');
    const pieces = 320;
    let written = 0;
    const { connection } = await lab.fake((_, response) => {
      const more = (): void => {
        while (written < pieces) {
          written++;
          if (!response.write(piece)) {
            response.once('drain', more);
            return;
          }
        }
        response.end();
      };
      more();
    });
    const reply = await connection.stream({ method: 'GET', path: '/x' });
    // Enough turns for all of it to get through.
    for (let turn = 0; turn < 5000; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert(written < pieces / 4, `${written} of ${pieces} went out unread`);
    assert.equal((await textOf(reply)).length, pieces * piece.length);
  });

  it('free the connection of a stream whose reader leaves', async () => {
    const { engine, connection } = await lab.raw((socket) => {
      socket.write(bytesOf('200 OK', { 'transfer-encoding': 'chunked' }, '1\r\nx\r\n'));
    });
    const reply = await connection.stream({ method: 'GET', path: '/x' });
    // The connection of the ping stays.
    assert.equal(engine.open(), 2);
    for await (const chunk of reply.body) {
      assert.equal(Buffer.from(chunk).toString(), 'x');
      break;
    }
    await when(() => engine.open() === 1);
  });
});

describe('canceling a request', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());
  const why = new Error('enough');

  it('before it starts sends nothing and rejects with the reason', async () => {
    const { engine, connection } = await lab.fake(openStreams);
    const signal = AbortSignal.abort(why);
    const asked = { method: 'GET', path: '/x', signal } as const;
    await assert.rejects(connection.send(asked), why);
    await assert.rejects(connection.stream(asked), why);
    await assert.rejects(connection.info(signal), why);
    assert.equal(engine.seen.length, 0);
  });

  it('with a reason that is not an error rejects with an AbortError', async () => {
    const { connection } = await lab.fake(openStreams);
    const signal = AbortSignal.abort('enough');
    await assert.rejects(connection.send({ method: 'GET', path: '/x', signal }), {
      name: 'AbortError',
    });
  });

  it('while it waits for the version ends only its own wait', async () => {
    const { engine, connection } = await lab.fake(openStreams);
    let answer = (): void => undefined;
    engine.ping((_, response) => {
      answer = () => response.setHeader('api-version', '1.41').end('OK');
    });
    const controller = new AbortController();
    const left = connection.info(controller.signal);
    const kept = connection.info();
    await when(() => engine.pings() === 1);
    controller.abort(why);
    await assert.rejects(left, why);
    answer();
    assert.equal((await kept).api, '1.41');
    assert.equal(engine.pings(), 1);
  });

  it('while it waits for a free connection does not delay the others', async () => {
    const answers: (() => void)[] = [];
    const { engine, connection } = await lab.fake((_, response) => {
      answers.push(() => json(response, 200, []));
    });
    const controller = new AbortController();
    const busy = Array.from({ length: 6 }, () => connection.send({ method: 'GET', path: '/busy' }));
    await when(() => engine.seen.length === 6);
    const { signal } = controller;
    const left = connection.send({ method: 'GET', path: '/left', signal });
    const next = connection.send({ method: 'GET', path: '/next' });
    await settle();
    controller.abort(why);
    await assert.rejects(left, why);
    for (const answer of answers.splice(0)) answer();
    await Promise.all(busy);
    await when(() => answers.length === 1);
    answers[0]?.();
    await next;
    assert.deepEqual(engine.seen.map((one) => one.path).slice(6), ['/next']);
  });

  for (const [stage, first] of [
    ['for a response', ''],
    ['for the rest of a body', bytesOf('200 OK', { 'content-length': '9' }, '[')],
  ] as const) {
    it(`while it waits ${stage} rejects with the reason and frees the connection`, async () => {
      const { engine, connection } = await lab.raw((socket) => {
        if (first) socket.write(first);
      });
      const controller = new AbortController();
      const { signal } = controller;
      const asked = connection.send({ method: 'POST', path: '/x', limitMs: 0, signal });
      await when(() => engine.seen.length === 1 && (first === '' || lab.records.length === 2));
      assert.equal(engine.open(), 2);
      controller.abort(why);
      await assert.rejects(asked, why);
      await when(() => engine.open() === 1);
    });
  }

  it('during a stream ends the iteration with the reason and frees the connection', async () => {
    const { engine, connection } = await lab.raw((socket) => {
      socket.write(bytesOf('200 OK', { 'transfer-encoding': 'chunked' }, '1\r\nx\r\n'));
    });
    const controller = new AbortController();
    const { signal } = controller;
    const { body } = await connection.stream({ method: 'GET', path: '/x', signal });
    const chunks = body[Symbol.asyncIterator]();
    await chunks.next();
    const waiting = chunks.next();
    controller.abort(why);
    await assert.rejects(waiting, why);
    await when(() => engine.open() === 1);
  });

  it('after the end affects neither the response nor the connection', async () => {
    const { engine, connection } = await lab.raw((socket) => socket.write(GOOD));
    const controller = new AbortController();
    const { signal } = controller;
    await connection.info();
    await settle();
    await connection.send({ method: 'GET', path: '/x', signal });
    controller.abort(why);
    await settle();
    await connection.send({ method: 'GET', path: '/x' });
    assert.equal(engine.accepted(), 1);
  });
});

describe('a connection that closes without a response', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  /** Closes the first `times` requests without a response, each on the connection that the ping used. */
  const closing = async (
    times: number,
  ): Promise<{ connection: Connection; seen: () => number }> => {
    let left = times;
    const { engine, connection } = await lab.raw((socket) => {
      if (left-- > 0) socket.destroy();
      else socket.write(GOOD);
    });
    return { connection, seen: () => engine.seen.length };
  };

  for (const method of ['GET', 'HEAD'] as const) {
    it(`sends a ${method} again, because an idle connection may close at any time`, async () => {
      const { connection, seen } = await closing(1);
      assert.equal((await connection.send({ method, path: '/x' })).status, 200);
      assert.equal(seen(), 2);
    });
  }

  it('does not send a GET a third time', async () => {
    const { connection, seen } = await closing(5);
    await failure(connection.send({ method: 'GET', path: '/x' }), 'cut');
    assert.equal(seen(), 2);
  });

  for (const method of ['POST', 'DELETE'] as const) {
    it(`does not send a ${method} again, because the first may have taken effect`, async () => {
      const { connection, seen } = await closing(1);
      await failure(connection.send({ method, path: '/x' }), 'cut');
      assert.equal(seen(), 1);
    });
  }

  it('does no harm if it was idle', async () => {
    const { engine, connection } = await lab.fake(openStreams);
    await connection.send({ method: 'POST', path: '/x' });
    engine.cut();
    await settle();
    await connection.send({ method: 'POST', path: '/x' });
    assert.equal(engine.pings(), 1);
  });

  it('that we closed rejects pending requests with cut and sends nothing again', async () => {
    const { engine, connection } = await lab.raw(() => undefined);
    const asked = [
      connection.send({ method: 'GET', path: '/x' }),
      connection.send({ method: 'POST', path: '/x', limitMs: 0 }),
      connection.stream({ method: 'GET', path: '/x' }),
    ];
    await when(() => engine.seen.length === 3);
    connection.dispose();
    await Promise.all(asked.map((one) => failure(one, 'cut')));
    await failure(connection.send({ method: 'GET', path: '/x' }), 'cut');
    assert.equal(engine.seen.length, 3);
    await when(() => engine.open() === 0);
  });
});
