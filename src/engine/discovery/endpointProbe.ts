/** Looks at each part of the connection to an engine alone, to find out where it breaks. */

import { once } from 'node:events';
import type { Stats } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { lookup } from 'node:dns/promises';
import * as net from 'node:net';
import * as tls from 'node:tls';
import { abortReason } from '../../lifetime.ts';
import type { Endpoint, Machine, SocketTransport, TcpTransport, TlsMaterial } from './endpoint.ts';
import { EngineError, type FailureReason } from '../errors.ts';
import { connectionFailure } from '../http/connectionFailure.ts';
import { filesOf } from './nodeFiles.ts';
import { withSignal } from '../http/withTimeLimit.ts';
import { TlsMaterialError, secureContextOf } from '../http/secureContextOf.ts';
import { asRecord, asText } from '../wire.ts';

/** What a look at one part gave. */
export interface EndpointProbe {
  /** In the notation of the tools that show it, without words of ours. May have text of strangers in it. */
  readonly facts: string;
  /** Why this part cannot be used. */
  readonly error?: EngineError | undefined;
}

/** Looks at a socket that is a file without using it: `root:docker 660`. Never rejects. */
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
    // A folder that cannot be read hides what is in it.
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

/** Looks up the addresses of a host. @throws EngineError `hostUnknown`; the signal's reason. */
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

/** Connects, and leaves at once. @throws EngineError, as a request would; the signal's reason. */
export async function probeConnection(
  endpoint: Endpoint,
  transport: SocketTransport | TcpTransport,
  signal: AbortSignal,
): Promise<EndpointProbe> {
  const address = transport.kind === 'socket' ? { path: transport.path } : addressOf(transport);
  const socket = net.connect(address);
  return probeOpened(socket, 'connect', endpoint, signal, () => ({ facts: '' }));
}

/**
 * Begins a TLS connection, and leaves at once.
 *
 * @returns whose certificate it is, with why it is not trusted, whether or not that matters here.
 * @throws EngineError, as a request would; the signal's reason.
 */
export async function probeTls(
  endpoint: Endpoint,
  transport: TcpTransport,
  material: TlsMaterial,
  signal: AbortSignal,
): Promise<EndpointProbe> {
  const socket = tls.connect({
    ...addressOf(transport),
    secureContext: contextOf(material, endpoint),
    // It is looked at, whatever it is. Nothing is sent.
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
    ...(net.isIP(transport.host) === 0 && { servername: transport.host }),
  });
  return probeOpened(socket, 'secureConnect', endpoint, signal, () => readPeer(socket, endpoint));
}

async function readPeer(socket: tls.TLSSocket, endpoint: Endpoint): Promise<EndpointProbe> {
  const { subject = '', issuer = '', validTo = '' } = socket.getPeerX509Certificate() ?? {};
  const names = `subject=${subject}, issuer=${issuer}, notAfter=${validTo}`;
  // The parts of a name stand on lines of their own.
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

function addressOf({ host, port }: TcpTransport): { readonly host: string; readonly port: number } {
  return { host, port };
}

async function probeOpened(
  socket: net.Socket,
  event: string,
  endpoint: Endpoint,
  signal: AbortSignal,
  read: () => EndpointProbe | Promise<EndpointProbe>,
): Promise<EndpointProbe> {
  // Stays: what comes after the answer matters to nothing.
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

/** The name of a number in one of the two files that have it in their third field; else the number. */
async function nameIn(file: string, id: number, machine: Machine): Promise<string> {
  const text = (await filesOf(machine).readText(file)) ?? '';
  const lines = text.split('\n').map((line) => line.split(':'));
  return lines.find(([, , number]) => number === String(id))?.[0] ?? String(id);
}
