import { isIP } from 'node:net';
import type {
  Container,
  ContainerMount,
  ContainerNetwork,
  ContainerState,
  Health,
  Port,
} from '../model.ts';
import {
  asId,
  asImageId,
  asLine,
  asLines,
  asList,
  asMoment,
  asNumber,
  asRecord,
  asText,
  asLabels,
} from '../wire/wire.ts';

/** The most entries of each kind that are read of a container: an engine may report a million. */
const MOST_NAMES = 100;
const MOST_PORTS = 4_000;
const MOST_MOUNTS = 1_000;
const MOST_NETWORKS = 1_000;
/** Only for display, in characters. */
const LONGEST_COMMAND = 4_096;
const LONGEST_PATH = 4_096;

/** Reads one element of `GET /containers/json`. Returns undefined if it has no ID. */
export function readContainer(value: unknown): Container | undefined {
  const wire = asRecord(value);
  const id = asId(wire['Id']);
  if (id === '') return undefined;
  const names = readNames(wire['Names']);
  const status = asLine(wire['Status']);
  const health = readHealth(asRecord(wire['Health'])['Status'], status);
  const exitCode = readExitCode(status);
  const networks = asRecord(wire['NetworkSettings'])['Networks'];
  const omitted = {
    ports: Math.max(0, asList(wire['Ports']).length - MOST_PORTS),
    mounts: Math.max(0, asList(wire['Mounts']).length - MOST_MOUNTS),
    networks: Math.max(0, Object.keys(asRecord(networks)).length - MOST_NETWORKS),
  };
  const state = readState(wire['State']);
  return {
    id,
    name: names[0] ?? id.slice(0, 12),
    names,
    image: asLine(wire['Image']),
    imageId: asImageId(wire['ImageID']),
    state,
    status,
    createdAt: asMoment(wire['Created']),
    ports: readPorts(wire['Ports']),
    labels: asLabels(wire['Labels']),
    command: asText(wire['Command']).slice(0, LONGEST_COMMAND),
    mounts: readMounts(wire['Mounts']),
    networks: readNetworks(networks, state),
    ...(Object.values(omitted).some((count) => count > 0) ? { omitted } : {}),
    ...(health === undefined ? {} : { health }),
    ...(exitCode === undefined ? {} : { exitCode }),
  };
}

// A Map, because a plain object would also have keys such as `constructor`.
const STATES: ReadonlyMap<string, ContainerState> = new Map([
  ['created', 'created'],
  ['running', 'running'],
  ['paused', 'paused'],
  ['restarting', 'restarting'],
  ['removing', 'removing'],
  ['exited', 'exited'],
  ['dead', 'dead'],
  // States that only Podman has, and that older versions report.
  ['configured', 'created'],
  ['initialized', 'created'],
  ['stopping', 'running'],
  ['stopped', 'exited'],
]);

export function readState(value: unknown): ContainerState {
  return STATES.get(asText(value).toLowerCase()) ?? 'unknown';
}

