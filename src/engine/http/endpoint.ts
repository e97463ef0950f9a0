import { isIPv6 } from 'node:net';

import { EngineError, failedWith } from '../errors.ts';
import { withoutTrailing } from '../../base/plainText.ts';

/** The address of an engine, and what to send with each request. */
export interface Endpoint {
  /** As a URL without secrets: `unix:///var/run/docker.sock`. */
  readonly url: string;
  readonly transport: SocketTransport | TcpTransport | SshTransport;
  /** Where the address comes from. */
  readonly source: EndpointSource;
  /** Sent with every request: `HttpHeaders` of config.json. May contain secrets. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The API version to use instead of the one that the engine offers: `DOCKER_API_VERSION`. */
  readonly pinnedApi?: string;
}

/** A Unix socket, or a Windows named pipe. */
export interface SocketTransport {
  readonly kind: 'socket';
  readonly path: string;
}

/** Plain HTTP, or TLS if `tls` is set. */
export interface TcpTransport {
  readonly kind: 'tcp';
  readonly host: string;
  readonly port: number;
  /** The prefix of every path; empty or `/base`. */
  readonly base: string;
  readonly tls?: TlsMaterial;
}

/** Over the user's own OpenSSH. Without a `socket`, the socket is searched for on the host. */
export interface SshTransport {
  readonly kind: 'ssh';
  readonly host: string;
  readonly user?: string;
  readonly port?: number;
  /** The socket of the engine on that host. */
  readonly socket?: string;
  /** A local file with a private key, in addition to those that OpenSSH tries automatically. */
  readonly identity?: string;
}

/** The certificates of a TLS connection. Certificates and key are in PEM format. */
export interface TlsMaterial {
  /** Whether the certificate of the engine must be trusted. */
  readonly verify: boolean;
  /** Certificate authority, trusted in addition to the default ones or instead of them. */
  readonly ca?: string;
  /** Whether only `ca` is trusted, as for a context, and not the default authorities. */
  readonly isCaAlone?: boolean;
  readonly cert?: string;
  readonly key?: string;
  /** The folder that the files are read from, for programs that read them again. */
  readonly folder?: string;
}

/** `setting` and `environment` are set by the user and used alone; `wellKnown` are tried in order. */
export type EndpointSource = 'setting' | 'environment' | 'context' | 'wellKnown';

/** The file operations that the discovery needs. None of them rejects. */
export interface FileReader {
  /** Resolves to the text of a regular file; undefined if there is none, or if it is unreadable or too large. */
  readText(path: string): Promise<string | undefined>;
  /** Resolves to the names in a folder, unsorted; empty if there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
  /** Resolves to the kind of a path, following links; undefined if nothing is there, or something else. */
  kindOf(path: string): Promise<'socket' | 'file' | 'folder' | undefined>;
  /** Resolves to the path without links; to the path itself if it cannot be resolved. */
  realPathOf?(path: string): Promise<string>;
}

/** Facts about the machine that the discovery searches. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: the files of the local machine. */
  readonly files?: FileReader;
  /** The numeric ID of the user, if the platform has one. */
  readonly uid?: number;
}

/** The default ports of an engine without and with TLS. */
const PLAIN_PORT = 2375;
const TLS_PORT = 2376;

/** A user or host name. A host name may be an alias in the ssh configuration of the user. */
const SSH_NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.+-]{0,254}$/u;
/** No colon, because it separates the two ends of a forwarding; no `?`, `#` or `%`. */
const SSH_SOCKET = /^(?:\/[\p{L}\p{N}_.+@~ ,=/-]{0,254})?$/u;

/**
 * Parses an address: a URL (`unix://`, `npipe://`, `tcp://`, `ssh://`), an absolute socket path, or `host:port`.
 *
 * @param tls for a tcp address; ignored for sockets and ssh.
 * @throws EngineError `badEndpoint`; its `engineMessage` is the address, without user name and password.
 */
