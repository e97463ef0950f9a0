import { isIPv6 } from 'node:net';

import { EngineError } from '../errors.ts';
import { withoutTrailing } from '../../plainText.ts';

/** Where an engine listens, and what is to be sent along. */
export interface Endpoint {
  /** As a URL, fit to show: `unix:///var/run/docker.sock`. */
  readonly url: string;
  readonly transport: SocketTransport | TcpTransport | SshTransport;
  /** What made us look there. */
  readonly source: EndpointSource;
  /** Sent with every request: `HttpHeaders` of config.json. May be secret. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The API version to speak, whatever the engine offers: `DOCKER_API_VERSION`. */
  readonly pinnedApi?: string;
}

/** A unix socket, or a named pipe of Windows. */
export interface SocketTransport {
  readonly kind: 'socket';
  readonly path: string;
}

/** Plain HTTP, or TLS where `tls` is set. */
export interface TcpTransport {
  readonly kind: 'tcp';
  readonly host: string;
  readonly port: number;
  /** Put before every path; empty or `/base`. */
  readonly base: string;
  readonly tls?: TlsMaterial;
}

/** Over the person's own OpenSSH. Without a `socket` it is looked for there. */
export interface SshTransport {
  readonly kind: 'ssh';
  readonly host: string;
  readonly user?: string;
  readonly port?: number;
  /** The engine's socket on that machine. */
  readonly socket?: string;
  /** A file on this machine with a private key, besides those that OpenSSH tries by itself. */
  readonly identity?: string;
}

/** What an encrypted connection is checked and proven by; certificates and key as PEM. */
export interface TlsMaterial {
  /** Whether their certificate must be one we trust. */
  readonly verify: boolean;
  /** Trusted beside the usual authorities, or in their place. */
  readonly ca?: string;
  /** Whether `ca` is trusted alone, as a context's is, and not beside the machine's own. */
  readonly isCaAlone?: boolean;
  readonly cert?: string;
  readonly key?: string;
}

/** `setting` and `environment` are the person's word and are used alone; `wellKnown` are tried in turn. */
export type EndpointSource = 'setting' | 'environment' | 'context' | 'wellKnown';

/** The machine's files, as far as the search for engines reads them. Nothing here rejects. */
export interface FileReader {
  /** The text of a plain file; undefined where there is none, or none that we may or want to read. */
  readText(path: string): Promise<string | undefined>;
  /** The names in a folder, in no order; empty where there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
  /** What is there, links followed; undefined where nothing is, or nothing of these. */
  kindOf(path: string): Promise<'socket' | 'file' | 'folder' | undefined>;
  /** The path without links; the path itself where that cannot be told. */
  realPathOf?(path: string): Promise<string>;
}

/** What the search for engines knows of the machine. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where left out, the files of this machine. */
  readonly files?: FileReader;
  /** The number of the person's account, where there is such a thing. */
  readonly uid?: number;
}

/** Where engines listen that encrypt nothing, and where those that do. */
const PLAIN_PORT = 2375;
const TLS_PORT = 2376;

/** A user or a machine; a machine may be an alias of the person's own. */
const SSH_NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.+-]{0,254}$/u;
/** Without a colon, which parts two ends of a forwarding; without the signs that `?`, `#` and `%` begin. */
const SSH_SOCKET = /^(?:\/[\p{L}\p{N}_.+@~ ,=/-]{0,254})?$/u;

/**
 * Reads an address: a URL (`unix://`, `npipe://`, `tcp://`, `ssh://`), an absolute socket path, or `host:port`.
 *
 * @param tls for a machine's port; sockets and ssh have no use for it.
 * @throws EngineError `badEndpoint`; its `engineMessage` is the address, without a user name or password.
 */
export function parseEndpoint(text: string, source: EndpointSource, tls?: TlsMaterial): Endpoint {
  const address = text.trim();
  if (address.startsWith('/')) return socketEndpoint(`unix://${address}`, address, source);
  if (/^\\\\[.?]\\pipe\\/.test(address)) {
    return socketEndpoint(`npipe://${address.replaceAll('\\', '/')}`, address, source);
  }
  const [, scheme = '', rest = ''] = /^(?:([a-z][a-z\d+.-]*):\/\/)?(.*)$/i.exec(address) ?? [];
  switch (scheme.toLowerCase()) {
    case '':
      // Nothing but a host with its port: a relative path would pass for a host otherwise.
      if (/^[^/\\]+:\d+$/.test(rest)) return tcpEndpoint(address, rest, source, tls);
      break;
    case 'unix':
      if (rest.startsWith('/')) return socketEndpoint(address, rest, source);
      break;
    case 'npipe':
      if (/^\/\/[.?]\/pipe\/./.test(rest)) return socketEndpoint(address, rest, source);
      break;
    case 'tcp':
      return tcpEndpoint(address, rest, source, tls);
    case 'ssh':
      return sshEndpoint(address, rest, source);
  }
  throw badEndpoint(address);
}

/**
 * Who on the way to another host can read what is sent: with `plain` whoever is on the network, with `unchecked`
 * whoever pretends to be the engine.
 */
export type Exposure = 'plain' | 'unchecked';

/** How what is sent to this endpoint can be read on its way, if it can. */
export function exposureOf({ transport }: Endpoint): Exposure | undefined {
  if (transport.kind !== 'tcp' || isLoopback(transport.host)) return undefined;
  if (!transport.tls) return 'plain';
  return transport.tls.verify ? undefined : 'unchecked';
}

function isLoopback(host: string): boolean {
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
  // An http URL, for the parser knows hosts, ports and IPv6; user names and queries have no meaning here.
  const parsed = URL.canParse(`http://${rest}`) ? new URL(`http://${rest}`) : undefined;
  if (!parsed || parsed.hostname === '' || parsed.search || parsed.hash || hasUser(rest)) {
    throw badEndpoint(address);
  }
  // The parser drops 80, for it is http's own; nothing else of the text is lost.
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
 * `[user@]host[:port][/socket]`. Nothing passes that could be taken for an option, be read by a shell, or be
 * replaced by ssh itself: letters, digits and a few signs are all that names need.
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

function hasUser(rest: string): boolean {
  return authorityOf(rest).includes('@');
}

/** The address goes into error texts, so what somebody wrote before an `@` does not: it may be a password. */
function badEndpoint(address: string): EngineError {
  const shown = address
    .replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1…@')
    .replace(/\?.*$/s, '?…')
    .replace(/\p{Cc}/gu, '�');
  return new EngineError('badEndpoint', { endpoint: shown, engineMessage: shown });
}
