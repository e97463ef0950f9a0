import Pool from 'undici/lib/dispatcher/pool.js';
import type { Endpoint, TcpTransport } from '../discovery/endpoint.ts';
import type { Lane, Tunnel, Entrance } from './tunnel.ts';
import { connect } from 'node:net';
import { asError } from '../errors.ts';
import { awaitOpen, KEPT_ALIVE, tlsConnector, type OnConnect } from './tlsConnector.ts';

/**
 * The connection pools of one engine, one per lane. Lanes share no connections: streams and long calls would
 * starve the short calls.
 */
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

  /** Returns the pool for a ping: that of the calls, unless pending calls use all of its connections. */
  forPing(): PoolDispatcher {
    const calls = this.of('call');
    const sizes = this.#tunnel?.isNarrow === true ? FEW : SIZES;
    return calls.stats.size < (sizes.call ?? 0) ? calls : this.of('ping');
  }

  /** Fails all pending and future requests with this error. */
  close(error: Error): void {
    this.#isClosed = true;
    this.cut(error);
  }

  /** Fails all pending requests with this error. The next request opens new connections. */
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
      // Time limits are set per call, and streams have none.
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

/** The maximum number of connections per lane; null for no limit. */
const SIZES: Sizes = { call: 6, ping: 1, events: null, long: null, stream: null };
/**
 * The same for a tunnel with few sessions. Calls wait in their pool, so a canceled call is never sent. The second
 * event stream is for a diagnosis.
 */
const FEW: Sizes = { call: 2, ping: 1, events: 2, long: 3, stream: null };

/** Opens the sockets of a pool. */
type Connector = (options: object, onConnect: OnConnect) => void;

/** Returns how a pool connects to `endpoint`: options for undici's own connector, or a connector. */
function endpointConnector(
  { transport }: Endpoint,
  tunnel: Tunnel | undefined,
  lane: Lane,
): object | Connector {
  if (transport.kind === 'socket') return { socketPath: transport.path };
  return transport.kind === 'tcp' ? overTcp(transport) : throughTunnel(tunnel, lane);
}

/** Returns the origin of the requests. A socket needs a name for the Host header, and any name will do. */
function requestOrigin({ transport }: Endpoint): string {
  if (transport.kind !== 'tcp') return 'http://localhost';
  const { host, port, tls } = transport;
  return `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function overTcp(transport: TcpTransport): Connector {
  const { host, port, tls } = transport;
  if (tls) return tlsConnector(transport, tls);
  return (_options, onConnect) => {
    const socket = connect({ host, port, ...KEPT_ALIVE });
    awaitOpen(socket, 'connect', host, onConnect);
  };
}

function throughTunnel(tunnel: Tunnel | undefined, lane: Lane): Connector {
  return (_options, onConnect) => {
    if (!tunnel) throw new Error('An endpoint over ssh needs a tunnel');
    tunnel.enter(lane).then(
      (entrance) => {
        connectTo(entrance, onConnect);
      },
      (error: unknown) => {
        onConnect(asError(error), null);
      },
    );
  };
}

function connectTo({ path, leave }: Entrance, onConnect: OnConnect): void {
  const socket = connect(path);
  let wasOpened = false;
  socket.once('connect', () => {
    wasOpened = true;
  });
  socket.once('close', () => {
    leave(wasOpened);
  });
  awaitOpen(socket, 'connect', '', onConnect);
}
