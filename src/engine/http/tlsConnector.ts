import { isIP, type Socket } from 'node:net';
import { connect, type ConnectionOptions, type SecureContext, type TLSSocket } from 'node:tls';
import type { TcpTransport, TlsMaterial } from './endpoint.ts';
import { EngineError } from '../errors.ts';
import { TlsMaterialError, secureContextOf } from './secureContextOf.ts';

/**
 * Returns a connector for TLS connections. The certificates are read once, for the first connection.
 *
 * @param limitMs time limit to connect, in milliseconds.
 * @param protocol the application protocol to agree on.
 */
export function tlsConnector(
  transport: TcpTransport,
  material: TlsMaterial,
  limitMs?: number,
  protocol: Protocol = 'http/1.1',
): (options: unknown, onConnect: OnConnect) => void {
  let context: SecureContext | undefined;
  return (_, onConnect) => {
    try {
      context ??= secureContextOf(material);
    } catch (cause) {
      if (!(cause instanceof TlsMaterialError)) throw cause;
      onConnect(new EngineError('certificateUnusable', { cause }), null);
      return;
    }
    const options = tlsOptions(transport, context, material.verify);
    const socket = connect({ ...options, ALPNProtocols: [protocol] });
    const { host } = transport;
    const onOpen: OnConnect = (...outcome) => {
      if (outcome[1]) keepReason(socket);
      onConnect(...outcome);
    };
    awaitOpen(socket, 'secureConnect', host, onOpen, limitMs);
  };
}

/** Returns the options for a TLS connection to an engine. */
export function tlsOptions(
  { host, port }: TcpTransport,
  secureContext: SecureContext,
  rejectUnauthorized: boolean,
): ConnectionOptions {
  return {
    host,
    port,
    secureContext,
    rejectUnauthorized,
    ALPNProtocols: ['http/1.1'],
    // SNI takes a host name, not an IP address.
    ...(isIP(host) === 0 && { servername: host }),
    ...KEPT_ALIVE,
  };
}

/** The errors of reading or writing after the peer has closed the connection. */
const HUNG_UP: ReadonlySet<unknown> = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE']);

/**
 * Turns a refusal of our client certificate into the error of the socket. With TLS 1.3 the refusal comes after
 * the handshake: as an alert that arrives first, or, if the system discards what came before a reset, just as the
 * end of the connection.
 */
function keepReason(socket: TLSSocket): void {
  // The peer sends a session ticket or a response only if it has accepted the certificate.
  let isLetIn = socket.getProtocol() !== 'TLSv1.3';
  const letIn = (): void => {
    isLetIn = true;
  };
  socket.once('session', letIn);
  // Not `readable`: with a listener of that event, a socket does not flow to an HTTP/2 session.
  socket.once('data', letIn);
  const refused = (): EngineError => new EngineError('clientCertificateNeeded');
  socket.once('error', (error: Error & { readonly code?: unknown }) => {
    // Otherwise the end that follows immediately would replace this error by one without a reason.
    socket.destroy(!isLetIn && HUNG_UP.has(error.code) ? refused() : error);
  });
  socket.once('end', () => {
    if (!isLetIn) socket.destroy(refused());
  });
}

/** Protocol of a socket: `h2` is HTTP/2 from the first byte. */
export type Protocol = 'http/1.1' | 'h2';

/** Called with a new socket, or with the reason why there is none. */
export type OnConnect = (...outcome: [null, Socket] | [Error, null]) => void;

/** Time limit for connecting, in milliseconds. Shorter than the limit of a `_ping`, whose error has less detail. */
const CONNECT_LIMIT_MS = 8_000;

/**
 * Options of a socket to another host. After 15 seconds without a byte, the system checks whether the peer is
 * still there.
 */
export const KEPT_ALIVE = {
  keepAlive: true,
  keepAliveInitialDelay: 15_000,
  noDelay: true,
} as const;

/**
 * Calls `onOpen` once, when `socket` is open or when it cannot be opened. Destroys the socket past the limit.
 *
 * @param host host name or IP address; empty for a local socket.
 */
export function awaitOpen(
  socket: Socket,
  ready: 'connect' | 'secureConnect',
  host: string,
  onOpen: OnConnect,
  limitMs = CONNECT_LIMIT_MS,
): void {
  let isFound = host === '' || isIP(host) !== 0;
  socket.once('lookup', () => {
    isFound = true;
  });
  const late = setTimeout(() => {
    // Unreachable name servers take longer to time out than this limit.
    const code = isFound ? 'ETIMEDOUT' : 'EAI_AGAIN';
    socket.destroy(Object.assign(new Error(`No connection in time: ${code}`), { code }));
  }, limitMs);
  const onError = (error: Error): void => {
    clearTimeout(late);
    onOpen(error, null);
  };
  socket.once('error', onError);
  socket.once(ready, () => {
    clearTimeout(late);
    socket.off('error', onError);
    onOpen(null, socket);
  });
}
