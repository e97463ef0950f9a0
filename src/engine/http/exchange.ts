import type { Duplex, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import symbols from 'undici/lib/core/symbols.js';
import { abortReason } from '../../base/lifetime.ts';
import { ByteQueue, type Sender } from './byteQueue.ts';
import type { EngineRequest, RequestHeaders, StreamReply } from './engineRequest.ts';
import type { EnginePool } from './pools.ts';

/**
 * Sends one request. Resolves as soon as status and headers arrive; the body is then filled from the socket.
 *
 * An upgrade goes through the same pool: undici sends the request, reads the response, and hands over the socket, so
 * that a refusal, the request log and the renegotiation of the version are those of any other request.
 *
 * @param toFailure maps the errors of undici and of the socket.
 * @param signal aborts the exchange, also while it waits for a connection.
 */
export async function exchange(
  pool: EnginePool,
  outgoing: Outgoing,
  toFailure: (error: unknown) => Promise<Error>,
  signal: AbortSignal | undefined,
): Promise<ExchangeReply> {
  const { connected, free } = pool.stats;
  // undici frees a connection one turn of the event loop after its response. Otherwise a call that follows another
  // would open a second connection, which is a handshake or a session of ssh.
  if (connected > 0 && free === 0) await setImmediate();
  if (signal?.aborted) throw abortReason(signal);
  const handler = new Exchange(toFailure, signal);
  const { method, path, headers, body, upgrade = null } = outgoing;
  const onQueued = { [symbols.kQueuedAbort]: handler.onQueued };
  const options = { method, path, headers: mergeHeaders(headers), body, upgrade };
  pool.dispatch({ ...options, ...onQueued }, handler);
  return handler.reply;
}

interface Outgoing {
  readonly method: EngineRequest['method'];
  /** With the query, encoded. */
  readonly path: string;
  /** The last of several groups replaces headers of those before it. */
  readonly headers: readonly RequestHeaders[];
  readonly body: string | Readable | null;
  /** The protocol to change to, if any. */
  readonly upgrade?: string | undefined;
}

/** A response. If the engine upgraded the connection, it has the socket, and its body is empty. */
export interface ExchangeReply extends StreamReply {
  readonly socket?: Duplex;
}

/** Control of a request that undici passes to its handler. */
interface Controller extends Sender {
  abort(reason: Error): void;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** One request and its response: undici calls it with what happens. */
class Exchange {
  readonly #answer = Promise.withResolvers<ExchangeReply>();
  /** Resolves when status and headers have arrived. */
  readonly reply = this.#answer.promise;
  readonly #toFailure: (error: unknown) => Promise<Error>;
  readonly #signal: AbortSignal | undefined;
  #controller: Controller | undefined;
  #withdraw: ((reason: Error) => void) | undefined;
  #body: ByteQueue | undefined;

  constructor(toFailure: (error: unknown) => Promise<Error>, signal: AbortSignal | undefined) {
    this.#toFailure = toFailure;
    this.#signal = signal;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Called if the request has to wait for a connection. */
  readonly onQueued = (withdraw: (reason: Error) => void): void => {
    this.#withdraw = withdraw;
  };

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#signal?.aborted) controller.abort(abortReason(this.#signal));
  }

  onRequestUpgrade(_: Controller, status: number, headers: Headers, socket: Duplex): void {
    this.#release();
    const body = new ByteQueue();
    body.finish();
    this.#answer.resolve({ status, headers: plainHeaders(headers), body, socket });
  }

  onResponseStart(controller: Controller, status: number, headers: Headers): void {
    // Informational responses precede the actual one.
    if (status < 200) return;
    this.#body = new ByteQueue(controller, () => {
      this.#release();
      controller.abort(new DOMException('The reader left', 'AbortError'));
    });
    this.#answer.resolve({ status, headers: plainHeaders(headers), body: this.#body });
  }

  onResponseData(_: Controller, chunk: Uint8Array): void {
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    this.#release();
    this.#body?.finish();
  }

  onResponseError(_: Controller, error: Error): void {
    this.#release();
    void this.#toFailure(error).then((failure) => this.#fail(failure));
  }

  /** Rejects first, so that the caller need not wait until the connection is closed. */
  readonly #onAbort = (): void => {
    if (!this.#signal) return;
    const reason = abortReason(this.#signal);
    this.#fail(reason);
    if (this.#controller) this.#controller.abort(reason);
    else this.#withdraw?.(reason);
  };

  #fail(error: Error): void {
    if (this.#body) this.#body.fail(error);
    else this.#answer.reject(error);
  }

  #release(): void {
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

/** Joins groups of headers. Names are compared in lower case. */
function mergeHeaders(groups: readonly RequestHeaders[]): Record<string, string | string[]> {
  const all = groups.flatMap((group) => Object.entries(group));
  return Object.fromEntries(
    all.map(([name, value]) => [
      name.toLowerCase(),
      typeof value === 'string' ? value : [...value],
    ]),
  );
}

/** Several values of one header are joined. */
function plainHeaders(headers: Headers): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = '']) => [
      name,
      typeof value === 'string' ? value : value.join(', '),
    ]),
  );
}
