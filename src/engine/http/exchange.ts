import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { abortReason } from '../../lifetime.ts';
import { asError } from '../errors.ts';
import { ByteQueue } from './byteQueue.ts';
import type { StreamReply } from './engineRequest.ts';
import { RequestWriter, type Outgoing } from './requestWriter.ts';
import { ResponseParser, type ResponseHandler, type ResponseHead } from './responseParser.ts';
import { IDLE_MS, type SocketPool, type SocketUser } from './socketPool.ts';

/**
 * Sends one request. Resolves as soon as status and headers arrive; the body is then filled from the socket.
 *
 * @param toFailure maps the errors of the socket.
 * @param signal aborts the exchange, also while it waits for a socket.
 */
export async function exchange(
  pool: SocketPool,
  outgoing: Outgoing,
  toFailure: (error: unknown) => Promise<Error>,
  signal: AbortSignal | undefined,
): Promise<ExchangeReply> {
  if (signal?.aborted) throw abortReason(signal);
  const user = new Exchange(pool, outgoing, toFailure, signal);
  pool.request(user);
  return user.reply;
}

/** A response. If the engine upgraded the connection, it has the socket, and its body is empty. */
export interface ExchangeReply extends StreamReply {
  readonly socket?: Duplex;
}

/** One request and its response. */
class Exchange implements SocketUser, ResponseHandler {
  readonly #answer = Promise.withResolvers<ExchangeReply>();
  /** Resolves when status and headers have arrived. */
  readonly reply = this.#answer.promise;
  readonly #pool: SocketPool;
  readonly #outgoing: Outgoing;
  readonly #toFailure: (error: unknown) => Promise<Error>;
  readonly #signal: AbortSignal | undefined;
  readonly #parser: ResponseParser;
  #socket: Socket | undefined;
  #writer: RequestWriter | undefined;
  #head: ResponseHead | undefined;
  #body: ByteQueue | undefined;
  #isOver = false;

  constructor(
    pool: SocketPool,
    outgoing: Outgoing,
    toFailure: (error: unknown) => Promise<Error>,
    signal: AbortSignal | undefined,
  ) {
    this.#pool = pool;
    this.#outgoing = outgoing;
    this.#toFailure = toFailure;
    this.#signal = signal;
    this.#parser = new ResponseParser(outgoing.method, this);
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  use(socket: Socket): void {
    this.#socket = socket;
    socket.on('data', this.#onBytes).on('end', this.#onClose);
    socket.on('error', this.#onError).on('close', this.#onClose);
    try {
      this.#writer = new RequestWriter(socket, this.#outgoing, this.#pool.keepsAlive, (error) => {
        this.fail(error);
      });
    } catch (error) {
      this.fail(asError(error));
    }
  }

  fail(error: Error): void {
    if (this.#isOver) return;
    this.#end(0);
    void this.#toFailure(error).then((failure) => {
      this.#reject(failure);
    });
  }

  onHead(head: ResponseHead): void {
    this.#head = head;
    if (head.status === 101) return;
    const whileOpen = (act: (socket: Socket | undefined) => void) => () => {
      // The socket may already be used for another request.
      if (!this.#isOver) act(this.#socket);
    };
    const sender = {
      pause: whileOpen((socket) => socket?.pause()),
      resume: whileOpen((socket) => socket?.resume()),
    };
    this.#body = new ByteQueue(sender, () => {
      this.#end(0);
    });
    this.#answer.resolve({ ...head, body: this.#body });
  }

  onData(chunk: Buffer): void {
    this.#body?.push(chunk);
  }

  readonly #onBytes = (bytes: Buffer): void => {
    try {
      const rest = this.#parser.push(bytes);
      if (this.#parser.isDone && !this.#isOver) this.#complete(rest);
    } catch (error) {
      this.fail(asError(error));
    }
  };

  #complete(rest: Buffer): void {
    if (this.#head?.status === 101) {
      this.#upgrade(rest);
      return;
    }
    // A socket is not used again if the engine has not taken the whole request or sent more than the response.
    const isReusable =
      this.#parser.isKeptAlive &&
      this.#writer?.isComplete === true &&
      this.#outgoing.upgrade === undefined &&
      rest.length === 0;
    this.#end(isReusable ? idleTimeOf(this.#head) : 0);
    this.#body?.finish();
  }

  #upgrade(rest: Buffer): void {
    const [socket, head] = [this.#socket, this.#head];
    if (this.#outgoing.upgrade === undefined || !socket || !head) {
      this.fail(closedEarly());
      return;
    }
    // It waits for its reader.
    socket.pause();
    this.#pool.detach(socket);
    this.#end(0);
    socket.unshift(rest);
    const body = new ByteQueue();
    body.finish();
    this.#answer.resolve({ ...head, body, socket });
  }

  readonly #onError = (error: Error & { readonly code?: unknown }): void => {
    // macOS reports a reset even if the whole response has arrived.
    if (error.code === 'ECONNRESET') this.#onClose();
    else this.fail(error);
  };

  readonly #onClose = (): void => {
    if (this.#isOver) return;
    // The socket may know more than that it was closed.
    if (this.#parser.finish()) this.#complete(Buffer.alloc(0));
    else this.fail(this.#socket?.errored ?? closedEarly());
  };

  /** Rejects first, so that the caller need not wait until the connection is closed. */
  readonly #onAbort = (): void => {
    if (!this.#signal) return;
    this.#reject(abortReason(this.#signal));
    this.#end(0);
  };

  #reject(error: Error): void {
    if (this.#body) this.#body.fail(error);
    else this.#answer.reject(error);
  }

  /**
   * Gives the socket back, or no longer waits for one.
   *
   * @param idleMs how long it may stay idle, in milliseconds; 0 to close it.
   */
  #end(idleMs: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#writer?.stop();
    const socket = this.#socket;
    if (socket) {
      socket.off('data', this.#onBytes).off('end', this.#onClose);
      socket.off('error', this.#onError).off('close', this.#onClose);
      this.#pool.release(socket, idleMs);
    } else this.#pool.withdraw(this);
  }
}

/** The longest time that an engine can ask to keep an idle socket open, in milliseconds. */
const LONGEST_IDLE_MS = 600_000;
/** How much earlier than announced by the engine we close an idle socket, so that it is not used too late. */
const EARLIER_MS = 2_000;

/** Returns how long a socket may stay idle after a response, in milliseconds; 0 if it must not be used again. */
function idleTimeOf(head: ResponseHead | undefined): number {
  const hint = head?.headers['keep-alive'] ?? '';
  const [, seconds] = /(?:^|,)[\t ]*timeout=(\d+)/i.exec(hint) ?? [];
  if (seconds === undefined) return IDLE_MS;
  return Math.min(Math.max(Number(seconds) * 1000 - EARLIER_MS, 0), LONGEST_IDLE_MS);
}

/** Returns the error for a connection that was closed without an error. */
function closedEarly(): Error {
  return Object.assign(new Error('other side closed'), { code: 'ECONNRESET' });
}
