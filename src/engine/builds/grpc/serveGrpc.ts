import { performServerHandshake, type ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import { abortReason, toDisposable, type Disposable } from '../../../base/lifetime.ts';
import { asError, EngineError } from '../../errors.ts';
import { sharedDrain } from '../../http/drained.ts';
import type { CallHandler, CallStream } from './callStream.ts';
import { readMessages, writeMessage } from './frames.ts';
import { GRPC_CODE, GrpcError, statusHeaders } from './grpcError.ts';

/** The most calls at the same time. */
const MOST_CALLS = 100;

/** The largest message that the peer may send, in bytes. */
const INPUT_LIMIT = 4 * 1024 * 1024;

/** The largest headers of a call in bytes: they may have the ignore rules of a whole project. */
const HEADERS_LIMIT = 1024 * 1024;

/**
 * Serves gRPC on a stream of bytes, until it ends or the result is disposed.
 *
 * @param handlers by method: `/package.Service/Method`. Any other method is unimplemented.
 */
export function serveGrpc(bytes: Duplex, handlers: ReadonlyMap<string, CallHandler>): Disposable {
  const session = performServerHandshake(bytes, {
    maxHeaderListPairs: 10_000,
    settings: { maxConcurrentStreams: MOST_CALLS, maxHeaderListSize: HEADERS_LIMIT },
  });
  // A peer that ends the session sends what Node calls a protocol error. Each call reports its own errors.
  session.on('error', () => undefined);
  bytes.on('error', () => undefined);
  session.on('stream', (stream, headers, _flags, rawHeaders) => {
    void serveCall(stream, rawHeaders, handlers.get(headers[':path'] ?? ''));
  });
  return toDisposable(() => {
    session.destroy();
    bytes.destroy();
  });
}

async function serveCall(
  stream: ServerHttp2Stream,
  rawHeaders: readonly string[],
  handler: CallHandler | undefined,
): Promise<void> {
  const controller = new AbortController();
  // The writers and readers of the call notice.
  stream.on('error', () => undefined);
  stream.once('close', () => controller.abort(new EngineError('cut')));
  try {
    if (!handler) throw new GrpcError(GRPC_CODE.unimplemented, 'unknown method');
    await handler(callOf(stream, rawHeaders, controller.signal));
    finish(stream, 0);
  } catch (error) {
    const code = error instanceof GrpcError ? error.code : GRPC_CODE.unknown;
    finish(stream, code, asError(error).message);
  } finally {
    controller.abort();
  }
}

function callOf(
  stream: ServerHttp2Stream,
  rawHeaders: readonly string[],
  signal: AbortSignal,
): CallStream {
  const drain = sharedDrain(stream);
  return {
    metadata: (name) =>
      rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name),
    messages: readCall(stream, signal),
    write: async (...parts) => {
      if (signal.aborted || stream.destroyed) throw abortReason(signal);
      begin(stream);
      if (!writeMessage(stream, parts)) await drain();
    },
    signal,
  };
}

async function* readCall(
  stream: ServerHttp2Stream,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    // Not destroyed by a reader that leaves early: the status is still to be sent.
    yield* readMessages(
      stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>,
      INPUT_LIMIT,
    );
  } catch (error) {
    if (signal.aborted) throw abortReason(signal);
    throw error instanceof EngineError ? error : new EngineError('cut', { cause: error });
  }
  // The stream of a canceled call just ends.
  if (stream.aborted) throw new EngineError('cut');
}

/** Sends the headers, once. */
function begin(stream: ServerHttp2Stream): void {
  if (stream.headersSent) return;
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
}

/** Ends the call with a status. */
function finish(stream: ServerHttp2Stream, code: number, words = ''): void {
  if (stream.destroyed || stream.closed) return;
  const status = statusHeaders(code, words);
  if (stream.headersSent) {
    stream.once('wantTrailers', () => stream.sendTrailers(status));
    stream.end();
  } else {
    const headers = { ':status': 200, 'content-type': 'application/grpc', ...status };
    stream.respond(headers, { endStream: true });
  }
  // What the peer still sends is not read. Without this, the stream would stay open.
  stream.resume();
}