function readNames(value: unknown): readonly string[] {
  return (
    asLines(asList(value).slice(0, MOST_NAMES))
      .map((name) => name.replace(/^\//, ''))
      // A name with another slash is an alias that another container (`--link`) uses for this one.
      .filter((name) => name !== '' && !name.includes('/'))
  );
}

function readHealth(value: unknown, status: string): Health | undefined {
  const [, inText] = /\((?:health: )?(starting|healthy|unhealthy)\)/.exec(status) ?? [];
  return asHealth(asText(value) === '' ? inText : value);
}

/** Reads a health status; returns undefined for any other text. */
export function asHealth(word: unknown): Health | undefined {
  return word === 'starting' || word === 'healthy' || word === 'unhealthy' ? word : undefined;
}

function readExitCode(status: string): number | undefined {
  const [, code] = /^(?:Exited|Restarting) \((-?\d+)\)/.exec(status) ?? [];
  return code === undefined ? undefined : Number(code);
}

function readPorts(value: unknown): readonly Port[] {
  const ports = asList(value)
    .slice(0, MOST_PORTS)
    .flatMap((one) => readPort(asRecord(one)));
  const keyOf = (port: Port): string =>
    `${port.privatePort}/${port.protocol}/${port.publicPort ?? ''}`;
  const everywhere = new Set(ports.filter((port) => port.ip === '0.0.0.0').map(keyOf));
  const byKey = new Map<string, Port>();
  for (const port of ports) {
    // The same port is already listed for IPv4.
    if (port.ip === '::' && everywhere.has(keyOf(port))) continue;
    byKey.set(`${port.ip ?? ''} ${keyOf(port)}`, port);
  }
  return [...byKey.values()].sort(
    (a, b) =>
      a.privatePort - b.privatePort ||
      compareTexts(a.protocol, b.protocol) ||
      (a.publicPort ?? 0) - (b.publicPort ?? 0) ||
      compareTexts(a.ip ?? '', b.ip ?? ''),
  );
}

/** Much faster than by the rules of a language: a list may have a million ports. */
function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function readPort(wire: Readonly<Record<string, unknown>>): readonly Port[] {
  const privatePort = asPort(wire['PrivatePort']);
  if (privatePort === undefined) return [];
  const ip = asText(wire['IP']);
  const publicPort = asPort(wire['PublicPort']);
  return [
    {
      privatePort,
      protocol: readProtocol(wire['Type']),
      ...(isIP(ip) === 0 ? {} : { ip }),
      ...(publicPort === undefined || publicPort === 0 ? {} : { publicPort }),
    },
  ];
}

/** Engines list mounts in a different order each time. */
function readMounts(value: unknown): readonly ContainerMount[] {
  const mounts = asList(value).slice(0, MOST_MOUNTS).map(asRecord).map(readMount);
  return mounts.filter(({ path }) => path !== '').sort((a, b) => (a.path < b.path ? -1 : 1));
}

function readMount(wire: Readonly<Record<string, unknown>>): ContainerMount {
  const type = asLine(wire['Type']);
  const volume = type === 'volume' ? asLine(wire['Name']) : '';
  const source = type === 'bind' ? asText(wire['Source']).slice(0, LONGEST_PATH) : '';
  return {
    type,
    path: asText(wire['Destination']),
    isReadOnly: wire['RW'] === false,
    ...(volume === '' ? {} : { volume }),
    ...(source === '' ? {} : { source }),
  };
}

/**
 * Reads `NetworkSettings.Networks` of a container. Podman 4 lists the addresses of one that has exited until it has
 * cleaned up, which no event reports.
 */
export function readNetworks(value: unknown, state: ContainerState): readonly ContainerNetwork[] {
  const isUp = state === 'running' || state === 'paused' || state === 'restarting';
  const all = Object.entries(asRecord(value)).slice(0, MOST_NETWORKS);
  const networks = all.map(([name, one]): ContainerNetwork => {
    const wire = asRecord(one);
    const ip = asText(wire['IPAddress']);
    const ip6 = asText(wire['GlobalIPv6Address']);
    return {
      name: asLine(name),
      networkId: asLine(wire['NetworkID']),
      ...(isUp && isIP(ip) !== 0 ? { ip } : {}),
      ...(isUp && isIP(ip6) !== 0 ? { ip6 } : {}),
    };
  });
  return networks.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Reads a port number; returns undefined if it is invalid. The number becomes part of a URL that is opened. */
function asPort(value: unknown): number | undefined {
  const port = asNumber(value);
  return Number.isInteger(port) && port !== undefined && port >= 0 && port <= 65_535
    ? port
    : undefined;
}

function readProtocol(value: unknown): string {
  const text = asText(value);
  return /^[a-z\d]{1,16}$/i.test(text) ? text : 'tcp';
}
