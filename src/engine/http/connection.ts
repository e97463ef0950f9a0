import { Readable, type Duplex } from 'node:stream';
import { abortReason, type Disposable } from '../../base/lifetime.ts';
import type { Endpoint } from './endpoint.ts';
import { withTimeLimit, withSignal } from './withTimeLimit.ts';
import {
  CONNECTION_REASONS,
  EngineError,
  failedWith,
  UploadError,
  type FailureReason,
  type RequestContext,
} from '../errors.ts';
import { exchange, type ExchangeReply } from './exchange.ts';
import { connectionFailure } from './connectionFailure.ts';
import type { EngineInfo } from '../model.ts';
import { Pools, type EnginePool } from './pools.ts';
import {
  asPingFailure,
  asVersionFailure,
  readBody,
  readRefusal,
  readReply,
  SHORT_BODY_LIMIT,
  type Refusal,
  withPinnedApi,
} from './readReply.ts';
import type { EngineRequest, Reply, StreamReply, WireRequest } from './engineRequest.ts';
import { openBody } from './requestBody.ts';
import {
  operationOf,
  outcomeOf,
  formatRequestPath,
  wirePath,
  type RequestRecord,
} from './requestRecord.ts';
import type { Lane, OpenTunnel, Tunnel } from './tunnel.ts';
import { ANSWER_LIMIT } from '../wire/parseJson.ts';
import { openDuplexStream, type DuplexStream } from './duplexStream.ts';
import { isOfAnotherVersion, isVersionRefusal, readPing } from '../capabilities/version.ts';

/** A connection to one engine. Rejects with an EngineError if the status of a response is not 2xx or 304. */
export type Connection = Readonly<PooledConnection>;

/** A socket of an engine on which HTTP/2 is spoken. */
export interface Http2Socket {
  readonly socket: Duplex;
  /** Maps an error of the socket to the one to show. */
  readonly toFailure: (error: unknown) => Promise<Error>;
}

export interface ConnectionOptions {
  /** Called for every request as soon as its status or its failure is known. */
  readonly onRequest?: (record: RequestRecord) => void;
  readonly userAgent?: string;
  /** Opens the tunnel of an SSH endpoint. */
  readonly openTunnel?: OpenTunnel;
  /** Time limits in milliseconds; tests use shorter ones. */
  readonly limits?: {
    readonly callMs: number;
    /** Limit of a patient call. Default: `callMs`. */
    readonly patientMs?: number;
    readonly pingMs: number;
  };
}

const LIMITS = { callMs: 30_000, patientMs: 300_000, pingMs: 10_000 };

/** Creates a connection to an engine. Nothing is sent before the first request. */
export function openConnection(endpoint: Endpoint, options: ConnectionOptions = {}): Connection {
  return new PooledConnection(endpoint, options);
}

class PooledConnection implements Disposable {
  readonly endpoint: Endpoint;
  /** Duration of the last ping in milliseconds. */
  lastPingMs = 0;
  readonly #options: ConnectionOptions;
  readonly #limits: NonNullable<ConnectionOptions['limits']>;
  readonly #pools: Pools;
  readonly #tunnel: Tunnel | undefined;
  /** Sockets of upgraded connections, which no longer belong to a pool. */
  readonly #upgraded = new Set<Duplex>();
  #info: Promise<EngineInfo> | undefined;
  /** Why the connection accepts no more requests; undefined while it is open. */
  #closed: EngineError | undefined;

  constructor(endpoint: Endpoint, options: ConnectionOptions) {
    this.endpoint = endpoint;
    this.#options = options;
    this.#limits = options.limits ?? LIMITS;
    const { transport, url } = endpoint;
    this.#tunnel = transport.kind === 'ssh' ? options.openTunnel?.(transport, url) : undefined;
    this.#pools = new Pools(endpoint, this.#tunnel);
  }

