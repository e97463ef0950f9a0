import type { Duplex } from 'node:stream';
import { abortReason, type Disposable } from '../../lifetime.ts';
import type { Endpoint } from '../discovery/endpoint.ts';
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
import { withPinnedApi } from './withPinnedApi.ts';
import { Pools, type PoolDispatcher } from './pools.ts';
import {
  asPingFailure,
  asVersionFailure,
  readBody,
  readRefusal,
  readReply,
  Refusal,
} from './readReply.ts';
import type { EngineRequest, Reply, StreamReply, WireRequest } from './engineRequest.ts';
import { openBody, type RequestBody } from './requestBody.ts';
import {
  operationOf,
  outcomeOf,
  formatRequestPath,
  wirePath,
  type RequestRecord,
} from './requestRecord.ts';
import type { Lane, OpenTunnel, Tunnel } from '../ssh/tunnel.ts';
import { ANSWER_LIMIT } from '../parseJson.ts';
import { openDuplexStream, type DuplexStream } from './duplexStream.ts';
import { isOfAnotherVersion, isVersionRefusal, readPing } from '../version.ts';

/** The way to one engine. Every status is checked: all but 2xx and 304 reject with an EngineError. */
export interface Connection extends Disposable {
  /** Ends all requests, with `cut` unless another reason is given, and takes no more. */
  dispose(reason?: FailureReason): void;
  readonly endpoint: Endpoint;
  /** What answers there; negotiates the version on first use. */
  info(signal?: AbortSignal): Promise<EngineInfo>;
  /** Asks anew who answers: after a break it may be another engine, or another version. */
  renew(signal?: AbortSignal): Promise<EngineInfo>;
  /** The person wants it tried again: a tunnel that was given up for good is forgotten. */
  retry(): void;
  /** Ends all requests with `cut`: their sockets lead nowhere. The next request opens new ones. */
  cut(): void;
  /** How long the last ping took, in milliseconds. */
  readonly lastPingMs: number;
  /** A call: answered whole, within its limit. */
  send(request: EngineRequest): Promise<Reply>;
  /** A stream: resolves with the headers, has no limit, ends with its signal. */
  stream(request: EngineRequest): Promise<StreamReply>;
  /** Bytes in both directions: resolves once the engine agreed, has no limit, ends with its signal. */
  upgrade(request: EngineRequest): Promise<DuplexStream>;
}

/** What a connection tells its owner. */
export interface ConnectionOptions {
  /** Hears of every request once its status, or its failure, is known. */
  readonly onRequest?: (record: RequestRecord) => void;
  readonly userAgent?: string;
  /** For endpoints that are reached by ssh. */
  readonly openTunnel?: OpenTunnel;
  /** How long the engine may take, in milliseconds; tests are less patient. */
  readonly limits?: {
    /** For a call that brings no limit of its own. */
    readonly callMs: number;
    /** For one that is patient. Default: the same. */
    readonly patientMs?: number;
    /** To say that it is there. */
    readonly pingMs: number;
  };
}

const LIMITS = { callMs: 30_000, patientMs: 300_000, pingMs: 10_000 };
const ERROR_BODY_LIMIT = 1024 * 1024;

/** Opens the way to an engine. Nothing is sent before the first request. */
export function openConnection(endpoint: Endpoint, options: ConnectionOptions = {}): Connection {
  return new PooledConnection(endpoint, options);
}

class PooledConnection implements Connection {
  readonly endpoint: Endpoint;
  readonly #options: ConnectionOptions;
  readonly #pools: Pools;
  readonly #tunnel: Tunnel | undefined;
  /** Sockets that have left their pool. */
  readonly #upgraded = new Set<Duplex>();
  #info: Promise<EngineInfo> | undefined;
  #lastPingMs = 0;
  /** Why it takes no more requests. */
  #closed: EngineError | undefined;

