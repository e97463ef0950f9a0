import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { openConnection, type Connection } from '../../../src/engine/connection.ts';
import type { HoldClock } from '../../../src/engine/holdBack.ts';
import { LogReader } from '../../../src/engine/logs.ts';
import type { LogLine } from '../../../src/engine/model.ts';
import { frame } from '../support/chunks.ts';
import { json, startFakeEngine, type FakeEngine } from '../support/fakeEngine.ts';

const T1 = '2026-08-01T10:00:00.000000001Z';
const T2 = '2026-08-01T10:00:00.100000002Z';
/** What is to be held for a while is due at once. */
const HURRIED: HoldClock = { now: () => Date.now() * 1e6, delay: () => Promise.resolve() };

describe('a container log on Podman', () => {
  let engine: FakeEngine;
  let connection: Connection;
  let controller: AbortController;

  beforeEach(async () => {
    engine = await startFakeEngine();
    controller = new AbortController();
    connection = openConnection({
      url: engine.url,
      transport: { kind: 'socket', path: engine.socket },
      source: 'setting',
    });
    engine.ping((_, response) => {
      response.writeHead(200, { 'api-version': '1.41', server: 'Libpod/4.3.1 (linux)' });
      response.end('OK');
    });
  });

  afterEach(async () => {
    controller.abort();
    connection.dispose();
    await engine.stop();
  });

  function answerWith(...bodies: readonly (string | Buffer)[]): void {
    const rest = [...bodies];
    engine.answer((_, response) => {
      response.end(rest.shift());
    });
  }

  async function read(reader: LogReader, follow = false, runStartedAt?: string): Promise<string[]> {
    const options = runStartedAt === undefined ? { follow } : { follow, runStartedAt };
    return texts(await reader.open(connection, options, controller.signal));
  }

  it('is there although the engine is silent until the container writes', async () => {
    const followed = new Promise<ServerResponse>((resolve) => {
      engine.answer(({ query }, response) => {
        if (query.get('follow') === '1') resolve(response);
        else response.end(frame(1, `${T1} before\n`));
      });
    });
    const reader = new LogReader('x', { tail: 3, hasTty: false }, HURRIED);
    const batches = await reader.open(connection, { follow: true }, controller.signal);
    const iterator = batches[Symbol.asyncIterator]();
    assert.equal((await next(iterator))?.[0]?.text, 'before');
    const later = next(iterator);
    (await followed).write(frame(1, `${T2} later\n`));
    assert.equal((await later)?.[0]?.text, 'later');
    const { query } = engine.seen[1]!;
    assert.deepEqual([query.get('since'), query.get('tail')], ['1785578400.000000001', null]);
  });

  it('gives a late refusal out of the iteration', async () => {
    engine.answer(({ query }, response) => {
      if (query.get('follow') === '1') json(response, 500, { message: 'no such driver' });
      else response.end();
    });
    const reader = new LogReader('x', { tail: 'all', hasTty: false });
    const batches = await reader.open(connection, { follow: true }, controller.signal);
    await assert.rejects(texts(batches), { reason: 'failed', engineMessage: 'no such driver' });
  });

  it('gives nothing of the doubtful end of a followed log but by another reading', async () => {
    answerWith(
      '',
      Buffer.concat([frame(1, `${T1} one\n`), frame(1, `${T2} three\n`)]),
      Buffer.concat([frame(1, `${T1} one\n`), frame(1, `${T1} two\n`), frame(1, `${T2} three\n`)]),
    );
    const reader = new LogReader('x', { tail: 'all', hasTty: false });
    assert.deepEqual(await read(reader, true), []);
    assert.deepEqual(await read(reader), ['one', 'two', 'three']);
    assert.deepEqual(reader.flush(), []);
  });

  it('gives the doubtful end where there is no other reading', async () => {
    answerWith('', Buffer.concat([frame(1, `${T1} one\n`), frame(1, `${T2} thr`)]));
    const reader = new LogReader('x', { tail: 'all', hasTty: false });
    assert.deepEqual(await read(reader, true), []);
    assert.deepEqual(
      reader.flush().map(({ text }) => text),
      ['one', 'thr'],
    );
  });

  describe('of a terminal, where it puts stamps into the text', () => {
    const options = { tail: 'all', hasTty: true, wantsStamps: false } as const;

    it('is asked for without them', async () => {
      answerWith(`${T1} own\r\n`);
      assert.deepEqual(await read(new LogReader('x', options)), [`${T1} own`]);
      assert.equal(engine.seen[0]?.query.get('timestamps'), '0');
    });

    it('is asked for with them where they are to be shown', async () => {
      answerWith(`${T1} text\r\n`);
      assert.deepEqual(await read(new LogReader('x', { ...options, wantsStamps: true })), ['text']);
    });

    it('gives as many lines from its end as were asked for', async () => {
      answerWith('a\r\nb\r\nc\r\n', '', 'a\r\n');
      assert.deepEqual(await read(new LogReader('x', { ...options, tail: 2 })), ['b', 'c']);
      assert.deepEqual(await read(new LogReader('x', { ...options, tail: 2 })), []);
      assert.deepEqual(await read(new LogReader('x', { ...options, tail: 0 })), []);
      for (const { query } of engine.seen) assert.equal(query.get('tail'), null);
    });

    it('is read on from the start of the next run', async () => {
      answerWith('a\r\n', 'a\r\n');
      const reader = new LogReader('x', options);
      await read(reader);
      assert.deepEqual(await read(reader, false, T2), ['a']);
      assert.equal(engine.seen[1]?.query.get('since'), '1785578400.100000002');
    });

    it('has its unterminated last line once, whole', async () => {
      answerWith('a\r\nbe', 'a\r\nbegun\r\nlast');
      const reader = new LogReader('x', options);
      assert.deepEqual(await read(reader), ['a']);
      assert.deepEqual(await read(reader), ['begun']);
      const last = { source: 'stdout', timestamp: '', text: 'last' };
      assert.deepEqual(reader.flush(), [last]);
      assert.deepEqual(reader.flush(), []);
    });
  });
});

async function next(
  iterator: AsyncIterator<readonly LogLine[]>,
): Promise<readonly LogLine[] | undefined> {
  const result = await iterator.next();
  return result.done ? undefined : result.value;
}

async function texts(batches: AsyncIterable<readonly LogLine[]>): Promise<string[]> {
  const all: string[] = [];
  for await (const batch of batches) all.push(...batch.map(({ text }) => text));
  return all;
}