  /** Resolves to the engine and the API version in use. Pings the engine (`GET /_ping`) on first use. */
  async info(signal?: AbortSignal): Promise<EngineInfo> {
    return withSignal((this.#info ??= this.#ask()), signal);
  }

  /** Pings the engine again: after a lost connection it may be another engine or another version. */
  async renew(signal?: AbortSignal): Promise<EngineInfo> {
    this.#info = undefined;
    return this.info(signal);
  }

  /**
   * Called if the user wants to try again: lets a tunnel connect again after a failure that is not retried
   * automatically.
   */
  retry(): void {
    this.#tunnel?.retry();
  }

  /** Fails all pending requests with `cut` because their sockets are dead. The next request opens new ones. */
  cut(): void {
    const error = new EngineError('cut', { endpoint: this.endpoint.url });
    this.#pools.cut(error);
    this.#endUpgraded(error);
  }

  /**
   * Sends a request and resolves to the complete response.
   *
   * @throws EngineError `timeout` past the limit of the call; the abort reason of the signal.
   */
  async send(request: EngineRequest): Promise<Reply> {
    const { callMs, patientMs = callMs } = this.#limits;
    const usualMs = request.isPatient === true ? patientMs : callMs;
    const { answerLimit = ANSWER_LIMIT, limitMs = usualMs } = request;
    const lane = request.limitMs === undefined ? 'call' : 'long';
    if (this.#tunnel) await this.#reach(this.#tunnel, request);
    return withTimeLimit(limitMs, request, this.endpoint, async (signal) => {
      const reply = await this.#versioned(lane, { ...request, signal });
      const where = this.#details(request);
      return readReply(reply, await readBody(reply.body, answerLimit, where), where, answerLimit);
    });
  }

  /** Resolves as soon as the headers arrive. The body has no time limit and ends with the signal. */
  async stream(request: EngineRequest): Promise<StreamReply> {
    return this.#versioned(request.isVital === true ? 'events' : 'stream', request);
  }

  /**
   * Opens a stream in both directions (`Upgrade: tcp`). Resolves once the engine has accepted the upgrade. The
   * stream has no time limit and ends with the signal.
   */
  async upgrade(request: EngineRequest): Promise<DuplexStream> {
    const reply = await this.#versioned('stream', { ...request, upgrade: 'tcp' });
    if (reply.socket) this.#keep(reply.socket);
    return openDuplexStream(reply, (error) => this.#failure(error, request), request.signal);
  }

  /**
   * Opens a socket for HTTP/2: by a request with `Upgrade: h2c`, or without any request, for an engine that supports
   * HTTP/2 from the first byte. The socket has no time limit and is not closed by the signal.
   *
   * @throws EngineError `badAnswer` if the engine or a proxy sends an ordinary response instead of an upgrade.
   */
  async openHttp2(request: EngineRequest, isPlain = false): Promise<Http2Socket> {
    const toFailure = (error: unknown): Promise<Error> => this.#failure(error, request);
    const socket = isPlain ? await this.#openPlain(request) : await this.#openUpgraded(request);
    if (!socket) throw new EngineError('badAnswer', this.#details(request));
    this.#keep(socket);
    return { socket, toFailure };
  }

  async #openUpgraded(request: EngineRequest): Promise<Duplex | undefined> {
    const reply = await this.#versioned('stream', { ...request, upgrade: 'h2c' });
    if (!reply.socket) await reply.body[Symbol.asyncIterator]().return?.();
    return reply.socket;
  }

  async #openPlain(request: EngineRequest): Promise<Duplex> {
    if (this.#closed) throw this.#closed;
    try {
      if (this.#tunnel) await this.#tunnel.open(request.signal);
      return await this.#pools.openHttp2();
    } catch (error) {
      throw await this.#failure(error, request);
    }
  }

  #keep(socket: Duplex): void {
    this.#upgraded.add(socket);
    socket.once('close', () => this.#upgraded.delete(socket));
    if (this.#closed) socket.destroy(this.#closed);
  }

  /** Fails all pending requests, with `cut` unless another reason is given, and refuses new ones. */
  dispose(reason: FailureReason = 'cut'): void {
    if (this.#closed) return;
    const closed = (this.#closed = new EngineError(reason, { endpoint: this.endpoint.url }));
    this.#pools.close(closed);
    this.#endUpgraded(closed);
    this.#tunnel?.dispose();
  }

  #endUpgraded(error: Error): void {
    for (const socket of this.#upgraded) socket.destroy(error);
  }

  /** Negotiates once for all concurrent callers. A failed result is discarded, unless a newer one has replaced it. */
  #ask(): Promise<EngineInfo> {
    const asked = this.#negotiate();
    asked.catch(() => {
      if (this.#info === asked) this.#info = undefined;
    });
    return asked;
  }

  async #negotiate(): Promise<EngineInfo> {
    const request: EngineRequest = { method: 'GET', path: '/_ping' };
    if (this.#tunnel) await this.#reach(this.#tunnel, request);
    return withTimeLimit(this.#limits.pingMs, request, this.endpoint, async (signal) => {
      const startedAt = performance.now();
      const reply = await this.#answered(this.#pools.forPing(), { ...request, signal }, '');
      if ('failure' in reply) throw asPingFailure(reply);
      const body = await readBody(reply.body, SHORT_BODY_LIMIT, this.#details(request));
      this.lastPingMs = performance.now() - startedAt;
      const info = readPing(reply.headers, body.toString(), this.endpoint.url);
      return withPinnedApi(info, this.endpoint.pinnedApi, this.endpoint.url);
    });
  }

  /**
   * Sends a request with the API version in its path. If the version is no longer supported, negotiates again, once.
   */
  async #versioned(lane: Lane, request: WireRequest): Promise<ExchangeReply> {
    const info = await this.info(request.signal);
    // The pool depends on `isNarrow` of the tunnel, which is known only after `info()` has opened the tunnel.
    const pool = this.#pools.of(lane);
    const first = await this.#answered(pool, request, `/v${info.api}`);
    if (!('failure' in first)) return first;
    const isRefused = isVersionRefusal(first.failure);
    const isAnother = isOfAnotherVersion(info, first.failure, first.headers);
    if (isRefused || isAnother) this.#info = undefined;
    if (!isRefused && !(isAnother && isHarmless(request))) throw first.failure;
    const renewed = await this.info(request.signal);
    const second = await this.#answered(pool, request, `/v${renewed.api}`);
    if ('failure' in second) throw asVersionFailure(renewed, second, this.endpoint);
    return second;
  }

  /** Retries a `GET` or `HEAD` once, because an engine may close an idle connection just as it is used. */
  async #answered(
    pool: EnginePool,
    request: WireRequest,
    prefix: string,
  ): Promise<ExchangeReply | Refusal> {
    try {
      return await this.#once(pool, request, prefix);
    } catch (error) {
      if (!isHarmless(request) || this.#closed || !failedWith(error, 'cut')) throw error;
      return this.#once(pool, request, prefix);
    }
  }

  async #once(
    pool: EnginePool,
    request: WireRequest,
    prefix: string,
  ): Promise<ExchangeReply | Refusal> {
    const startedAt = performance.now();
    const reply = await this.#dispatch(pool, request, prefix).catch((thrown: unknown) =>
      this.#failed(thrown, request, prefix, startedAt),
    );
    this.#log(request, prefix, reply.status, startedAt);
    // Redirects are not followed: a POST would become a GET.
    const isSuccess = reply.status < 300 || reply.status === 304;
    return isSuccess ? reply : readRefusal(reply, this.#details(request));
  }

  /**
   * Opens the tunnel. This happens before the time limit of a call starts, because the user may be answering a
   * prompt of ssh.
   */
  async #reach(tunnel: Tunnel, request: EngineRequest): Promise<void> {
    const startedAt = performance.now();
    await tunnel
      .open(request.signal)
      .catch((thrown: unknown) => this.#failed(thrown, request, '', startedAt));
  }

  async #failed(
    thrown: unknown,
    request: WireRequest,
    prefix: string,
    startedAt: number,
  ): Promise<never> {
    const error = await this.#failure(thrown, request);
    this.#log(request, prefix, outcomeOf(error), startedAt);
    throw error;
  }

  #failure(thrown: unknown, request: EngineRequest): Promise<Error> {
    if (request.signal?.aborted) return Promise.resolve(abortReason(request.signal));
    if (thrown instanceof UploadError) return Promise.resolve(thrown);
    if (this.#closed) return Promise.resolve(this.#closed);
    return connectionFailure(thrown, this.endpoint, operationOf(request));
  }

  #dispatch(pool: EnginePool, request: WireRequest, prefix: string): Promise<ExchangeReply> {
    const { transport } = this.endpoint;
    const base = transport.kind === 'tcp' ? transport.base : '';
    const body = openBody(request);
    const outgoing = {
      method: request.method,
      path: wirePath(base + prefix + request.path, request.query),
      headers: [
        { 'user-agent': this.#options.userAgent ?? 'Gantry' },
        this.endpoint.headers ?? {},
        body.headers,
        request.headers ?? {},
      ],
      body: body.content,
      upgrade: request.upgrade,
    };
    return exchange(pool, outgoing, (error) => this.#failure(error, request), request.signal).catch(
      (error: unknown) => {
        // The request was not sent, so its source must not be read.
        if (body.content instanceof Readable) body.content.destroy();
        throw error;
      },
    );
  }

  #log(request: WireRequest, prefix: string, outcome: number | string, startedAt: number): void {
    const milliseconds = performance.now() - startedAt;
    const path = formatRequestPath(prefix + request.path, request.query);
    // A timeout with a limit given by the caller means that the call took long, not that the engine is gone.
    const isSlow = outcome === 'timeout' && request.limitMs === undefined;
    const isLoss = isSlow || outcome === 'cut' || CONNECTION_REASONS.includes(String(outcome));
    const isRoutine = request.isRoutine === true && outcome === 200;
    const { method } = request;
    this.#options.onRequest?.({ method, path, outcome, milliseconds, isLoss, isRoutine });
  }

  #details(request: EngineRequest): RequestContext {
    return { endpoint: this.endpoint.url, operation: operationOf(request) };
  }
}

/** Returns whether a request only reads, so that it may be sent twice. */
function isHarmless({ method }: EngineRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}