export function parseEndpoint(text: string, source: EndpointSource, tls?: TlsMaterial): Endpoint {
  const address = text.trim();
  if (address.startsWith('/')) return socketEndpoint(`unix://${address}`, address, source);
  if (/^\\\\[.?]\\pipe\\/.test(address)) {
    return socketEndpoint(`npipe://${address.replaceAll('\\', '/')}`, address, source);
  }
  const [, scheme = '', rest = ''] = /^(?:([a-z][a-z\d+.-]*):\/\/)?(.*)$/i.exec(address) ?? [];
  const kind = scheme.toLowerCase();
  // Without a scheme, only a host with a port is accepted: otherwise a relative path would pass for a host.
  if (kind === 'tcp' || (kind === '' && /^[^/\\]+:\d+$/.test(rest)))
    return tcpEndpoint(address, rest, source, tls);
  if (kind === 'ssh') return sshEndpoint(address, rest, source);
  const isSocket = kind === 'unix' && rest.startsWith('/');
  const isPipe = kind === 'npipe' && /^\/\/[.?]\/pipe\/./.test(rest);
  if (isSocket || isPipe) return socketEndpoint(address, rest, source);
  throw badEndpoint(address);
}

/** Returns an address without secrets, also if it is invalid. */
export function formatAddress(text: string): string {
  try {
    return parseEndpoint(text, 'setting').url;
  } catch (error) {
    if (failedWith(error, 'badEndpoint')) return error.endpoint ?? '';
    throw error;
  }
}

/**
 * Who can read the data sent to another host. `plain`: anyone on the network; `unchecked`: anyone who
 * impersonates the engine.
 */
export type Exposure = 'plain' | 'unchecked';

/** Returns how data sent to this endpoint is exposed; undefined if it is not. */
export function exposureOf({ transport }: Endpoint): Exposure | undefined {
  if (transport.kind !== 'tcp' || isLoopback(transport.host)) return undefined;
  if (!transport.tls) return 'plain';
  return transport.tls.verify ? undefined : 'unchecked';
}

/** Returns whether a host is the local machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function socketEndpoint(url: string, path: string, source: EndpointSource): Endpoint {
  return { url, transport: { kind: 'socket', path }, source };
}

function tcpEndpoint(
  address: string,
  rest: string,
  source: EndpointSource,
  tls: TlsMaterial | undefined,
): Endpoint {
  // Parsed as an http URL, because the parser handles hosts, ports and IPv6. User names and queries are not
  // allowed.
  const parsed = URL.canParse(`http://${rest}`) ? new URL(`http://${rest}`) : undefined;
  const hasUser = authorityOf(rest).includes('@');
  if (!parsed || parsed.hostname === '' || parsed.search || parsed.hash || hasUser)
    throw badEndpoint(address);
  // The parser drops port 80, the default of http; nothing else of the text is lost.
  const is80 = parsed.port === '' && /:0*80$/.test(authorityOf(rest));
  const port = is80 ? 80 : Number(parsed.port || (tls ? TLS_PORT : PLAIN_PORT));
  return {
    url: address.includes('://') ? address : `tcp://${address}`,
    transport: {
      kind: 'tcp',
      host: parsed.hostname.replace(/^\[|\]$/g, ''),
      port,
      base: withoutTrailing(parsed.pathname, '/'),
      ...(tls && { tls }),
    },
    source,
  };
}

/**
 * Parses `[user@]host[:port][/socket]`. Accepts only letters, digits and a few signs, so that no part can be
 * taken for an option, interpreted by a shell, or expanded by ssh.
 */
function sshEndpoint(address: string, rest: string, source: EndpointSource): Endpoint {
  const [, user, bracketed, name, port, path = ''] =
    /^(?:([^@/]*)@)?(?:\[([^\]]*)\]|([^@:/[\]]*))(?::(\d+))?(\/.*)?$/u.exec(rest) ?? [];
  const host = bracketed ?? name ?? '';
  const socket = decoded(path);
  const isHost = bracketed === undefined ? SSH_NAME.test(host) : isIPv6(host);
  const isPort = port === undefined || (Number(port) > 0 && Number(port) < 65_536);
  const isUser = user === undefined || SSH_NAME.test(user);
  if (!isHost || !isPort || !isUser || !SSH_SOCKET.test(socket)) throw badEndpoint(address);
  return {
    url: address,
    transport: {
      kind: 'ssh',
      host,
      ...(user !== undefined && { user }),
      ...(port !== undefined && { port: Number(port) }),
      ...(/[^/]/.test(socket) && { socket }),
    },
    source,
  };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function authorityOf(rest: string): string {
  return rest.split(/[/\\?#]/, 1)[0] ?? '';
}

/** The address appears in error messages, so everything before an `@` is removed: it may be a password. */
function badEndpoint(address: string): EngineError {
  const shown = address
    .replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1…@')
    .replace(/\?.*$/s, '?…')
    .replace(/\p{Cc}/gu, '�');
  return new EngineError('badEndpoint', { endpoint: shown, engineMessage: shown });
}
