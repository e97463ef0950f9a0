import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import Pool from 'undici/lib/dispatcher/pool.js';
import { exchange, type ExchangeReply } from '../../../../src/engine/http/exchange.ts';
import { settle, when } from '../../support/lab.ts';
import { bytesOf, startRawEngine, type RawEngine } from '../../support/rawEngine.ts';

describe('a socket of a request', () => {
  let engine: RawEngine;
  let pool: Pool;
  /** The sockets of the pool. */
  let ours: Socket[];
  /** The responses of the engine, in order. The last one is sent again and again. */
  let responses: string[];

  beforeEach(async () => {
    ours = [];
    responses = [];
    engine = await startRawEngine((socket) => {
      socket.write((responses.length > 1 ? responses.shift() : responses[0]) ?? '');
    });
    pool = new Pool('http://localhost', {
      connect: (_, onConnect) => {
        const socket = connect(engine.url.slice('unix://'.length), () => onConnect(null, socket));
        ours.push(socket);
      },
      ...{ connections: 1, bodyTimeout: 0, headersTimeout: 0 },
    });
  });
  afterEach(async () => {
    await pool.destroy(new Error('the test is over'));
    await engine.stop();
  });

  const ask = (signal?: AbortSignal): Promise<ExchangeReply> =>
    exchange(
      pool,
      { method: 'GET', path: '/', headers: [], body: null },
      (error) => Promise.resolve(error as Error),
      signal,
    );
  const only = (): Socket => ours[0] ?? assert.fail('no socket');
  const reset = (): Error => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

  async function textOf({ body }: ExchangeReply): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  }

  it('may be reset after the whole response, as macOS reports it', async () => {
    responses = [bytesOf('200 OK', { connection: 'close' }, 'whole')];
    const reply = await ask();
    await when(() => only().bytesRead === responses[0]?.length);
    only().destroy(reset());
    assert.equal(await textOf(reply), 'whole');
  });

  it('that breaks before the response rejects with its own error', async () => {
    responses = [''];
    const asked = ask();
    const failed = reset();
    await when(() => engine.seen.length === 1);
    only().destroy(failed);
    await assert.rejects(asked, (error) => error === failed);
  });

  it('that breaks in a chunked response rejects with any other error, too', async () => {
    responses = [bytesOf('200 OK', { 'transfer-encoding': 'chunked' }, '3\r\nabc\r\n')];
    const reply = await ask();
    const failed = Object.assign(new Error('read ETIMEDOUT'), { code: 'ETIMEDOUT' });
    only().destroy(failed);
    await assert.rejects(textOf(reply), (error) => error === failed);
  });

  it('is used again after a request was canceled that was about to use it', async () => {
    responses = [bytesOf('200 OK', { 'content-length': '0', 'keep-alive': 'timeout=300' }, '')];
    await ask();
    await settle();
    const controller = new AbortController();
    const canceled = ask(controller.signal);
    controller.abort();
    await assert.rejects(canceled, { name: 'AbortError' });
    await settle();
    await ask();
    assert.deepEqual([ours.length, engine.seen.length], [1, 2]);
  });

  it('is used for the next request in the queue if one of them is canceled', async () => {
    responses = [''];
    const controller = new AbortController();
    const first = ask();
    const canceled = ask(controller.signal);
    const last = ask();
    await when(() => engine.seen.length === 1);
    assert.equal(pool.stats.size, 3);
    controller.abort();
    await assert.rejects(canceled, { name: 'AbortError' });
    assert.equal(pool.stats.size, 2);
    responses = [bytesOf('200 OK', { 'content-length': '0' })];
    only().destroy(reset());
    await assert.rejects(first, { code: 'ECONNRESET' });
    assert.equal((await last).status, 200);
    assert.equal(engine.seen.length, 2);
  });

  it('that was idle is not used after the engine has closed it', async () => {
    responses = [bytesOf('200 OK', { 'content-length': '0' })];
    await ask();
    await settle();
    only().push(null);
    assert.equal((await ask()).status, 200);
    assert.equal(ours.length, 2);
  });

  it('does not keep the process running while it is idle', async () => {
    responses = [bytesOf('200 OK', { 'content-length': '0' })];
    await ask();
    await settle();
    const handle = (only() as Socket & { readonly _handle: { hasRef(): boolean } })._handle;
    assert.equal(handle.hasRef(), false);
  });

  it('has no more listeners after each request', async () => {
    responses = [bytesOf('200 OK', { 'content-length': '0' })];
    const counts = new Set<number>();
    for (let turn = 0; turn < 3; turn++) {
      await ask();
      await settle();
      const names = only().eventNames();
      counts.add(names.reduce((sum, name) => sum + only().listenerCount(name), 0));
    }
    assert.equal(counts.size, 1);
  });
});
