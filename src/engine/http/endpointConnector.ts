import { connect } from 'node:net';
import type { Endpoint, TcpTransport } from '../discovery/endpoint.ts';
import { asError } from '../errors.ts';
import { awaitOpen, type OnConnect } from './socketOpening.ts';
import { tlsConnector } from './tlsConnector.ts';
import type { Entrance, Lane, Tunnel } from '../ssh/tunnel.ts';

/** How long a machine may take to accept a connection: less than a `_ping` may take, whose words say less. */
const CONNECT_LIMIT_MS = 8_000;
/** After so long without a byte the system asks whether the other side is still there. */
const KEEP_ALIVE_MS = 15_000;

/** Makes the sockets of a pool. */
type Connector = (options: object, onConnect: OnConnect) => void;

/** How a pool of connections to `endpoint` makes them: options for the usual way, or a way of its own. */
export function endpointConnector(
  endpoint: Endpoint,
  tunnel: Tunnel | undefined,
  lane: Lane,
): object | Connector {
  const { transport } = endpoint;
  switch (transport.kind) {
    case 'socket':
      return { socketPath: transport.path };
    case 'tcp':
      return overTcp(transport);
    case 'ssh':
      return throughTunnel(tunnel, lane);
  }
}

/** What requests are addressed to. Over a socket a name is needed for the Host header, and any will do. */
export function requestOrigin({ transport }: Endpoint): string {
  if (transport.kind !== 'tcp') return 'http://localhost';
  const { host, port, tls } = transport;
  return `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function overTcp(transport: TcpTransport): Connector {
  const times = { connectLimit: CONNECT_LIMIT_MS, keepAlive: KEEP_ALIVE_MS };
  if (transport.tls) return tlsConnector(transport, transport.tls, times);
  const { host, port } = transport;
  const keep = { keepAlive: true, keepAliveInitialDelay: times.keepAlive };
  return (_options, onConnect) => {
    const socket = connect({ host, port, noDelay: true, ...keep });
    awaitOpen(socket, { ready: 'connect', host, limit: times.connectLimit }, onConnect);
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
  const opening = { ready: 'connect', host: '', limit: CONNECT_LIMIT_MS } as const;
  const socket = connect(path);
  let wasOpened = false;
  socket.once('connect', () => {
    wasOpened = true;
  });
  socket.once('close', () => {
    leave(wasOpened);
  });
  awaitOpen(socket, opening, onConnect);
}
