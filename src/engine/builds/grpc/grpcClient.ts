import { once } from 'node:events';
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import { constants } from 'node:http2';
import { abortReason } from '../../../base/lifetime.ts';
import { EngineError } from '../../errors.ts';
import { sharedDrain } from '../../http/drained.ts';
import { readMessages, writeMessage } from './frames.ts';
import { GRPC_CODE, GrpcError, readStatus } from './grpcError.ts';
import type { Draft, MessageType } from './protobuf.ts';

/** Makes gRPC calls over one HTTP/2 connection. */
export class GrpcClient {
  readonly #session: ClientHttp2Session;
  readonly #toFailure: (error: unknown) => Promise<Error>;

  /** @param toFailure maps the errors of the connection. */
  constructor(session: ClientHttp2Session, toFailure: (error: unknown) => Promise<Error>) {
    this.#session = session;
    this.#toFailure = toFailure;
  }

  /** Calls a method with one response. Throws as `GrpcCall.messages`. */
  async call<Request, Response>(
    method: Method<Request, Response>,
    request: Draft<Request>,
    signal?: AbortSignal,
  ): Promise<Response> {
    let response: Response | undefined;
    for await (const message of this.stream(method, request, signal)) response ??= message;
    if (response === undefined) throw badAnswer('no response');
    return response;
  }

  /** Calls a method with a stream of responses, which is read on demand. Throws as `GrpcCall.messages`. */
  async *stream<Request, Response>(
    { path, request: type, response }: Method<Request, Response>,
    request: Draft<Request>,
    signal?: AbortSignal,
  ): AsyncGenerator<Response> {
    const call = this.open(path, {}, signal);
    void call.write(type.encode(request));
    call.end();
    for await (const message of call.messages) yield decoded(response, message);
  }

  /** Starts a call with messages in both directions. */
  open(
    path: string,
    metadata: Readonly<Record<string, string | readonly string[]>>,
    signal?: AbortSignal,
  ): GrpcCall {
    signal?.throwIfAborted();
    if (this.#session.destroyed || this.#session.closed) throw badAnswer('closed');
    const stream = this.#session.request(
      {
        ...(metadata as Record<string, string | string[]>),
        ':method': 'POST',
        ':path': path,
        ':scheme': 'http',
        ':authority': 'localhost',
        'content-type': 'application/grpc',
        te: 'trailers',
      },
      { endStream: false },
    );
    const end = watchEnd(stream, signal);
    const drain = sharedDrain(stream);
    return {
      messages: this.#read(stream, end, signal),
      write: async (...parts) => {
        if (!stream.destroyed && !stream.writableEnded && !writeMessage(stream, parts))
          await drain();
      },
      end: () => stream.end(),
      close: () => stream.close(constants.NGHTTP2_CANCEL),
    };
  }

  async *#read(
    stream: ClientHttp2Stream,
    end: CallEnd,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array> {
    try {
      yield* readMessages(stream as AsyncIterable<Uint8Array>);
      await end.done;
    } catch (error) {
      if (signal?.aborted) throw abortReason(signal);
      // The status has more detail than the reset of the stream.
      const status = end.status();
      if (status && status.code !== 0) throw status;
      if (error instanceof EngineError) throw error;
      throw await this.#broken(stream, error);
    } finally {
      // The reader has left, or everything is read.
      stream.close(constants.NGHTTP2_CANCEL);
    }
    if (signal?.aborted) throw abortReason(signal);
    const status = end.status();
    if (!status) throw await this.#broken(stream, undefined);
    if (status.code !== 0) throw status;
  }

  /** Returns why a call ended without a status. */
  async #broken(stream: ClientHttp2Stream, error: unknown): Promise<Error> {
    const { rstCode } = stream;
    // The peer ended this call alone.
    if (!this.#session.destroyed && rstCode !== constants.NGHTTP2_NO_ERROR)
      return new GrpcError(GRPC_CODE.internal, `HTTP/2 stream reset: ${rstCode}`);
    return this.#toFailure(new EngineError('cut', { cause: error }));
  }
}

/** A method of a gRPC service. */
export interface Method<Request, Response> {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly request: MessageType<Request>;
  readonly response: MessageType<Response>;
}

/** A call with messages in both directions. */
export interface GrpcCall {
  /**
   * May be read once. Ends when the peer ends the call with status OK. Throws a GrpcError for any other status, an
   * EngineError if the peer breaks the protocol or the connection is lost, and the reason of the signal.
   */
  readonly messages: AsyncIterable<Uint8Array>;
  /**
   * Sends a message. Resolves when the peer can accept more, or when the call has ended: then `messages` has the
   * reason.
   */
  write(...parts: readonly Uint8Array[]): Promise<void>;
  /** Half-closes the call. */
  end(): void;
  /** Cancels the call. */
  close(): void;
}

interface CallEnd {
  /** Resolves when the status is known or the call is closed. */
  readonly done: Promise<unknown>;
  readonly status: () => GrpcError | undefined;
}

/** Remembers the status of a call, and cancels the call when the signal is aborted. */
function watchEnd(stream: ClientHttp2Stream, signal: AbortSignal | undefined): CallEnd {
  let status: GrpcError | undefined;
  const onHeaders = (headers: IncomingHttpHeaders): void => {
    status ??= readStatus(headers) ?? httpFailure(headers);
  };
  const onAbort = (): void => {
    stream.close(constants.NGHTTP2_CANCEL);
    // Without an error, so that the readers end.
    stream.destroy();
  };
  stream.on('response', onHeaders).on('trailers', onHeaders);
  // The reader reports the error; without a listener it would be an uncaught exception.
  stream.on('error', () => undefined);
  const done = Promise.race([once(stream, 'trailers'), once(stream, 'close')]).catch(
    () => undefined,
  );
  signal?.addEventListener('abort', onAbort, { once: true });
  stream.once('close', () => signal?.removeEventListener('abort', onAbort));
  return { done, status: () => status };
}

/** Returns the failure of a response that is not one of gRPC. */
function httpFailure(headers: IncomingHttpHeaders): GrpcError | undefined {
  const status = headers[':status'];
  if (status === undefined || Number(status) === 200) return undefined;
  return new GrpcError(GRPC_CODE.unknown, `HTTP status ${String(status)}`, [], Number(status));
}

function decoded<T>(type: MessageType<T>, message: Uint8Array): T {
  try {
    return type.decode(message);
  } catch (cause) {
    throw badAnswer('invalid message', cause);
  }
}

function badAnswer(words: string, cause?: unknown): EngineError {
  return new EngineError('badAnswer', { engineMessage: `gRPC: ${words}`, cause });
}
