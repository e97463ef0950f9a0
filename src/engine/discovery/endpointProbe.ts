/** Checks each part of the connection to an engine separately, to find the one that fails. */

import { once } from 'node:events';
import type { Stats } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { lookup } from 'node:dns/promises';
import * as net from 'node:net';
import * as tls from 'node:tls';
import { abortReason } from '../../base/lifetime.ts';
import type {
  Endpoint,
  Machine,
  SocketTransport,
  TcpTransport,
  TlsMaterial,
} from '../http/endpoint.ts';
import { EngineError, type FailureReason } from '../errors.ts';
import { connectionFailure } from '../http/connectionFailure.ts';
import { filesOn } from './nodeFiles.ts';
import { withSignal } from '../http/withTimeLimit.ts';
import { TlsMaterialError, secureContextOf } from '../http/secureContextOf.ts';
import { tlsOptions } from '../http/tlsConnector.ts';
import { asRecord, asText } from '../wire/wire.ts';

/** The result of checking one part. */
export interface EndpointProbe {
  /** In the notation of common tools, not translated. May contain text from the network. */
  readonly facts: string;
  /** Why this part cannot be used. */
  readonly error?: EngineError;
}

/** Checks a socket file without connecting to it: `root:docker 660`. Never rejects. */
export async function probeSocket(
  { url }: Endpoint,
  { path }: SocketTransport,
  machine: Machine,
): Promise<EndpointProbe> {
  const failed = (reason: FailureReason, facts = ''): EndpointProbe => ({
    facts,
    error: new EngineError(reason, { endpoint: url }),
  });
  let found: Stats;
  try {
    found = await stat(path);
  } catch (error) {
    // The contents of an unreadable folder are hidden.
    const isHidden = asText(asRecord(error)['code']) === 'EACCES';
    return failed(isHidden ? 'permissionDenied' : 'socketAbsent');
  }
  if (!found.isSocket()) return failed('notASocket');
  const owner = await nameIn('/etc/passwd', found.uid, machine);
  const group = await nameIn('/etc/group', found.gid, machine);
  const facts = `${owner}:${group} ${(found.mode & 0o777).toString(8).padStart(3, '0')}`;
  return access(path, constants.R_OK | constants.W_OK).then(
    () => ({ facts }),
    () => failed('permissionDenied', facts),
  );
}

/** Resolves the addresses of a host. @throws EngineError `hostUnknown`; the abort reason of the signal. */
export async function probeHost(
  endpoint: Endpoint,
  host: string,
  signal: AbortSignal,
): Promise<EndpointProbe> {
  try {
    const found = await withSignal(lookup(host, { all: true }), signal);
    return { facts: found.map(({ address }) => address).join(', ') };
  } catch (error) {
    throw await failureOf(error, endpoint, signal);
  }
}

/** Connects and disconnects. @throws EngineError, as a request would; the abort reason of the signal. */
export async function probeConnection(
  endpoint: Endpoint,
  transport: SocketTransport | TcpTransport,
  signal: AbortSignal,
): Promise<EndpointProbe> {
  const socket = net.connect(transport);
  return probeOpened(socket, 'connect', endpoint, signal, () => ({ facts: '' }));
}

/**
 * Performs a TLS handshake and disconnects.
 *
 * @returns the certificate of the engine, and the reason if it is not trusted, even if the verification is off.
 * @throws EngineError, as a request would; the abort reason of the signal.
 */
export async function probeTls(
  endpoint: Endpoint,
  transport: TcpTransport,
  material: TlsMaterial,
  signal: AbortSignal,
): Promise<EndpointProbe> {
  // Not verified, so that any certificate can be read. Nothing is sent.
  const socket = tls.connect(tlsOptions(transport, contextOf(material, endpoint), false));
  return probeOpened(socket, 'secureConnect', endpoint, signal, () => readPeer(socket, endpoint));
}

async function readPeer(socket: tls.TLSSocket, endpoint: Endpoint): Promise<EndpointProbe> {
  const { subject = '', issuer = '', validTo = '' } = socket.getPeerX509Certificate() ?? {};
  const names = `subject=${subject}, issuer=${issuer}, notAfter=${validTo}`;
  // Each part of a distinguished name is on its own line.
  const facts = `${socket.getProtocol() ?? ''}, ${names.replaceAll('\n', ', ')}`;
  if (socket.authorized) return { facts };
  const code = asText(socket.authorizationError);
  const cause = Object.assign(new Error(code), { code });
  return { facts, error: await connectionFailure(cause, endpoint, '') };
}

function contextOf(material: TlsMaterial, endpoint: Endpoint): tls.SecureContext {
  try {
    return secureContextOf(material);
  } catch (cause) {
    if (!(cause instanceof TlsMaterialError)) throw cause;
    throw new EngineError('certificateUnusable', { endpoint: endpoint.url, cause });
  }
}

async function probeOpened(
  socket: net.Socket,
  event: string,
  endpoint: Endpoint,
  signal: AbortSignal,
  read: () => EndpointProbe | Promise<EndpointProbe>,
): Promise<EndpointProbe> {
  // Not removed: errors after the result are ignored.
  socket.on('error', () => undefined);
  try {
    await withSignal(once(socket, event), signal);
    return await read();
  } catch (error) {
    throw await failureOf(error, endpoint, signal);
  } finally {
    socket.destroy();
  }
}

async function failureOf(error: unknown, endpoint: Endpoint, signal: AbortSignal): Promise<Error> {
  return signal.aborted ? abortReason(signal) : connectionFailure(error, endpoint, '');
}

/** Returns the name for an ID from a file that has the ID in its third field, else the ID. */
async function nameIn(file: string, id: number, machine: Machine): Promise<string> {
  const text = (await filesOn(machine).readText(file)) ?? '';
  const lines = text.split('\n').map((line) => line.split(':'));
  return lines.find(([, , number]) => number === String(id))?.[0] ?? String(id);
}
