import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Connection } from '../../../../src/engine/http/connection.ts';
import { LogReader } from '../../../../src/engine/logs/logReader.ts';
import { readLogs } from '../../support/readLogs.ts';
import type { LogLine } from '../../../../src/engine/model.ts';
import { frame } from '../../support/chunks.ts';
import { json } from '../../support/fakeEngine.ts';
import { NUMBERED, logAnswer, type StoredRecord } from '../../support/logStore.ts';
import { LogReaderLab, OPENED, textsOf } from './support/logReaderLab.ts';

const T1 = '2026-08-01T10:00:00.000000001Z';
const T2 = '2026-08-01T10:00:00.100000002Z';

describe('a container log', () => {
  let lab: LogReaderLab;

  beforeEach(async () => {
    lab = await LogReaderLab.open();
  });
  afterEach(() => lab.close());

  it('is requested with stdout, stderr and stamps', async () => {
    lab.answerWith('');
    await lab.read(new LogReader('a b', { tail: 7, since: '12.5', hasTty: false }), true);
    const [{ method, path, query } = { method: '', path: '', query: '' }] = lab.engine.seen;
    assert.equal(`${method} ${path}`, 'GET /containers/a%20b/logs');
    assert.equal(String(query), 'stdout=1&stderr=1&follow=1&timestamps=1&since=12.5&tail=7');
  });

  it('is decoded as framed, or as raw with a TTY', async () => {
    lab.answerWith(frame(2, `${T1} framed\n`), `${T1} raw\r\n`);
    assert.deepEqual(await lab.read(new LogReader('x', { tail: 'all', hasTty: false })), [
      'framed',
    ]);
    assert.deepEqual(await lab.read(new LogReader('x', { tail: 'all', hasTty: true })), ['raw']);
  });

  it('is read again from the chunk before which the request was aborted', async () => {
    lab.answerWith(frame(1, `${T1} one\n`), frame(1, `${T1} one\n`));
    const reader = new LogReader('x', { tail: 'all', hasTty: false });
    const ending = new AbortController();
    const settled = (): Promise<void> => {
      ending.abort(new Error('The run is over'));
      return Promise.resolve();
    };
    const batches = await reader.open(lab.connection, { follow: true, settled }, ending.signal);
    await assert.rejects(textsOf(batches), { message: 'The run is over' });
    assert.deepEqual(await lab.read(reader), ['one']);
  });

  it('is requested from the start again if the connection broke before anything was received', async () => {
    let isCut = true;
    lab.engine.answer((_, response) => {
      response.setHeader('date', OPENED);
      response.write(frame(1, `${T1} one\n`).subarray(0, isCut ? 4 : undefined), () => {
        if (isCut) response.destroy();
        else response.end();
        isCut = false;
      });
    });
    const reader = new LogReader('x', { tail: 'all', hasTty: false });
    await assert.rejects(lab.read(reader), { reason: 'cut' });
    assert.deepEqual(await lab.read(reader), ['one']);
    assert.equal(lab.engine.seen[1]?.query.get('since'), null);
  });

  it('is decoded as framed if the content type is multiplexed', async () => {
    lab.engine.answer((_, response) => {
      const type = 'application/vnd.docker.multiplexed-stream';
      response.writeHead(200, { 'content-type': type });
      response.end(frame(1, `${T1} framed\n`));
    });
    assert.deepEqual(await lab.read(new LogReader('x', { tail: 'all', hasTty: true })), ['framed']);
  });

  it('holds back an unterminated last line until it is flushed', async () => {
    lab.answerWith(frame(1, `${T1} one\n`), frame(1, `${T2} tw`));
    const reader = new LogReader('x', { tail: 'all', hasTty: false });
    assert.deepEqual(await lab.read(reader), ['one']);
    assert.deepEqual(await lab.read(reader), []);
    assert.deepEqual(
      reader.flush().map(({ text }) => text),
      ['tw'],
    );
  });

  it('resolves as soon as the engine has responded', async () => {
    const answered = new Promise<ServerResponse>((resolve) => {
      lab.engine.answer((_, response) => {
        response.flushHeaders();
        resolve(response);
      });
    });
    const reader = new LogReader('x', { tail: 'all', hasTty: false });
    const batches = await reader.open(lab.connection, { follow: true }, lab.controller.signal);
    (await answered).end(frame(1, `${T1} later\n`));
    assert.deepEqual(await textsOf(batches), ['later']);
  });

  it('rejects with the error of the engine', async () => {
    lab.engine.answer((_, response) => {
      json(response, 501, { message: 'configured logging driver does not support reading' });
    });
    const reader = new LogReader('x', { tail: 'all', hasTty: false });
    await assert.rejects(lab.read(reader, true), {
      status: 501,
      engineMessage: 'configured logging driver does not support reading',
    });
  });

  it("ends with the engine's error after the lines before it", async () => {
    lab.answerWith(Buffer.concat([frame(1, `${T1} good\n`), frame(3, 'gone')]));
    const reader = new LogReader('x', { tail: 'all', hasTty: false });
    const batches = await reader.open(lab.connection, { follow: true }, lab.controller.signal);
    const lines: LogLine[] = [];
    const reading = (async () => {
      for await (const batch of batches) lines.push(...batch);
    })();
    await assert.rejects(reading, { reason: 'failed', engineMessage: 'gone' });
    assert.deepEqual(lines, [{ source: 'stdout', timestamp: T1, text: 'good' }]);
  });

  it('yields no queued lines once its signal is aborted', async () => {
    async function* body(): AsyncGenerator<Uint8Array> {
      for (const text of ['one', 'two']) yield await Promise.resolve(frame(1, `${T1} ${text}\n`));
    }
    const stubborn: Connection = {
      endpoint: lab.connection.endpoint,
      info: (signal) => lab.connection.info(signal),
      renew: (signal) => lab.connection.renew(signal),
      send: (request) => lab.connection.send(request),
      retry: () => undefined,
      cut: () => undefined,
      lastPingMs: 0,
      upgrade: (request) => lab.connection.upgrade(request),
      openHttp2: (request) => lab.connection.openHttp2(request),
      stream: () => Promise.resolve({ status: 200, headers: {}, body: body() }),
      dispose: () => undefined,
    };
    const reader = new LogReader('x', { tail: 'all', hasTty: false });
    const batches = await reader.open(stubborn, { follow: true }, lab.controller.signal);
    const iterator = batches[Symbol.asyncIterator]();
    await iterator.next();
    lab.controller.abort();
    await assert.rejects(async () => iterator.next(), { name: 'AbortError' });
  });

  for (const behaviour of NUMBERED) {
    it(`continues after a broken connection: ${behaviour}`, async () => {
      const records = Array.from({ length: 40 }, (_, index): StoredRecord => ({
        kind: index % 2 === 0 ? 1 : 2,
        at: 1_785_571_200_000_000_000n + BigInt(index) * 90_000_000n,
        text: `${index} 😀\n`,
      }));
      const reader = new LogReader('x', { tail: 'all', hasTty: false });
      const lines: string[] = [];
      lab.engine.answer((request, response) => {
        response.write(logAnswer(records.slice(0, 25), behaviour, request).subarray(0, -30), () => {
          response.destroy();
        });
      });
      await assert.rejects(
        async () => {
          const options = { follow: true };
          for await (const batch of await reader.open(
            lab.connection,
            options,
            lab.controller.signal,
          ))
            lines.push(...batch.map(({ text }) => text));
        },
        { reason: 'cut' },
      );
      assert.equal(lines.length, 24);
      lab.engine.answer((request, response) => {
        response.end(logAnswer(records, behaviour, request));
      });
      lines.push(...(await lab.read(reader, true)));
      assert.deepEqual(
        lines,
        records.map(({ text }) => text.trim()),
      );
    });
  }

  it('joins a line whose pieces arrived in two requests', async () => {
    lab.answerWith(
      frame(1, `${T1} one, `),
      Buffer.concat([frame(1, `${T1} one, `), frame(1, `${T1} two\n`)]),
    );
    const reader = new LogReader('x', { tail: 'all', hasTty: false });
    assert.deepEqual(await lab.read(reader, true), []);
    assert.deepEqual(await lab.read(reader), ['one, two']);
  });

  it('continues from the first request if nothing was received', async () => {
    lab.answerWith('', frame(1, `${T1} first\n`));
    const reader = new LogReader('x', { tail: 0, hasTty: false });
    await lab.read(reader, true);
    assert.deepEqual(await lab.read(reader, true), ['first']);
    const { query } = lab.engine.seen[1]!;
    assert.deepEqual([query.get('since'), query.get('tail')], ['1785578405', null]);
  });

  it('continues from its start time if that is in the future', async () => {
    lab.answerWith('', '');
    const reader = new LogReader('x', { tail: 0, since: '9999999999', hasTty: false });
    await lab.read(reader);
    await lab.read(reader);
    assert.equal(lab.engine.seen[1]?.query.get('since'), '9999999999');
  });

  describe('read to its end', () => {
    it('ends with the unterminated last line', async () => {
      lab.answerWith(frame(1, `${T1} no end`));
      const options = { follow: false, tail: 'all', hasTty: false } as const;
      assert.deepEqual(
        await textsOf(await readLogs(lab.connection, 'x', options, lab.controller.signal)),
        ['no end'],
      );
    });

    it('includes the end that the engine omits from a followed log', async () => {
      lab.answerWith(
        frame(1, `${T1} one\n`),
        Buffer.concat([frame(1, `${T1} one\n`), frame(1, `${T2} two`)]),
      );
      const options = { follow: true, tail: 'all', hasTty: false } as const;
      const batches = await readLogs(lab.connection, 'x', options, lab.controller.signal);
      assert.deepEqual(await textsOf(batches), ['one', 'two']);
      assert.equal(lab.engine.seen[1]?.query.get('follow'), '0');
    });

    it('detects whether the container has a TTY', async () => {
      const id = 'f'.repeat(64);
      lab.engine.answer((request, response) => {
        if (request.path.endsWith('/json')) json(response, 200, { Id: id, Config: { Tty: true } });
        else response.end(`${T1} raw\r\n`);
      });
      const options = { follow: false, tail: 'all' } as const;
      assert.deepEqual(
        await textsOf(await readLogs(lab.connection, id, options, lab.controller.signal)),
        ['raw'],
      );
    });
  });
});
