import { isIP } from 'node:net';
import { connect, type ConnectionOptions, type SecureContext, type TLSSocket } from 'node:tls';
import type { TcpTransport, TlsMaterial } from '../discovery/endpoint.ts';
import { EngineError } from '../errors.ts';
import { awaitOpen, type OnConnect } from './socketOpening.ts';
import { TlsMaterialError, secureContextOf } from './secureContextOf.ts';

/** Makes encrypted connections, all by the same certificates: these are read once, with the first of them. */
export function tlsConnector(
  transport: TcpTransport,
  material: TlsMaterial,
  times: ConnectorTimes,
): (options: object, onConnect: OnConnect) => void {
  let context: SecureContext | undefined;
  return (_options, onConnect) => {
    try {
      context ??= secureContextOf(material);
    } catch (cause) {
      if (!(cause instanceof TlsMaterialError)) throw cause;
      onConnect(new EngineError('certificateUnusable', { cause }), null);
      return;
    }
    const socket = connect(optionsFor(transport, material, times, context));
    const { host } = transport;
    awaitOpen(socket, { ready: 'secureConnect', host, limit: times.connectLimit }, (...outcome) => {
      if (outcome[1]) keepReason(socket);
      onConnect(...outcome);
    });
  };
}

/** Times of connections, in milliseconds. */
export interface ConnectorTimes {
  readonly connectLimit: number;
  readonly keepAlive: number;
}

function optionsFor(
  { host, port }: TcpTransport,
  { verify }: TlsMaterial,
  { keepAlive }: ConnectorTimes,
  secureContext: SecureContext,
): ConnectionOptions {
  return {
    host,
    port,
    secureContext,
    rejectUnauthorized: verify,
    ALPNProtocols: ['http/1.1'],
    // An address is no name to ask for.
    ...(isIP(host) === 0 && { servername: host }),
    keepAlive: true,
    keepAliveInitialDelay: keepAlive,
    noDelay: true,
  } as ConnectionOptions;
}

/** How reading, or writing, says that the other side is gone. */
const HUNG_UP: ReadonlySet<unknown> = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE']);

/**
 * Sees to it that a refusal of our certificate is the error of the socket. With TLS 1.3 it comes after the
 * handshake, as the first thing they say or, where the system throws away what came before a reset, as a mere end.
 */
function keepReason(socket: TLSSocket): void {
  // They send a ticket, or an answer, only to whom they let in.
  let isLetIn = socket.getProtocol() !== 'TLSv1.3';
  const letIn = (): void => {
    isLetIn = true;
  };
  socket.once('session', letIn);
  socket.on('readable', () => {
    isLetIn ||= socket.readableLength > 0;
  });
  const refused = (): EngineError => new EngineError('clientCertificateNeeded');
  socket.once('error', (error: Error & { readonly code?: unknown }) => {
    // The end that follows at once would put an error without a reason in the place of this one.
    socket.destroy(!isLetIn && HUNG_UP.has(error.code) ? refused() : error);
  });
  socket.once('end', () => {
    if (!isLetIn) socket.destroy(refused());
  });
}
