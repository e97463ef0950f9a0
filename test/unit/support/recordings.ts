/** Descriptions of engines that are not available to the tests, made from recordings. */

/** The recorded properties of an engine. */
export interface Recording {
  readonly name: string;
  readonly product: 'docker' | 'podman';
  readonly version: string;
  /** The newest and the oldest supported API version. */
  readonly newest: string;
  readonly oldest: string;
  /** Its image store. */
  readonly store: 'graph' | 'containerd' | 'podman';
  /** The events of stopping a container, in order. */
  readonly stopEvents: readonly string[];
  /** The Content-Type of its event stream for API 1.52 or newer. */
  readonly eventsType: string;
}

const docker = {
  product: 'docker',
  oldest: '1.24',
  store: 'graph',
  stopEvents: ['kill', 'stop', 'die'],
  eventsType: 'application/json',
} as const;

const RECORDED = {
  docker25: {
    ...docker,
    name: 'Docker 25',
    version: '25.0.5',
    newest: '1.44',
    stopEvents: ['kill', 'die', 'stop'],
  },
  docker28: { ...docker, name: 'Docker 28.5', version: '28.5.2', newest: '1.51' },
  docker28c: {
    ...docker,
    name: 'Docker 28.5 with the containerd store',
    version: '28.5.2',
    newest: '1.51',
    store: 'containerd',
  },
  docker29: {
    ...docker,
    name: 'Docker 29.0',
    version: '29.0.0',
    newest: '1.52',
    oldest: '1.44',
    store: 'containerd',
  },
  dockerNewest: {
    ...docker,
    name: 'the newest Docker',
    version: '29.8.0',
    newest: '1.56',
    oldest: '1.40',
    store: 'containerd',
    eventsType: 'application/jsonl',
  },
  podman5: {
    name: 'Podman 5.8',
    product: 'podman',
    version: '5.8.6',
    newest: '1.44',
    oldest: '1.24',
    store: 'podman',
    stopEvents: ['stop', 'die', 'cleanup'],
    eventsType: 'application/json',
  },
} as const satisfies Record<string, Recording>;

/** The recordings by short name. */
export const RECORDINGS: Readonly<Record<keyof typeof RECORDED, Recording>> = RECORDED;

/** Returns the headers of every routed response, errors included. */
export function headersOf(recording: Recording): Record<string, string> {
  const { product, version, newest } = recording;
  if (product === 'docker') {
    return {
      'api-version': newest,
      server: `Docker/${version} (linux)`,
      ostype: 'linux',
      'docker-experimental': 'false',
    };
  }
  return {
    'api-version': newest,
    server: `Libpod/${version} (linux)`,
    'libpod-api-version': version,
  };
}

/** Returns the headers of a `_ping` response, which has more. */
export function pingHeadersOf(recording: Recording): Record<string, string> {
  const builder = recording.product === 'docker' ? '2' : '1';
  return {
    ...headersOf(recording),
    'builder-version': builder,
    ostype: 'linux',
    'cache-control': 'no-cache, no-store, must-revalidate',
    'content-type': 'text/plain; charset=utf-8',
    ...(recording.product === 'docker' && { swarm: 'inactive' }),
  };
}
