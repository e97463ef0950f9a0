import Pool from 'undici/lib/dispatcher/pool.js';
import { abortReason, type Disposable } from '../lifetime.ts';
import type { Endpoint } from './endpoint.ts';
import { withLimit, withSignal } from './limits.ts';
import { EngineError, failedWith } from './errors.ts';
import { exchange } from './exchange.ts';
import { connectionFailure } from './failures.ts';
import type { EngineInfo } from './model.ts';
import {
  asPingFailure,
  asVersionFailure,
  readBody,
  readRefusal,
  readReply,
  Refusal,
  type Where,
} from './replies.ts';
import type { EngineRequest, Reply, StreamReply } from './request.ts';
import { operationOf, shownPath, wirePath, type RequestRecord } from './requestRecord.ts';
import { isVersionRefusal, readPing } from './version.ts';

/** The way to one engine. Every status is checked: all but 2xx and 304 reject with an EngineError. */
export interface Connection extends Disposable {
  readonly endpoint: Endpoint;
  /** What answers there; negotiates the version on first use. */
  info(signal?: AbortSignal): Promise<EngineInfo>;
  /** Asks anew who answers: after a break it may be another engine, or another version. */
  renew(signal?: AbortSignal): Promise<EngineInfo>;
  /** A call: answered whole, within its limit. */
  send(request: EngineRequest): Promise<Reply>;
  /** A stream: resolves with the headers, has no limit, ends with its signal. */
  stream(request: EngineRequest): Promise<StreamReply>;
}

/** What a connection tells its owner. */
export interface ConnectionOptions {
  /** Hears of every request once its status, or its failure, is known. */
  readonly onRequest?: (record: RequestRecord) => void;
  readonly userAgent?: string;
}

const READ_LIMIT_MS = 30_000;
const PING_LIMIT_MS = 10_000;
const ERROR_BODY_LIMIT = 1024 * 1024;
const BODY_LIMIT = 256 * 1024 * 1024;

/** Opens the way to an engine. Nothing is sent before the first request. */
export function openConnection(endpoint: Endpoint, options: ConnectionOptions = {}): Connection {
  return new PooledConnection(endpoint, options);
}

type PoolDispatcher = InstanceType<typeof Pool>;

class PooledConnection implements Connection {
  readonly endpoint: Endpoint;
  readonly #options: ConnectionOptions;
  // Streams and long calls have a pool of their own: they would starve the short calls of connections.
  readonly #calls: PoolDispatcher;
  readonly #streams: PoolDispatcher;
  #info: Promise<EngineInfo> | undefined;
  #isDisposed = false;

  constructor(endpoint: Endpoint, options: ConnectionOptions) {
    this.endpoint = endpoint;
    this.#options = options;
    this.#calls = openPool(endpoint, 6);
    this.#streams = openPool(endpoint, null);
  }