  get #limits(): NonNullable<ConnectionOptions['limits']> {
    return this.#options.limits ?? LIMITS;
  }

  constructor(endpoint: Endpoint, options: ConnectionOptions) {
    this.endpoint = endpoint;
    this.#options = options;
    this.#tunnel = openTunnelTo(endpoint, options);
    this.#pools = new Pools(endpoint, this.#tunnel);
  }

  async info(signal?: AbortSignal): Promise<EngineInfo> {
    return withSignal((this.#info ??= this.#ask()), signal);
  }

  async renew(signal?: AbortSignal): Promise<EngineInfo> {
    this.#info = undefined;
    return this.info(signal);
  }

  get lastPingMs(): number {
    return this.#lastPingMs;
  }

  retry(): void {
    this.#tunnel?.retry();
  }

  cut(): void {
    const error = new EngineError('cut', { endpoint: this.endpoint.url });
    this.#pools.cut(error);
    this.#endUpgraded(error);
  }

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

  async stream(request: EngineRequest): Promise<StreamReply> {
    return this.#versioned(request.isVital === true ? 'events' : 'stream', request);
  }

  async upgrade(request: EngineRequest): Promise<DuplexStream> {
    const reply = await this.#versioned('stream', { ...request, upgrade: 'tcp' });
    const { socket } = reply;
    if (socket) {
      this.#upgraded.add(socket);
      socket.once('close', () => this.#upgraded.delete(socket));
    }
    return openDuplexStream(reply, (error) => this.#failure(error, request), request.signal);
  }

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

  /** One negotiation for all who ask meanwhile. A failed one is forgotten, unless another follows already. */
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
      if (reply instanceof Refusal) throw asPingFailure(reply);
      const body = await readBody(reply.body, ERROR_BODY_LIMIT, this.#details(request));
      this.#lastPingMs = performance.now() - startedAt;
      const info = readPing(reply.headers, body.toString(), this.endpoint.url);
      return withPinnedApi(info, this.endpoint.pinnedApi, this.endpoint.url);
    });
  }

  /** Sends with the version in the path. A version that no longer fits is negotiated anew, once. */
  async #versioned(lane: Lane, request: WireRequest): Promise<ExchangeReply> {
    const info = await this.info(request.signal);
    // Known by now: whether the tunnel has few sessions.
    const pool = this.#pools.of(lane);
    const first = await this.#answered(pool, request, `/v${info.api}`);
    if (!(first instanceof Refusal)) return first;
    const isRefused = isVersionRefusal(first.failure);
    const isAnother = isOfAnotherVersion(info, first.failure, first.headers);
    if (isRefused || isAnother) this.#info = undefined;
    if (!isRefused && !(isAnother && isHarmless(request))) throw first.failure;
    const renewed = await this.info(request.signal);
    const second = await this.#answered(pool, request, `/v${renewed.api}`);
    if (second instanceof Refusal) throw asVersionFailure(renewed, second, this.endpoint);
    return second;
  }

  /** An engine may close an idle connection just as we use it; asking once more does no harm for what only reads. */
  async #answered(
    pool: PoolDispatcher,
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
    pool: PoolDispatcher,
    request: WireRequest,
    prefix: string,
  ): Promise<ExchangeReply | Refusal> {
    const reply = await this.#logged(pool, request, prefix);
    // A redirection is never followed: a POST would become a GET.
    const isGood = reply.status < 300 || reply.status === 304;
    return isGood ? reply : readRefusal(reply, this.#details(request));
  }

  async #logged(
    pool: PoolDispatcher,
    request: WireRequest,
    prefix: string,
  ): Promise<ExchangeReply> {
    const startedAt = performance.now();
    try {
      const reply = await this.#dispatch(pool, request, prefix);
      this.#log(request, prefix, reply.status, startedAt);
      return reply;
    } catch (thrown) {
      const error = await this.#failure(thrown, request);
      this.#log(request, prefix, outcomeOf(error), startedAt);
      throw error;
    }
  }

  /** Before any limit of a call begins: the person may be thinking over a question of ssh. */
  async #reach(tunnel: Tunnel, request: EngineRequest): Promise<void> {
    const startedAt = performance.now();
    try {
      await tunnel.open(request.signal);
    } catch (thrown) {
      const error = await this.#failure(thrown, request);
      this.#log(request, '', outcomeOf(error), startedAt);
      throw error;
    }
  }

  #failure(thrown: unknown, request: EngineRequest): Promise<Error> {
    if (request.signal?.aborted) return Promise.resolve(abortReason(request.signal));
    if (thrown instanceof UploadError) return Promise.resolve(thrown);
    if (this.#closed) return Promise.resolve(this.#closed);
    return connectionFailure(thrown, this.endpoint, operationOf(request));
  }

  #dispatch(pool: PoolDispatcher, request: WireRequest, prefix: string): Promise<ExchangeReply> {
    const { transport } = this.endpoint;
    const base = transport.kind === 'tcp' ? transport.base : '';
    const body = openBody(request);
    const options = {
      method: request.method,
      path: wirePath(base + prefix + request.path, request.query),
      headers: this.#headers(request, body.headers),
      body: body.content,
      upgrade: request.upgrade ?? null,
    };
    return exchange(
      (handler) => pool.dispatch(options, handler),
      (error) => this.#failure(error, request),
      request.signal,
    ).catch(body.abandon);
  }

  #log(request: WireRequest, prefix: string, outcome: number | string, startedAt: number): void {
    const milliseconds = performance.now() - startedAt;
    const path = formatRequestPath(prefix + request.path, request.query);
    const isLoss = this.#isSignOfLoss(request, outcome);
    this.#options.onRequest?.({ method: request.method, path, outcome, milliseconds, isLoss });
  }

  /** A limit of its own says that this call took long, and nothing of the engine. */
  #isSignOfLoss({ limitMs }: WireRequest, outcome: number | string): boolean {
    if (outcome === 'timeout') return limitMs === undefined;
    return outcome === 'cut' || CONNECTION_REASONS.includes(String(outcome));
  }

  #headers(request: EngineRequest, ofBody: RequestBody['headers']): Record<string, string> {
    return {
      'user-agent': this.#options.userAgent ?? 'Gantry',
      ...this.endpoint.headers,
      ...ofBody,
      ...request.headers,
    };
  }

  #details(request: EngineRequest): RequestContext {
    return { endpoint: this.endpoint.url, operation: operationOf(request) };
  }
}

/** Whether a request may be sent twice: it only reads. */
function isHarmless({ method }: EngineRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

function openTunnelTo(endpoint: Endpoint, { openTunnel }: ConnectionOptions): Tunnel | undefined {
  const { transport, url } = endpoint;
  return transport.kind === 'ssh' ? openTunnel?.(transport, url) : undefined;
}
