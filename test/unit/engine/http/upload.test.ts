import assert from 'node:assert/strict';
import type { Upload } from '../../../../src/engine/http/engineRequest.ts';
import { UploadError } from '../../../../src/engine/errors.ts';
import { json, type Answer } from '../../support/fakeEngine.ts';
import { failure, openLab, when, type Lab } from '../../support/lab.ts';
import { bytesOf } from '../../support/rawEngine.ts';

const PIECE = Buffer.alloc(64 * 1024, 'x');

/** Returns a source of `count` chunks that counts how many are read and records when its reader leaves. */
function pieces(count: number, size?: number): Upload & { read: number; isClosed: boolean } {
  const source = {
    type: 'application/x-tar',
    ...(size === undefined ? {} : { size }),
    read: 0,
    isClosed: false,
    async *open(): AsyncGenerator<Uint8Array> {
      source.isClosed = false;
      try {
        for (let one = 0; one < count; one++) {
          source.read++;
          await Promise.resolve();
          yield PIECE;
        }
      } finally {
        source.isClosed = true;
      }
    },
  };
  return source;
}

function speaking(version: string): Answer {
  return (_, response) => {
    response.writeHead(200, { 'api-version': version, server: 'Docker/24.0' }).end('OK');
  };
}

describe('an upload', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  it('arrives complete, with its type, and without a length if its size is unknown', async () => {
    const { engine, connection } = await lab.fake((_, r) => json(r, 200, {}));
    await connection.send({ method: 'POST', path: '/load', upload: pieces(3) });
    const [seen] = engine.seen;
    assert.equal(seen?.body.length, 3 * PIECE.length);
    assert.equal(seen.headers['content-type'], 'application/x-tar');
    assert.equal(seen.headers['content-length'], undefined);
  });

  it('has a length if its size is known', async () => {
    const { engine, connection } = await lab.fake((_, r) => json(r, 200, {}));
    await connection.send({ method: 'PUT', path: '/x', upload: pieces(2, 2 * PIECE.length) });
    assert.equal(engine.seen[0]?.method, 'PUT');
    assert.equal(engine.seen[0].headers['content-length'], String(2 * PIECE.length));
  });

  it('may be empty', async () => {
    const { engine, connection } = await lab.fake((_, r) => json(r, 200, {}));
    await connection.send({ method: 'POST', path: '/load', upload: pieces(0) });
    assert.equal(engine.seen[0]?.body, '');
  });

  it('is read no faster than the engine takes it', async () => {
    const source = pieces(1000);
    const { connection } = await lab.raw((socket) => socket.pause());
    const leave = new AbortController();
    const sent = connection.stream({
      method: 'POST',
      path: '/load',
      upload: source,
      signal: leave.signal,
    });
    await when(() => source.read > 1);
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert(source.read < 100, `${source.read} pieces were read ahead`);
    leave.abort();
    await assert.rejects(sent, { name: 'AbortError' });
    await when(() => source.isClosed);
  });

  it('is sent again if the version is negotiated again', async () => {
    const { engine, connection } = await lab.fake((request, response) => {
      if (request.version === '1.41') {
        json(response, 200, {});
        return;
      }
      engine.ping(speaking('1.41'));
      json(response, 400, {
        message: 'client version 1.43 is too new. Maximum API version is 1.41',
      });
    });
    engine.ping(speaking('1.43'));
    await connection.send({ method: 'POST', path: '/load', upload: pieces(2) });
    assert.deepEqual(
      engine.seen.map(({ version, body }) => [version, body.length]),
      [
        ['1.43', 2 * PIECE.length],
        ['1.41', 2 * PIECE.length],
      ],
    );
  });

  for (const [what, connection] of [
    ['keeps the connection open', 'keep-alive'],
    ['closes the connection, but takes what is still on its way', 'close'],
  ] as const) {
    it(`is not read further once the engine refuses it and ${what}: its message arrives`, async () => {
      const source = pieces(100_000);
      const lines = { 'content-type': 'application/json', 'content-length': '21', connection };
      const refusal = bytesOf('500 Internal Server Error', lines, '{"message":"no room"}');
      const { connection: ours } = await lab.raw((socket) => {
        if (connection === 'close') socket.end(refusal);
        else socket.write(refusal);
      });
      const sent = ours.send({ method: 'POST', path: '/load', upload: source, limitMs: 0 });
      assert.equal((await failure(sent, 'failed')).engineMessage, 'no room');
      await when(() => source.isClosed);
    });
  }

  it('that cannot be read rejects with an UploadError, not with a connection failure', async () => {
    const { connection } = await lab.fake();
    const upload: Upload = {
      type: 'application/x-tar',
      async *open() {
        yield PIECE;
        await Promise.reject(new Error('the disk is gone'));
      },
    };
    const sent = connection.send({ method: 'POST', path: '/load', upload });
    await assert.rejects(sent, (error) => {
      return error instanceof UploadError && error.message === 'the disk is gone';
    });
    assert.equal(lab.records.at(-1)?.outcome, 'unreadable');
  });

  for (const [count, words] of [
    [1, /^65536 bytes of 131072 came$/],
    [3, /^more than 131072 bytes came$/],
  ] as const) {
    it(`that has ${count} instead of the announced 2 chunks rejects with an UploadError`, async () => {
      const { connection } = await lab.fake();
      const upload = pieces(count, 2 * PIECE.length);
      const sent = connection.send({ method: 'POST', path: '/load', upload });
      await assert.rejects(sent, { name: 'UploadError', message: words });
    });
  }

  it('is not read if the engine cannot be reached', async () => {
    const source = pieces(5);
    const connection = lab.connect('unix:///nowhere/engine.sock');
    await failure(
      connection.send({ method: 'POST', path: '/load', upload: source }),
      'socketAbsent',
    );
    assert.equal(source.read, 0);
  });
});