  async info(signal?: AbortSignal): Promise<EngineInfo> {
    return withSignal((this.#info ??= this.#ask()), signal);
  }

  async renew(signal?: AbortSignal): Promise<EngineInfo> {
    this.#info = undefined;
    return this.info(signal);
  }

  async send(request: EngineRequest): Promise<Reply> {
    const limitMs = request.limitMs ?? READ_LIMIT_MS;
    const pool = limitMs === READ_LIMIT_MS ? this.#calls : this.#streams;
    return withLimit(limitMs, request, this.endpoint, async (signal) => {
      const reply = await this.#versioned(pool, { ...request, signal });
      const where = this.#details(request);
      return readReply(reply, await readBody(reply.body, BODY_LIMIT, where), where);
    });
  }

  async stream(request: EngineRequest): Promise<StreamReply> {
    return this.#versioned(this.#streams, request);
  }

  dispose(): void {
    this.#isDisposed = true;
    const closed = new EngineError('cut', { endpoint: this.endpoint.url });
    void this.#calls.destroy(closed);
    void this.#streams.destroy(closed);
  }

  /** One negotiation for all who ask meanwhile. A failed one is forgotten, unless another follows already. */
  #ask(): Promise<EngineInfo> {
    const asked = this.#negotiate();
    asked.catch(() => {
      if (this.#info === asked) this.#info = undefined;
    });
    return asked;
  }

  #negotiate(): Promise<EngineInfo> {
    const request: EngineRequest = { method: 'GET', path: '/_ping' };
    return withLimit(PING_LIMIT_MS, request, this.endpoint, async (signal) => {
      const reply = await this.#answered(this.#calls, { ...request, signal }, '');
      if (reply instanceof Refusal) throw asPingFailure(reply);
      const body = await readBody(reply.body, ERROR_BODY_LIMIT, this.#details(request));
      return readPing(reply.headers, body.toString(), this.endpoint.url);
    });
  }

  /** Sends with the version in the path. A version that no longer fits is negotiated anew, once. */
  async #versioned(pool: PoolDispatcher, request: EngineRequest): Promise<StreamReply> {
    const info = await this.info(request.signal);
    const first = await this.#answered(pool, request, `/v${info.api}`);
    if (!(first instanceof Refusal)) return first;
    if (!isVersionRefusal(info, first.failure, first.headers)) throw first.failure;
    this.#info = undefined;
    const renewed = await this.info(request.signal);
    const second = await this.#answered(pool, request, `/v${renewed.api}`);
    if (second instanceof Refusal) throw asVersionFailure(renewed, second);
    return second;
  }

  /** An engine may close an idle connection just as we use it; asking once more does no harm for a GET. */
  async #answered(
    pool: PoolDispatcher,
    request: EngineRequest,
    prefix: string,
  ): Promise<StreamReply | Refusal> {
    try {
      return await this.#once(pool, request, prefix);
    } catch (error) {
      if (request.method !== 'GET' || this.#isDisposed || !failedWith(error, 'cut')) throw error;
      return this.#once(pool, request, prefix);
    }
  }

  async #once(
    pool: PoolDispatcher,
    request: EngineRequest,
    prefix: string,
  ): Promise<StreamReply | Refusal> {
    const reply = await this.#logged(pool, request, prefix);
    // A redirection is never followed: a POST would become a GET.
    const isGood = reply.status < 300 || reply.status === 304;
    return isGood ? reply : readRefusal(reply, this.#details(request));
  }

  async #logged(
    pool: PoolDispatcher,
    request: EngineRequest,
    prefix: string,
  ): Promise<StreamReply> {
    const startedAt = performance.now();
    try {
      const reply = await this.#dispatch(pool, request, prefix);
      this.#log(request, prefix, reply.status, startedAt);
      return reply;
    } catch (thrown) {
      const error = await this.#failure(thrown, request);
      const outcome = error instanceof EngineError ? error.reason : 'cancelled';
      this.#log(request, prefix, outcome, startedAt);
      throw error;
    }
  }

  #failure(thrown: unknown, request: EngineRequest): Promise<Error> {
    if (request.signal?.aborted) return Promise.resolve(abortReason(request.signal));
    return connectionFailure(thrown, this.endpoint, operationOf(request));
  }

  #dispatch(pool: PoolDispatcher, request: EngineRequest, prefix: string): Promise<StreamReply> {
    const { transport } = this.endpoint;
    const base = transport.kind === 'tcp' ? transport.base : '';
    const body = request.body === undefined ? null : JSON.stringify(request.body);
    const options = {
      method: request.method,
      path: wirePath(base + prefix + request.path, request.query),
      headers: this.#headers(request, body !== null),
      body,
    };
    return exchange(
      (handler) => pool.dispatch(options, handler),
      (error) => this.#failure(error, request),
      request.signal,
    );
  }

  #log(request: EngineRequest, prefix: string, outcome: number | string, startedAt: number): void {
    const milliseconds = performance.now() - startedAt;
    const path = shownPath(prefix + request.path, request.query);
    this.#options.onRequest?.({ method: request.method, path, outcome, milliseconds });
  }

  #headers(request: EngineRequest, hasBody: boolean): Record<string, string> {
    return {
      'user-agent': this.#options.userAgent ?? 'Gantry',
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...request.headers,
    };
  }

  #details(request: EngineRequest): Where {
    return { endpoint: this.endpoint.url, operation: operationOf(request) };
  }
}

function openPool(endpoint: Endpoint, connections: number | null): PoolDispatcher {
  const { transport } = endpoint;
  const origin =
    transport.kind === 'tcp'
      ? `http://${urlHost(transport.host)}:${transport.port}`
      : // A name is needed for the Host header; over a socket any will do.
        'http://localhost';
  return new Pool(origin, {
    connections,
    allowH2: false,
    // Limits are ours to keep: one for each call, none for streams.
    headersTimeout: 0,
    bodyTimeout: 0,
    ...(transport.kind === 'socket' ? { connect: { socketPath: transport.path } } : {}),
  });
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
