import Pool from 'undici/lib/dispatcher/pool.js';
import { endpointConnector, requestOrigin } from './endpointConnector.ts';
import type { Endpoint } from '../discovery/endpoint.ts';
import type { Lane, Tunnel } from '../ssh/tunnel.ts';

/** The connections to one engine. The lanes share none: streams and long calls would starve the short calls. */
export class Pools {
  readonly #endpoint: Endpoint;
  readonly #tunnel: Tunnel | undefined;
  readonly #pools = new Map<string, PoolDispatcher>();
  #isClosed = false;

  constructor(endpoint: Endpoint, tunnel: Tunnel | undefined) {
    this.#endpoint = endpoint;
    this.#tunnel = tunnel;
  }

  of(lane: Lane): PoolDispatcher {
    const isNarrow = this.#tunnel?.isNarrow === true;
    const key = `${lane} ${isNarrow}`;
    const known = this.#pools.get(key);
    if (known) return known;
    const pool = this.#open(lane, isNarrow ? FEW : SIZES);
    this.#pools.set(key, pool);
    if (this.#isClosed) void pool.destroy();
    return pool;
  }

  /** The lane of a ping: that of the calls, but not where hanging calls hold each of its connections. */
  forPing(): PoolDispatcher {
    const calls = this.of('call');
    const sizes = this.#tunnel?.isNarrow === true ? FEW : SIZES;
    return calls.stats.size < (sizes.call ?? 0) ? calls : this.of('ping');
  }

  /** Ends every request with this error, and those to come. */
  close(error: Error): void {
    this.#isClosed = true;
    this.cut(error);
  }

  /** Ends every request with this error. The next one opens new connections. */
  cut(error: Error): void {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    for (const pool of pools) void pool.destroy(error);
  }

  #open(lane: Lane, sizes: Sizes): PoolDispatcher {
    return new Pool(requestOrigin(this.#endpoint), {
      connections: sizes[lane],
      // 0 disables keep-alive: an idle connection would hold a session that another long call needs.
      pipelining: sizes === FEW && lane === 'long' ? 0 : 1,
      allowH2: false,
      // Limits are ours to keep: one for each call, none for streams.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: endpointConnector(this.#endpoint, this.#tunnel, lane) as NonNullable<
        Pool.Options['connect']
      >,
    });
  }
}

export type PoolDispatcher = InstanceType<typeof Pool>;

type Sizes = Readonly<Record<Lane, number | null>>;

/** How many connections each lane may have; null for as many as are wanted. */
const SIZES: Sizes = { call: 6, ping: 1, events: null, long: null, stream: null };
/**
 * Over a tunnel with few sessions. Calls wait in their pool, where a cancelled one is never sent. A second event
 * stream is a diagnosis's.
 */
const FEW: Sizes = { call: 2, ping: 1, events: 2, long: 3, stream: null };
