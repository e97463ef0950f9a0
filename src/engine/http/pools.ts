import type { Endpoint, TcpTransport } from '../discovery/endpoint.ts';
import type { Lane, Tunnel, Entrance } from './tunnel.ts';
import { connect, type Socket } from 'node:net';
import { asError } from '../errors.ts';
import { SocketPool } from './socketPool.ts';
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
  readonly #pools = new Map<string, SocketPool>();
  #closed: Error | undefined;

  constructor(endpoint: Endpoint, tunnel: Tunnel | undefined) {
    this.#endpoint = endpoint;
    this.#tunnel = tunnel;
  }

  of(lane: Lane): SocketPool {
    const isNarrow = this.#tunnel?.isNarrow === true;
    const key = `${lane} ${isNarrow}`;
    const known = this.#pools.get(key);
    if (known) return known;
    const pool = this.#open(lane, isNarrow ? FEW : SIZES);
    this.#pools.set(key, pool);
    if (this.#closed) pool.close(this.#closed);
    return pool;
  }

  /** Returns the pool for a ping: that of the calls, unless pending calls use all of its connections. */
  forPing(): SocketPool {
    const calls = this.of('call');
    const sizes = this.#tunnel?.isNarrow === true ? FEW : SIZES;
    return calls.size < (sizes.call ?? 0) ? calls : this.of('ping');
  }

  /** Opens a socket for HTTP/2, which belongs to no pool. Rejects with the error of the socket. */
  openHttp2(): Promise<Socket> {
    const connector = endpointConnector(this.#endpoint, this.#tunnel, 'stream', 'h2');
    return new Promise((resolve, reject) => {
      connector((...[error, socket]) => {
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
    for (const pool of pools) pool.close(error);
  }

  #open(lane: Lane, sizes: Sizes): SocketPool {
    return new SocketPool({
      connect: endpointConnector(this.#endpoint, this.#tunnel, lane),
      most: sizes[lane],
      // An idle connection would hold a session that another long call needs.
      keepsAlive: sizes !== FEW || lane !== 'long',
    });
  }
}

type Sizes = Readonly<Record<Lane, number | null>>;

/** The maximum number of connections per lane; null for no limit. */
const SIZES: Sizes = { call: 6, ping: 1, events: null, long: null, stream: null };
/**
 * The same for a tunnel with few sessions. Calls wait in their pool, so a canceled call is never sent. The second
 * event stream is for a diagnosis.
 */
const FEW: Sizes = { call: 2, ping: 1, events: 2, long: 3, stream: null };

/** Opens a socket of a pool. */
type Connector = (onConnect: OnConnect) => void;

function endpointConnector(
  { transport }: Endpoint,
  tunnel: Tunnel | undefined,
  lane: Lane,
  protocol?: Protocol,
): Connector {
  if (transport.kind === 'socket') return overSocket(transport.path);
  return transport.kind === 'tcp' ? overTcp(transport, protocol) : throughTunnel(tunnel, lane);
}

/** Returns the Host header of the requests. A socket needs a name, and any name will do. */
export function hostOf({ transport }: Endpoint): string {
  if (transport.kind !== 'tcp') return 'localhost';
  const { host, port, tls } = transport;
  // Leaves out the default port.
  return new URL(`${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`)
    .host;
}

/** Connects to a Unix socket or to a Windows named pipe. */
function overSocket(path: string): Connector {
  return (onConnect) => {
    awaitOpen(connect(path), 'connect', '', onConnect);
  };
}

function overTcp(transport: TcpTransport, protocol: Protocol | undefined): Connector {
  const { host, port, tls } = transport;
  if (tls) return tlsConnector(transport, tls, undefined, protocol);
  return (onConnect) => {
    const socket = connect({ host, port, ...KEPT_ALIVE });
    awaitOpen(socket, 'connect', host, onConnect);
  };
}

function throughTunnel(tunnel: Tunnel | undefined, lane: Lane): Connector {
  return (onConnect) => {
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
