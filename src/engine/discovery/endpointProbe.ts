/** Looks at each part of the way to an engine by itself, for whoever wants to know where it breaks. */

import { constants, type Stats } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { lookup } from 'node:dns/promises';
import * as net from 'node:net';
import * as tls from 'node:tls';
import { abortReason } from '../../lifetime.ts';
import type { Endpoint, Machine, SocketTransport, TcpTransport, TlsMaterial } from './endpoint.ts';
import { EngineError } from '../errors.ts';
import { connectionFailure } from '../http/connectionFailure.ts';
import { filesOf } from './nodeFiles.ts';
import { withSignal } from '../http/withTimeLimit.ts';
import { TlsMaterialError, secureContextOf } from '../http/secureContextOf.ts';
import { asRecord, asText } from '../wire.ts';

/** What is at the path of a socket. */
export interface SocketProbe {
  /** `hidden`: a folder on the way lets nobody look. `pipe`: of Windows, never looked at. */
  readonly kind: 'socket' | 'other' | 'absent' | 'hidden' | 'pipe';
  readonly mayUse: boolean;
  /** Permissions as octal digits: `660`. */
  readonly mode?: string;
  /** By name, or by number where that has none. */
  readonly owner?: string;
  readonly group?: string;
}

/** Whom an encrypted connection leads to. The texts are theirs. */
export interface TlsProbe {
  /** `TLSv1.3`. */
  readonly protocol: string;
  readonly subject: string;
  readonly issuer: string;
  /** As the certificate spells it. */
  readonly validTo: string;
  /** Why it is not to be trusted, whether or not that matters here. */
  readonly problem: EngineError | undefined;
}

/** Looks at a socket without using it. Never rejects. */
export async function probeSocket(
  { path }: SocketTransport,
  machine: Machine,
): Promise<SocketProbe> {
  // A look at a pipe would take the place of a caller.
  if (!path.startsWith('/')) return { kind: 'pipe', mayUse: true };
  let found: Stats;
  try {
    found = await stat(path);
  } catch (error) {
    const isHidden = asText(asRecord(error)['code']) === 'EACCES';
    return { kind: isHidden ? 'hidden' : 'absent', mayUse: false };
  }
  const mayUse = await access(path, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
  return {
    kind: found.isSocket() ? 'socket' : 'other',
    mayUse,
    mode: (found.mode & 0o777).toString(8).padStart(3, '0'),
    owner: await nameIn('/etc/passwd', found.uid, machine),
    group: await nameIn('/etc/group', found.gid, machine),
  };
}

/** The addresses of a machine. @throws EngineError `hostUnknown`; the signal's reason. */
export async function resolveHost(
  endpoint: Endpoint,
  host: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const found = await withSignal(lookup(host, { all: true }), signal);
    return found.map(({ address }) => address);
  } catch (error) {
    if (signal.aborted) throw abortReason(signal);
    throw await connectionFailure(error, endpoint, '');
  }
}

/** Connects, and leaves at once. @throws EngineError, as a request would; the signal's reason. */
export async function probeConnection(
  endpoint: Endpoint,
  transport: SocketTransport | TcpTransport,
  signal: AbortSignal,
): Promise<void> {
  const where = transport.kind === 'socket' ? { path: transport.path } : hostOf(transport);
  const socket = net.connect(where);
  try {
    await happened(socket, 'connect', signal);
  } catch (error) {
    if (signal.aborted) throw abortReason(signal);
    throw await connectionFailure(error, endpoint, '');
  } finally {
    socket.destroy();
  }
}

/**
 * Begins an encrypted connection, and leaves at once.
 *
 * @throws EngineError, as a request would, but not for their certificate: that is told; the signal's reason.
 */
export async function probeTls(
  endpoint: Endpoint,
  transport: TcpTransport,
  material: TlsMaterial,
  signal: AbortSignal,
): Promise<TlsProbe> {
  const socket = tls.connect({
    ...hostOf(transport),
    secureContext: contextOf(material, endpoint),
    // It is looked at, whatever it is. Nothing is sent.
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
    ...(net.isIP(transport.host) === 0 && { servername: transport.host }),
  });
  try {
    await happened(socket, 'secureConnect', signal);
    return await readTlsProbe(socket, endpoint);
  } catch (error) {
    if (signal.aborted) throw abortReason(signal);
    throw await connectionFailure(error, endpoint, '');
  } finally {
    socket.destroy();
  }
}

async function readTlsProbe(socket: tls.TLSSocket, endpoint: Endpoint): Promise<TlsProbe> {
  const certificate = socket.getPeerX509Certificate();
  const code = asText(socket.authorizationError);
  return {
    protocol: socket.getProtocol() ?? '',
    subject: certificate?.subject ?? '',
    issuer: certificate?.issuer ?? '',
    validTo: certificate?.validTo ?? '',
    problem: socket.authorized
      ? undefined
      : await connectionFailure(Object.assign(new Error(code), { code }), endpoint, ''),
  };
}

function contextOf(material: TlsMaterial, endpoint: Endpoint): tls.SecureContext {
  try {
    return secureContextOf(material);
  } catch (cause) {
    if (!(cause instanceof TlsMaterialError)) throw cause;
    throw new EngineError('certificateUnusable', { endpoint: endpoint.url, cause });
  }
}

function hostOf({ host, port }: TcpTransport): { readonly host: string; readonly port: number } {
  return { host, port };
}

/** Waits for an event of a socket; rejects with its error, or once the signal aborts. */
function happened(socket: net.Socket, event: string, signal: AbortSignal): Promise<void> {
  const outcome = new Promise<void>((resolve, reject) => {
    socket.once(event, () => {
      resolve();
    });
    // Stays: what comes after the answer is nobody's.
    socket.on('error', reject);
    socket.once('close', () => {
      reject(Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' }));
    });
  });
  return withSignal(outcome, signal);
}

/** The name of a number in one of the two files that have it in their third field. */
async function nameIn(file: string, id: number, machine: Machine): Promise<string> {
  const text = (await filesOf(machine).readText(file)) ?? '';
  const lines = text.split('\n').map((line) => line.split(':'));
  return lines.find(([, , number]) => number === String(id))?.[0] ?? String(id);
}
