import type { Duplex } from 'node:stream';
import { abortReason } from '../../lifetime.ts';
import { EngineError } from '../errors.ts';
import type { ExchangeReply } from './exchange.ts';

/** Bytes in both directions, from the engine's agreement to the end of the later direction. */
export interface DuplexStream {
  /**
   * What the engine sends, read once. Ends when the engine ends it; throws EngineError `cut` when the connection
   * breaks, or the signal's reason. A reader that leaves closes the connection.
   */
  readonly output: AsyncIterable<Uint8Array>;
  readonly headers: Readonly<Record<string, string>>;
  /** False where something on the way answered as if nothing were to be sent: then there is only output. */
  readonly takesInput: boolean;
  /**
   * Sends bytes; resolves when more may be sent, or when nothing will ever be: then `output` says why. That is the
   * back-pressure from the engine.
   */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Says that nothing more will be sent. The output goes on. Not over a named pipe of Windows: there both ends are told
   * by a message without bytes, which Node can neither send nor hear, so that a program waits for more input, and the
   * output of a shell that was left does not end.
   */
  end(): void;
  /** Closes both directions at once. The output ends without an error. */
  close(): void;
}

type ToFailure = (error: unknown) => Promise<Error>;

/**
 * The two directions of an answered upgrade. Without a socket the engine, or a proxy before it, has answered as to
 * any other request: there is output alone.
 *
 * @param toFailure shapes what the socket threw.
 * @param signal closes the connection at once.
 */
export function openDuplexStream(
  reply: ExchangeReply,
  toFailure: ToFailure,
  signal: AbortSignal | undefined,
): DuplexStream {
  if (reply.socket) return new SocketDuplexStream(reply.socket, reply.headers, toFailure, signal);
  return new OutputOnly(reply);
}

class SocketDuplexStream implements DuplexStream {
  readonly headers: Readonly<Record<string, string>>;
  readonly takesInput = true;
  readonly output: AsyncIterable<Uint8Array>;
  readonly #socket: Duplex;
  readonly #toFailure: ToFailure;
  readonly #signal: AbortSignal | undefined;
  #isClosedHere = false;

  constructor(
    socket: Duplex,
    headers: Readonly<Record<string, string>>,
    toFailure: ToFailure,
    signal: AbortSignal | undefined,
  ) {
    this.headers = headers;
    this.#socket = socket;
    this.#toFailure = toFailure;
    this.#signal = signal;
    this.output = this.#read();
    // Told by the output; without a listener it would be nobody's.
    socket.on('error', () => undefined);
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    socket.once('close', () => signal?.removeEventListener('abort', this.#onAbort));
    if (signal?.aborted) this.#onAbort();
  }

  write(bytes: Uint8Array): Promise<void> {
    const socket = this.#socket;
    if (socket.destroyed || socket.writableEnded || socket.write(bytes)) return Promise.resolve();
    return new Promise((resolve) => {
      const onMore = (): void => {
        socket.off('drain', onMore).off('close', onMore);
        resolve();
      };
      socket.on('drain', onMore).on('close', onMore);
    });
  }

  end(): void {
    if (!this.#socket.destroyed) this.#socket.end();
  }

  close(): void {
    this.#isClosedHere = true;
    this.#socket.destroy();
  }

  /** Reads what comes as it is asked for: a socket nobody reads holds its sender back. */
  async *#read(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of this.#socket) yield chunk as Uint8Array;
    } catch (error) {
      if (this.#signal?.aborted) throw abortReason(this.#signal);
      if (!this.#isClosedHere) throw await this.#failureOf(error);
    }
  }

  #failureOf(error: unknown): Promise<Error> {
    // The stream's own word for a socket that was closed before its end.
    const isEarly = (error as { readonly code?: unknown }).code === 'ERR_STREAM_PREMATURE_CLOSE';
    return this.#toFailure(isEarly ? new EngineError('cut', { cause: error }) : error);
  }

  readonly #onAbort = (): void => {
    this.#socket.destroy();
  };
}

/** An answer that came in the usual way. */
class OutputOnly implements DuplexStream {
  readonly headers: Readonly<Record<string, string>>;
  readonly takesInput = false;
  readonly output: AsyncIterable<Uint8Array>;
  readonly #body: AsyncIterator<Uint8Array>;

  constructor({ headers, body }: ExchangeReply) {
    this.headers = headers;
    this.output = body;
    this.#body = body[Symbol.asyncIterator]();
  }

  write(): Promise<void> {
    return Promise.resolve();
  }

  end(): void {
    // There is no way to say it.
  }

  close(): void {
    void this.#body.return?.();
  }
}
