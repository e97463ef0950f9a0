import type { Endpoint, TcpTransport } from './endpoint.ts';
import type { Lane, Tunnel, Entrance } from './tunnel.ts';
import { connect, type Socket } from 'node:net';
import Pool from 'undici/lib/dispatcher/pool.js';
import { asError } from '../errors.ts';
import {
  awaitOpen,
  KEPT_ALIVE,
  tlsConnector,
  type OnConnect,
  type Protocol,
} from './tlsConnector.ts';

/**
 * The connection pools of one engine, one per lane. Lanes share no connections: streams and long calls would
 * starve the short calls.
 */
export class Pools {
  readonly #endpoint: Endpoint;
  readonly #tunnel: Tunnel | undefined;
  readonly #pools = new Map<string, EnginePool>();
  #closed: Error | undefined;

  constructor(endpoint: Endpoint, tunnel: Tunnel | undefined) {
    this.#endpoint = endpoint;
    this.#tunnel = tunnel;
  }

  of(lane: Lane): EnginePool {
    const isNarrow = this.#tunnel?.isNarrow === true;
    const key = `${lane} ${isNarrow}`;
    const known = this.#pools.get(key);
    if (known) return known;
    const pool = this.#open(lane, isNarrow ? FEW : SIZES);
    this.#pools.set(key, pool);
    if (this.#closed) void pool.destroy(this.#closed);
    return pool;
  }

  /** Returns the pool for a ping: that of the calls, unless pending calls use all of its connections. */
  forPing(): EnginePool {
    const calls = this.of('call');
    const sizes = this.#tunnel?.isNarrow === true ? FEW : SIZES;
    return calls.stats.size < (sizes.call ?? 0) ? calls : this.of('ping');
  }

  /**
   * Opens a socket for HTTP/2 without a request before it. It belongs to no pool: undici speaks only HTTP/1.1 here,
   * and what is spoken on the socket needs both an HTTP/2 client and a server. Rejects with the error of the socket.
   */
  openHttp2(): Promise<Socket> {
    const connector = endpointConnector(this.#endpoint, this.#tunnel, 'stream', 'h2');
    return new Promise((resolve, reject) => {
      connector(undefined, (...[error, socket]) => {
        if (socket) resolve(socket);
        else reject(error);
      });
    });
  }

  /** Fails all pending and future requests with this error. */
  close(error: Error): void {
    this.#closed = error;
    this.cut(error);
  }

  /** Fails all pending requests with this error. The next request opens new connections. */
  cut(error: Error): void {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    for (const pool of pools) void pool.destroy(error);
  }

  #open(lane: Lane, sizes: Sizes): EnginePool {
    return new Pool(requestOrigin(this.#endpoint), {
      connect: endpointConnector(this.#endpoint, this.#tunnel, lane),
      connections: sizes[lane],
      // 0 closes each connection after its request: an idle one would hold a session that another long call needs.
      pipelining: sizes === FEW && lane === 'long' ? 0 : 1,
      allowH2: false,
      maxHeaderSize: 16 * 1024,
      // Calls have time limits of their own, and streams have none. The default is 300 s.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }
}

/** Connections to one engine. Requests wait in order while all of them are in use. */
export type EnginePool = Pool;

type Sizes = Readonly<Record<Lane, number | null>>;

/** The maximum number of connections per lane; null for no limit. */
const SIZES: Sizes = { call: 6, ping: 1, events: null, long: null, stream: null };
/**
 * The same for a tunnel with few sessions. Calls wait in their pool, so a canceled call is never sent. The second
 * event stream is for a diagnosis.
 */
const FEW: Sizes = { call: 2, ping: 1, events: 2, long: 3, stream: null };

/** Opens a socket. undici passes options, which it knows from the origin of its pool. */
type Connector = (options: unknown, onConnect: OnConnect) => void;

function endpointConnector(
  { transport }: Endpoint,
  tunnel: Tunnel | undefined,
  lane: Lane,
  protocol?: Protocol,
): Connector {
  if (transport.kind === 'socket') return overSocket(transport.path);
  return transport.kind === 'tcp' ? overTcp(transport, protocol) : throughTunnel(tunnel, lane);
}

/** Returns the origin of the requests, for their Host header. A socket needs a name, and any name will do. */
export function requestOrigin({ transport }: Endpoint): string {
  if (transport.kind !== 'tcp') return 'http://localhost';
  const { host, port, tls } = transport;
  return `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Connects to a Unix socket or to a Windows named pipe, as undici does with its option `socketPath`. That also examines
 * the name of a host, which takes 8 ms at the first use and is not needed for a path.
 */
function overSocket(path: string): Connector {
  return (_, onConnect) => awaitOpen(connect(path), 'connect', '', onConnect);
}

function overTcp(transport: TcpTransport, protocol: Protocol | undefined): Connector {
  const { host, port, tls } = transport;
  if (tls) return tlsConnector(transport, tls, undefined, protocol);
  return (_, onConnect) => {
    const socket = connect({ host, port, ...KEPT_ALIVE });
    awaitOpen(socket, 'connect', host, onConnect);
  };
}

function throughTunnel(tunnel: Tunnel | undefined, lane: Lane): Connector {
  return (_, onConnect) => {
    if (!tunnel) throw new Error('An endpoint over ssh needs a tunnel');
    tunnel.enter(lane).then(
      (entrance) => connectTo(entrance, onConnect),
      (error: unknown) => onConnect(asError(error), null),
    );
  };
}

function connectTo({ path, leave }: Entrance, onConnect: OnConnect): void {
  const socket = connect(path);
  let wasOpened = false;
  socket.once('connect', () => {
    wasOpened = true;
  });
  socket.once('close', () => leave(wasOpened));
  awaitOpen(socket, 'connect', '', onConnect);
}
