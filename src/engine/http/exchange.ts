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
 * One request and its answer: resolves with status and headers, then fills the body from the socket.
 *
 * @param dispatch hands the request with this handler to the connection pool.
 * @param toFailure shapes what the socket threw.
 * @param signal ends the exchange at once, also while it waits for a connection.
 */
export function exchange(
  dispatch: (handler: ExchangeHandler) => unknown,
  toFailure: (error: unknown) => Promise<Error>,
  signal: AbortSignal | undefined,
): Promise<ExchangeReply> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(abortReason(signal));
      return;
    }
    dispatch(new Exchange(resolve, reject, toFailure, signal));
  });
}

/** The part of undici's dispatch handler that is used here. */
export interface ExchangeHandler {
  onRequestStart(controller: Controller): void;
  onRequestUpgrade(
    controller: Controller,
    status: number,
    headers: WireHeaders,
    socket: Duplex,
  ): void;
  onResponseStart(controller: Controller, status: number, headers: WireHeaders): void;
  onResponseData(controller: Controller, chunk: Uint8Array): void;
  onResponseEnd(): void;
  onResponseError(controller: Controller, error: Error): void;
}

/** An answer; where the engine went over to a protocol of its own, with the socket instead of a body. */
export interface ExchangeReply extends StreamReply {
  readonly socket?: Duplex;
}

/** What happens between the request and the end of its answer. */
class Exchange implements ExchangeHandler {
  readonly #resolve: (reply: ExchangeReply) => void;
  readonly #reject: (error: Error) => void;
  readonly #toFailure: (error: unknown) => Promise<Error>;
  readonly #signal: AbortSignal | undefined;
  #controller: Controller | undefined;
  #body: ByteQueue | undefined;

  constructor(
    resolve: (reply: ExchangeReply) => void,
    reject: (error: Error) => void,
    toFailure: (error: unknown) => Promise<Error>,
    signal: AbortSignal | undefined,
  ) {
    this.#resolve = resolve;
    this.#reject = reject;
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
    const body = new ByteQueue({
      pause: () => undefined,
      resume: () => undefined,
      abandon: () => undefined,
    });
    body.finish();
    this.#resolve({ status, headers: plainHeaders(headers), body, socket });
  }

  onResponseStart(controller: Controller, status: number, headers: WireHeaders): void {
    // Informational answers (100 to 199) come before the real one.
    if (status < 200) return;
    const body = (this.#body = new ByteQueue({
      pause: () => {
        controller.pause();
      },
      resume: () => {
        controller.resume();
      },
      abandon: () => {
        this.#release();
        controller.abort(new DOMException('The reader left', 'AbortError'));
      },
    }));
    this.#resolve({ status, headers: plainHeaders(headers), body });
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

  /** The one who cancelled hears at once; the connection follows. */
  readonly #onAbort = (): void => {
    if (!this.#signal) return;
    const reason = abortReason(this.#signal);
    this.#fail(reason);
    this.#controller?.abort(reason);
  };

  #fail(error: Error): void {
    if (this.#body) this.#body.fail(error);
    else this.#reject(error);
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
