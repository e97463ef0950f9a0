import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { connect, performServerHandshake, type ServerHttp2Stream } from 'node:http2';
import { duplexPair, type Duplex } from 'node:stream';
import { EngineError, type FailureReason } from '../../../../../src/engine/errors.ts';
import type { CallHandler } from '../../../../../src/engine/builds/grpc/callStream.ts';
import { GrpcClient } from '../../../../../src/engine/builds/grpc/grpcClient.ts';
import { GrpcError } from '../../../../../src/engine/builds/grpc/grpcError.ts';
import { message, text } from '../../../../../src/engine/builds/grpc/protobuf.ts';
import { serveGrpc } from '../../../../../src/engine/builds/grpc/serveGrpc.ts';
import { failure, settle, when } from '../../../support/lab.ts';

const WORD = message<{ readonly word: string }>({ word: text(1) });
const METHOD = { path: '/test.Words/Say', request: WORD, response: WORD };
const CANCELED = new DOMException('canceled', 'AbortError');

describe('gRPC calls', () => {
  let ends: (() => void)[];
  beforeEach(() => (ends = []));
  afterEach(() => {
    for (const end of ends) end();
  });

  /** Returns a client of what serves the other end of its connection. */
  function clientOf(serve: (bytes: Duplex) => void): GrpcClient {
    const [ours, theirs] = duplexPair();
    ours.once('close', () => theirs.destroy());
    theirs.once('close', () => ours.destroy());
    serve(theirs);
    const session = connect('http://localhost', { createConnection: () => ours });
    session.on('error', () => undefined);
    ends.push(() => {
      session.destroy();
    });
    return new GrpcClient(session, (error) => Promise.resolve(error as Error));
  }

  /** Serves one method. `stop` ends the server. */
  function serving(handler: CallHandler): {
    readonly client: GrpcClient;
    readonly stop: () => void;
  } {
    let stop = (): void => undefined;
    const client = clientOf((bytes) => {
      const server = serveGrpc(bytes, new Map([[METHOD.path, handler]]));
      stop = () => {
        server.dispose();
      };
    });
    ends.push(() => {
      stop();
    });
    return {
      client,
      stop: () => {
        stop();
      },
    };
  }

  /** Answers HTTP/2 without our own server. */
  function speaking(answer: (stream: ServerHttp2Stream) => void): GrpcClient {
    return clientOf((bytes) => {
      const session = performServerHandshake(bytes);
      session
        .on('error', () => undefined)
        .on('stream', (stream) => {
          stream.on('error', () => undefined);
          answer(stream);
        });
    });
  }

  async function grpcError(work: Promise<unknown>): Promise<GrpcError> {
    const error: unknown = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert(error instanceof GrpcError, String(error));
    return error;
  }

  it('send a request, and get all responses', async () => {
    const { client } = serving(async (call) => {
      for await (const one of call.messages)
        for (const word of WORD.decode(one).word.split('')) await call.write(WORD.encode({ word }));
    });
    const words: string[] = [];
    for await (const { word } of client.stream(METHOD, { word: 'abc' })) words.push(word);
    assert.deepEqual(words, ['a', 'b', 'c']);
    assert.deepEqual(await client.call(METHOD, { word: 'xy' }), { word: 'x' });
  });

  it('fail if there is no response', async () => {
    const { client } = serving(() => Promise.resolve());
    await failure(client.call(METHOD, { word: 'x' }), 'badAnswer');
  });

  for (const [moment, writes] of [
    ['before', 0],
    ['after', 1],
  ] as const)
    it(`end with the status of an error ${moment} the first response`, async () => {
      let thrown: Error = new GrpcError(5, 'größer\n100 %');
      const { client } = serving(async (call) => {
        if (writes > 0) await call.write(WORD.encode({ word: 'first' }));
        throw thrown;
      });
      const known = await grpcError(client.call(METHOD, { word: 'x' }));
      assert.deepEqual([known.code, known.message], [5, 'größer\n100 %']);
      thrown = new Error('boom');
      const unknown = await grpcError(client.call(METHOD, { word: 'x' }));
      assert.deepEqual([unknown.code, unknown.message], [2, 'boom']);
    });

  it('have the metadata as it was sent', async () => {
    const seen: unknown[] = [];
    const { client } = serving((call) => {
      for (const name of ['many', 'one', 'none']) seen.push(call.metadata(name));
      return Promise.resolve();
    });
    const call = client.open(METHOD.path, { many: ['a%20', 'b, c'], one: 'many' });
    call.end();
    for await (const _ of call.messages) assert.fail('no response');
    assert.deepEqual(seen, [['a%20', 'b, c'], ['many'], []]);
  });

  it('get a status also if the peer has not read all', async () => {
    const { client } = serving(async (call) => {
      for await (const one of call.messages) {
        await call.write(one);
        return;
      }
    });
    const call = client.open(METHOD.path, {});
    for (const word of ['one', 'two']) await call.write(WORD.encode({ word }));
    let count = 0;
    for await (const one of call.messages) {
      assert.equal(WORD.decode(one).word, 'one');
      count += 1;
    }
    assert.equal(count, 1);
  });

  it('are refused if a request is too large', async () => {
    let reason: FailureReason | undefined;
    const { client } = serving(async (call) => {
      try {
        for await (const _ of call.messages) assert.fail('no request');
      } catch (error) {
        reason = error instanceof EngineError ? error.reason : undefined;
        throw error;
      }
    });
    const call = client.open(METHOD.path, {});
    const messages = call.messages[Symbol.asyncIterator]();
    void call.write(Buffer.alloc(4 * 1024 * 1024 + 1));
    call.end();
    assert.equal((await grpcError(messages.next())).code, 2);
    assert.equal(reason, 'tooLarge');
  });

  for (const [how, cancel] of [
    [
      'its signal',
      (controller: AbortController) => {
        controller.abort(CANCELED);
      },
    ],
    [
      'its client',
      (_: AbortController, close: () => void) => {
        close();
      },
    ],
  ] as const)
    it(`are canceled for the peer by ${how}`, async () => {
      const begun = Promise.withResolvers<undefined>();
      const found = Promise.withResolvers<readonly unknown[]>();
      const reasonOf = (error: unknown): unknown => error instanceof EngineError && error.reason;
      const { client } = serving(async (call) => {
        begun.resolve(undefined);
        await once(call.signal, 'abort');
        const writing = call.write(WORD.encode({ word: 'x' })).catch(reasonOf);
        found.resolve([reasonOf(call.signal.reason), await writing]);
      });
      const controller = new AbortController();
      const call = client.open(METHOD.path, {}, controller.signal);
      const next = call.messages[Symbol.asyncIterator]().next();
      next.catch(() => undefined);
      await begun.promise;
      cancel(controller, () => {
        call.close();
      });
      assert.deepEqual(await found.promise, ['cut', 'cut']);
      if (controller.signal.aborted) await assert.rejects(next, CANCELED);
      else assert.equal((await grpcError(next)).code, 13);
      // Nothing is left to wait for: the reader has the reason.
      await call.write(WORD.encode({ word: 'late' }));
    });

  it('end the signals of both sides with them', async () => {
    let theirs: AbortSignal | undefined;
    const { client } = serving(async (call) => {
      theirs = call.signal;
      await call.write(WORD.encode({ word: 'x' }));
    });
    const { signal } = new AbortController();
    await client.call(METHOD, { word: 'x' }, signal);
    await when(() => getEventListeners(signal, 'abort').length === 0);
    assert(theirs?.aborted);
    assert(!(theirs.reason instanceof EngineError), 'the handler was done before the call ended');
  });

  it('hold back who writes until the other side reads', async () => {
    const part = Buffer.alloc(64 * 1024);
    let [sent, received] = [0, 0];
    const { client } = serving(async (call) => {
      for (; sent < 100; sent++) await call.write(part);
    });
    const call = client.open(METHOD.path, {});
    call.end();
    const messages = call.messages[Symbol.asyncIterator]();
    await messages.next();
    await settle();
    assert(sent < 100, `${sent}`);
    while (!(await messages.next()).done) received += 1;
    assert.equal(received, 99);
  });

  it('are not made for an aborted signal, or once the connection has ended', async () => {
    const { client, stop } = serving(() => new Promise(() => undefined));
    assert.throws(() => client.open(METHOD.path, {}, AbortSignal.abort(CANCELED)), CANCELED);
    const calling = client.call(METHOD, { word: 'x' });
    stop();
    await failure(calling, 'cut');
    await failure(client.call(METHOD, { word: 'x' }), 'badAnswer');
  });

  it('have the status of a proxy that answers instead', async () => {
    const client = speaking((stream) => {
      stream.respond({ ':status': 503 }, { endStream: true });
    });
    const error = await grpcError(client.call(METHOD, { word: 'x' }));
    assert.deepEqual([error.code, error.message, error.httpStatus], [2, 'HTTP status 503', 503]);
  });

  it('say that the peer has ended one alone', async () => {
    const client = clientOf((bytes) => {
      bytes.write(frame(FRAME.settings, 0));
      let received = Buffer.alloc(0);
      bytes.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        if (hasRequest(received)) bytes.write(frame(FRAME.reset, 1, Buffer.from([0, 0, 0, 7])));
      });
    });
    const error = await grpcError(client.call(METHOD, { word: 'x' }));
    assert.deepEqual([error.code, error.message], [13, 'HTTP/2 stream reset: 7']);
  });

  it('have the status of the trailers rather than the reset or the end within a message', async () => {
    const client = speaking((stream) => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.once('wantTrailers', () => {
        stream.sendTrailers({ 'grpc-status': '8', 'grpc-message': 'too much' });
      });
      stream.end(Buffer.from([0, 0, 0, 0, 9, 1]));
    });
    assert.equal((await grpcError(client.call(METHOD, { word: 'x' }))).code, 8);
  });
});

const FRAME = { headers: 1, reset: 3, settings: 4 };

/** Returns a frame of HTTP/2. Node ends a stream before it resets it; other peers do not. */
function frame(type: number, stream: number, payload = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Whether the headers of a request are among what a client has sent. */
function hasRequest(sent: Buffer): boolean {
  const preface = 24;
  for (let at = preface; at + 9 <= sent.length; at += 9 + sent.readUIntBE(at, 3))
    if (sent[at + 3] === FRAME.headers) return true;
  return false;
}
