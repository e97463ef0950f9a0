import type { Duplex } from 'node:stream';
import { abortReason } from '../../lifetime.ts';
import { ByteQueue } from './byteQueue.ts';
import type { StreamReply } from './engineRequest.ts';

interface Controller {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

type WireHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Sends one request. Resolves as soon as status and headers arrive; the body is then filled from the socket.
 *
 * @param dispatch passes the request with this handler to the connection pool.
 * @param toFailure maps the errors of the socket.
 * @param signal aborts the exchange, also while it waits for a connection.
 */
export async function exchange(
  dispatch: (handler: Exchange) => unknown,
  toFailure: (error: unknown) => Promise<Error>,
  signal: AbortSignal | undefined,
): Promise<ExchangeReply> {
  if (signal?.aborted) throw abortReason(signal);
  const handler = new Exchange(toFailure, signal);
  dispatch(handler);
  return handler.reply;
}

/** A response. If the engine upgraded the connection, it has the socket, and its body is empty. */
export interface ExchangeReply extends StreamReply {
  readonly socket?: Duplex;
}

/** A dispatch handler of undici for one request and its response. */
class Exchange {
  readonly #answer = Promise.withResolvers<ExchangeReply>();
  /** Resolves when status and headers have arrived. */
  readonly reply = this.#answer.promise;
  readonly #toFailure: (error: unknown) => Promise<Error>;
  readonly #signal: AbortSignal | undefined;
  #controller: Controller | undefined;
  #body: ByteQueue | undefined;

  constructor(toFailure: (error: unknown) => Promise<Error>, signal: AbortSignal | undefined) {
    this.#toFailure = toFailure;
    this.#signal = signal;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#signal?.aborted) controller.abort(abortReason(this.#signal));
  }

  onRequestUpgrade(
    _controller: Controller,
    status: number,
    headers: WireHeaders,
    socket: Duplex,
  ): void {
    this.#release();
    const body = new ByteQueue();
    body.finish();
    this.#answer.resolve({ status, headers: plainHeaders(headers), body, socket });
  }

  onResponseStart(controller: Controller, status: number, headers: WireHeaders): void {
    // Informational responses (100 to 199) precede the actual one.
    if (status < 200) return;
    const body = (this.#body = new ByteQueue(controller, () => {
      this.#release();
      controller.abort(new DOMException('The reader left', 'AbortError'));
    }));
    this.#answer.resolve({ status, headers: plainHeaders(headers), body });
  }

  onResponseData(_controller: Controller, chunk: Uint8Array): void {
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    this.#release();
    this.#body?.finish();
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#release();
    void this.#toFailure(error).then((failure) => {
      this.#fail(failure);
    });
  }

  /** Rejects first, so that the caller need not wait until the connection is closed. */
  readonly #onAbort = (): void => {
    if (!this.#signal) return;
    const reason = abortReason(this.#signal);
    this.#fail(reason);
    this.#controller?.abort(reason);
  };

  #fail(error: Error): void {
    if (this.#body) this.#body.fail(error);
    else this.#answer.reject(error);
  }

  #release(): void {
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

function plainHeaders(headers: WireHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [[name.toLowerCase(), typeof value === 'string' ? value : value.join(', ')]],
    ),
  );
}
