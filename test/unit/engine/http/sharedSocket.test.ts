import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { exchange, type ExchangeReply } from '../../../../src/engine/http/exchange.ts';
import { SocketPool } from '../../../../src/engine/http/socketPool.ts';
import { settle, when } from '../../support/lab.ts';
import { bytesOf, startRawEngine, type RawEngine } from '../../support/rawEngine.ts';

/** The most bytes that a response queues before it pauses its socket. */
const HIGH_WATER = 256 * 1024;

describe('a socket of a request', () => {
  let engine: RawEngine;
  let pool: SocketPool;
  /** The sockets of the pool. */
  let ours: Socket[];
  /** The responses of the engine, in order. The last one is sent again and again. */
  let responses: string[];

  beforeEach(async () => {
    [ours, responses] = [[], []];
    engine = await startRawEngine((socket) => {
      socket.write((responses.length > 1 ? responses.shift() : responses[0]) ?? '');
    });
    pool = new SocketPool({
      connect: (onConnect) => {
        const socket = connect(engine.url.slice('unix://'.length), () => {
          onConnect(null, socket);
        });
        ours.push(socket);
      },
      ...{ most: 1, keepsAlive: true },
    });
  });
  afterEach(async () => {
    pool.close(new Error('the test is over'));
    await engine.stop();
  });

  const ask = (signal?: AbortSignal): Promise<ExchangeReply> =>
    exchange(
      pool,
      { method: 'GET', path: '/', headers: {}, body: null },
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
    const [asked, failed] = [ask(), reset()];
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

  it('stays idle no longer than the engine asked for, also after a canceled request', async () => {
    responses = [bytesOf('200 OK', { 'content-length': '0', 'keep-alive': 'timeout=300' }, '')];
    await ask();
    await when(() => only().timeout === 298_000);
    const controller = new AbortController();
    const canceled = ask(controller.signal);
    controller.abort();
    await assert.rejects(canceled, { name: 'AbortError' });
    await settle();
    assert.equal(only().timeout, 298_000);
    await ask();
    assert.equal(ours.length, 1);
  });

  it('is not resumed by the reader of an earlier response', async () => {
    const body = 'x'.repeat(HIGH_WATER + 1);
    const length = { 'content-length': String(body.length) };
    responses = [
      bytesOf('200 OK', length, body),
      bytesOf('200 OK', { 'content-length': '9999999' }, body.repeat(4)),
    ];
    const earlier = await ask();
    await when(() => pool.size === 0);
    await ask();
    await when(() => only().isPaused());
    assert.equal((await textOf(earlier)).length, body.length);
    assert.equal(only().isPaused(), true);
    assert.equal(ours.length, 1);
  });
});
