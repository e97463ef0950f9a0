import { EngineError } from './errors.ts';

/** Where an engine listens. */
export interface Endpoint {
  /** As a URL, fit to show: `unix:///var/run/docker.sock`. */
  readonly url: string;
  readonly transport:
    | { readonly kind: 'socket'; readonly path: string }
    | {
        readonly kind: 'tcp';
        readonly host: string;
        readonly port: number;
        /** Put before every path; empty or `/base`. */
        readonly base: string;
      };
  /** What made us look there. */
  readonly source: EndpointSource;
}

/** `setting` and `environment` are the person's word and are used alone; `wellKnown` are tried in turn. */
export type EndpointSource = 'setting' | 'environment' | 'wellKnown';

/** What the search for engines knows of the machine. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const PLAIN_TCP_PORT = 2375;

/**
 * Reads an address: a URL (`unix://`, `npipe://`, `tcp://`), an absolute socket path, or `host:port`.
 *
 * @throws EngineError `badEndpoint`; its `engineMessage` is the address, without a user name or password.
 */
export function parseEndpoint(text: string, source: EndpointSource): Endpoint {
  const address = text.trim();
  if (address.startsWith('/')) return socketEndpoint(`unix://${address}`, address, source);
  if (/^\\\\[.?]\\pipe\\/.test(address)) {
    return socketEndpoint(`npipe://${address.replaceAll('\\', '/')}`, address, source);
  }
  const [, scheme = '', rest = ''] = /^(?:([a-z][a-z\d+.-]*):\/\/)?(.*)$/i.exec(address) ?? [];
  switch (scheme.toLowerCase()) {
    case '':
      // Nothing but a host with its port: a relative path would pass for a host otherwise.
      if (/^[^/\\]+:\d+$/.test(rest)) return tcpEndpoint(address, rest, source);
      break;
    case 'unix':
      if (rest.startsWith('/')) return socketEndpoint(address, rest, source);
      break;
    case 'npipe':
      if (/^\/\/[.?]\/pipe\/./.test(rest)) return socketEndpoint(address, rest, source);
      break;
    case 'tcp':
      return tcpEndpoint(address, rest, source);
  }
  throw badEndpoint(address);
}

/** The address the person chose, if any: the setting, then DOCKER_HOST. @throws EngineError `badEndpoint`. */
export function chosenEndpoint(setting: string, machine: Machine): Endpoint | undefined {
  if (setting.trim() !== '') return parseEndpoint(setting, 'setting');
  const host = machine.env['DOCKER_HOST'] ?? '';
  return host.trim() === '' ? undefined : parseEndpoint(host, 'environment');
}

/** Where engines usually listen on this machine, the most usual first. Nothing is looked at. */
export function wellKnownEndpoints(machine: Machine): readonly Endpoint[] {
  const paths = machine.platform === 'win32' ? windowsPipes() : socketPaths(machine);
  return [...new Set(paths)].map((path) => parseEndpoint(path, 'wellKnown'));
}

/** Whether what is sent to this endpoint crosses a network in the clear. */
export function isPlainRemote(endpoint: Endpoint): boolean {
  const { transport } = endpoint;
  return transport.kind === 'tcp' && !isLoopback(transport.host);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function windowsPipes(): readonly string[] {
  return ['docker_engine', 'dockerDesktopLinuxEngine', 'podman-machine-default'].map(
    (name) => `\\\\.\\pipe\\${name}`,
  );
}

function socketPaths({ home, env }: Machine): readonly string[] {
  const runtime = env['XDG_RUNTIME_DIR'] ?? '';
  const inRuntime = (path: string): string[] => (runtime.startsWith('/') ? [runtime + path] : []);
  const inHome = (path: string): string[] => (home.startsWith('/') ? [home + path] : []);
  return [
    '/var/run/docker.sock',
    ...inRuntime('/docker.sock'),
    ...inHome('/.docker/run/docker.sock'),
    ...inHome('/.docker/desktop/docker.sock'),
    ...inHome('/.colima/default/docker.sock'),
    ...inHome('/.rd/docker.sock'),
    ...inHome('/.orbstack/run/docker.sock'),
    '/run/podman/podman.sock',
    ...inRuntime('/podman/podman.sock'),
  ];
}

function socketEndpoint(url: string, path: string, source: EndpointSource): Endpoint {
  return { url, transport: { kind: 'socket', path }, source };
}

function tcpEndpoint(address: string, rest: string, source: EndpointSource): Endpoint {
  // An http URL, for the parser knows hosts, ports and IPv6; user names and queries have no meaning here.
  const parsed = URL.canParse(`http://${rest}`) ? new URL(`http://${rest}`) : undefined;
  if (!parsed || parsed.hostname === '' || parsed.search || parsed.hash || hasUser(rest)) {
    throw badEndpoint(address);
  }
  // The parser drops 80, for it is http's own; nothing else of the text is lost.
  const is80 = parsed.port === '' && /:0*80$/.test(authorityOf(rest));
  const port = is80 ? 80 : Number(parsed.port || PLAIN_TCP_PORT);
  return {
    url: address.includes('://') ? address : `tcp://${address}`,
    transport: {
      kind: 'tcp',
      host: parsed.hostname.replace(/^\[|\]$/g, ''),
      port,
      base: parsed.pathname.replace(/\/+$/, ''),
    },
    source,
  };
}

function authorityOf(rest: string): string {
  return rest.split(/[/\\?#]/, 1)[0] ?? '';
}

function hasUser(rest: string): boolean {
  return authorityOf(rest).includes('@');
}

/** The address goes into error texts, so what somebody wrote before an `@` does not: it may be a password. */
function badEndpoint(address: string): EngineError {
  const shown = address.replace(/^([a-z][a-z\d+.-]*:\/\/)?[^/\\]*@/i, '$1…@');
  return new EngineError('badEndpoint', { endpoint: shown, engineMessage: shown });
}
