import type { Duplex } from 'node:stream';
import { abortReason } from '../../base/lifetime.ts';
import { EngineError } from '../errors.ts';
import type { ExchangeReply } from './exchange.ts';
import { drained } from './drained.ts';

/** A stream in both directions, open until both directions have ended. */
export interface DuplexStream {
  /**
   * The output of the engine; may be read once. Ends when the engine ends it. Throws EngineError `cut` if the
   * connection breaks, or the abort reason of the signal. A reader that leaves early closes the connection.
   */
  readonly output: AsyncIterable<Uint8Array>;
  readonly headers: Readonly<Record<string, string>>;
  /** False if the engine or a proxy sent an ordinary response instead of an upgrade: then there is only output. */
  readonly acceptsInput: boolean;
  /**
   * Sends bytes. Resolves when the engine can accept more, which is its back-pressure, or when the stream is
   * closed: then `output` reports why.
   */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Half-closes the stream: no more input follows, and the output continues. Has no effect over a Windows named
   * pipe: there both ends signal it by an empty message, which Node can neither send nor receive. So the program
   * keeps waiting for input, and the output of a shell that was left does not end.
   */
  end(): void;
  /** Closes both directions. The output ends without an error. */
  close(): void;
}

/**
 * Returns the two directions of an upgraded connection. If the response has no socket, the engine or a proxy sent
 * an ordinary response, and there is only output.
 *
 * @param toFailure maps the errors of the socket.
 * @param signal closes the connection.
 */
export function openDuplexStream(
  reply: ExchangeReply,
  toFailure: (error: unknown) => Promise<Error>,
  signal: AbortSignal | undefined,
): DuplexStream {
  const { socket, headers } = reply;
  if (!socket) return outputOnly(reply);
  let isClosedHere = false;
  const onAbort = (): void => {
    socket.destroy();
  };
  // The output reports the error; without a listener it would be an uncaught exception.
  socket.on('error', () => undefined);
  signal?.addEventListener('abort', onAbort, { once: true });
  socket.once('close', () => signal?.removeEventListener('abort', onAbort));
  if (signal?.aborted) onAbort();
  return {
    output: readSocket(socket, (error) => {
      if (signal?.aborted) throw abortReason(signal);
      return isClosedHere ? undefined : toFailure(error);
    }),
    headers,
    acceptsInput: true,
    write: async (bytes) => {
      if (!socket.destroyed && !socket.writableEnded && !socket.write(bytes)) await drained(socket);
    },
    end: () => {
      if (!socket.destroyed) socket.end();
    },
    close: () => {
      isClosedHere = true;
      socket.destroy();
    },
  };
}

/** Reads on demand: the back-pressure of the socket holds the sender back. */
async function* readSocket(
  socket: Duplex,
  failureOf: (error: unknown) => Promise<Error> | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of socket) yield chunk as Uint8Array;
  } catch (error) {
    // What the stream throws for a socket that closed before its end.
    const isEarly = (error as { readonly code?: unknown }).code === 'ERR_STREAM_PREMATURE_CLOSE';
    const failure = await failureOf(isEarly ? new EngineError('cut', { cause: error }) : error);
    if (failure) throw failure;
  }
}

/** Returns the stream of an ordinary response, which accepts no input. */
function outputOnly({ headers, body }: ExchangeReply): DuplexStream {
  const iterator = body[Symbol.asyncIterator]();
  return {
    output: body,
    headers,
    acceptsInput: false,
    write: () => Promise.resolve(),
    end: () => undefined,
    close: () => {
      void iterator.return?.();
    },
  };
}
