import { asList, asNumber, asRecord, asText, asTextMap, asTexts } from '../../engine/wire/wire.ts';

/**
 * Reads a project as `docker compose config --format json` prints it, as far as it matters for a second one beside it.
 * Returns undefined if it is not a project, or exceeds the limits.
 */
export function readResolvedProject(value: unknown): ResolvedProject | undefined {
  const root = asRecord(value);
  const services = Object.entries(asRecord(root['services'])).map(readService);
  const parts = ['networks', 'volumes'].map((kind) => Object.entries(asRecord(root[kind])));
  const [networks = [], volumes = []] = parts;
  const ports = services.reduce((count, one) => count + one.ports.length, 0);
  const most = Math.max(services.length, networks.length, volumes.length);
  if (services.length === 0 || most > MOST_PARTS || ports > MOST_PORTS) return undefined;
  return { services, networks: networks.map(readNetwork), volumes: volumes.map(readVolume) };
}

/** A compose project without variables, includes and relative paths. Its texts are exact, and not for display. */
export interface ResolvedProject {
  readonly services: readonly ResolvedService[];
  readonly networks: readonly ResolvedNetwork[];
  readonly volumes: readonly ResolvedVolume[];
}

export interface ResolvedService {
  readonly name: string;
  readonly containerName: string;
  readonly image: string;
  readonly isBuilt: boolean;
  /** Whether the image that is built gets other names, too. */
  readonly hasBuildTags: boolean;
  readonly isProvided: boolean;
  readonly networkMode: string;
  readonly ports: readonly ResolvedPort[];
  /** Its networks, with the fields by which it has an address of its own on them. */
  readonly networks: readonly {
    readonly network: string;
    readonly addresses: readonly string[];
  }[];
  /** The absolute paths of the host that it mounts. */
  readonly binds: readonly string[];
  /** Containers outside of the project that it names, by the key that does. */
  readonly others: readonly (readonly [key: string, container: string])[];
  /** The values of its environment, labels and build arguments, by the keys that lead to them. */
  readonly texts: readonly (readonly [path: string, text: string])[];
}

/** A published or exposed port, in the long form of Compose. */
export interface ResolvedPort {
  readonly target: number;
  /** `tcp`, `udp`, or `sctp`. */
  readonly protocol: string;
  /** An address of the host; empty for all. */
  readonly hostIp: string;
  /** The first port of the host, and how many there are: a range has one for each container. */
  readonly published?: { readonly first: number; readonly count: number };
  /** Other fields, as they are. */
  readonly more: Readonly<Record<string, string>>;
}

export interface ResolvedNetwork {
  readonly key: string;
  readonly name: string;
  readonly isExternal: boolean;
  readonly driver: string;
  readonly hasSubnets: boolean;
  /** The name of the bridge on the host, if the file chooses it. */
  readonly bridge: string;
}

export interface ResolvedVolume {
  readonly key: string;
  readonly name: string;
  readonly isExternal: boolean;
  /** The folder or share that it is; empty for one of the engine. */
  readonly device: string;
  /** Whether the files choose its driver, or options of it. */
  readonly hasOptions: boolean;
}

export const BRIDGE_OPTION = 'com.docker.network.bridge.name';

/** Of each kind. */
const MOST_PARTS = 1_000;
const MOST_PORTS = 2_000;
const MOST_TEXTS = 500;
const LARGEST_PORT = 65_535;
const KEPT_FIELDS = ['name', 'mode', 'app_protocol'];
const ADDRESSES = ['ipv4_address', 'ipv6_address'];

type Entry = readonly [name: string, value: unknown];

function readService([name, value]: Entry): ResolvedService {
  const fields = asRecord(value);
  const networks = Object.entries(asRecord(fields['networks']));
  const mounts = asList(fields['volumes']).map(asRecord);
  const builds = asRecord(fields['build']);
  return {
    name,
    containerName: asText(fields['container_name']),
    image: asText(fields['image']),
    isBuilt: fields['build'] !== undefined,
    hasBuildTags: asList(builds['tags']).length > 0,
    isProvided: fields['provider'] !== undefined,
    networkMode: asText(fields['network_mode']),
    ports: asList(fields['ports']).flatMap(readPort),
    networks: networks.map(([network, options]) => ({
      network,
      addresses: ADDRESSES.filter((field) => asText(asRecord(options)[field]) !== ''),
    })),
    binds: mounts.flatMap((one) => (one['type'] === 'bind' ? [asText(one['source'])] : [])),
    others: [
      ...['network_mode', 'ipc', 'pid'].flatMap((key) => containerIn(key, asText(fields[key]))),
      ...asTexts(fields['volumes_from']).flatMap((text) => containerIn('volumes_from', text)),
      ...asTexts(fields['external_links']).map((text) => ['external_links', text] as const),
    ],
    texts: [
      ...textsIn('environment', fields['environment']),
      ...textsIn('labels', fields['labels']),
      ...textsIn('build.args', builds['args']),
    ],
  };
}

function textsIn(at: string, value: unknown): ResolvedService['texts'] {
  const texts = Object.entries(asTextMap(value)).slice(0, MOST_TEXTS);
  return texts.map(([key, text]) => [`${at}.${key}`, text]);
}

function containerIn(key: string, text: string): readonly (readonly [string, string])[] {
  const [, container] = /^container:(.+)$/.exec(text) ?? [];
  return container === undefined ? [] : [[key, container]];
}

/** Port with several host ports is a range of which each container gets one. */
function readPort(value: unknown): readonly ResolvedPort[] {
  const fields = asRecord(value);
  const target = asNumber(fields['target']);
  if (target === undefined || !isPort(target)) return [];
  const [, start, end] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(asText(fields['published'])) ?? [];
  const first = Number(start);
  const last = Number(end ?? start);
  const isPublished = isPort(first) && isPort(last) && last >= first;
  return [
    {
      target,
      protocol: asText(fields['protocol']) || 'tcp',
      hostIp: asText(fields['host_ip']),
      ...(isPublished && { published: { first, count: last - first + 1 } }),
      more: Object.fromEntries(
        KEPT_FIELDS.flatMap((name) => {
          const text = asText(fields[name]);
          return text === '' ? [] : [[name, text]];
        }),
      ),
    },
  ];
}

function isPort(value: number): boolean {
  return Number.isInteger(value) && value > 0 && value <= LARGEST_PORT;
}

function readNetwork([key, value]: Entry): ResolvedNetwork {
  const fields = asRecord(value);
  return {
    key,
    name: asText(fields['name']),
    isExternal: fields['external'] === true,
    driver: asText(fields['driver']),
    hasSubnets: asList(asRecord(fields['ipam'])['config']).length > 0,
    bridge: asText(asRecord(fields['driver_opts'])[BRIDGE_OPTION]),
  };
}

function readVolume([key, value]: Entry): ResolvedVolume {
  const fields = asRecord(value);
  const options = asRecord(fields['driver_opts']);
  const driver = asText(fields['driver']) || 'local';
  return {
    key,
    name: asText(fields['name']),
    isExternal: fields['external'] === true,
    device: asText(options['device']),
    hasOptions: driver !== 'local' || Object.keys(options).length > 0,
  };
}
