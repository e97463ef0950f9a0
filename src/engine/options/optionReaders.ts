/** Readers of option values in a container inspect. They leave out defaults of the image and of the engine. */

import { withoutTrailing } from '../../base/plainText.ts';
import { asList, asNumber, asRecord, asText, asTextMap, asTexts } from '../wire/wire.ts';
import { nonEmpty, type WireReader } from './containerOption.ts';
import { formatMemory } from './quantities.ts';

/** Default networks of the engines. */
const USUAL_NETWORKS: readonly string[] = ['', 'default', 'bridge', 'slirp4netns', 'pasta'];
/** The names under which the default networks are listed. */
const USUAL_NAMES: readonly string[] = ['bridge', 'podman'];

/** The network mode. Podman reports `bridge` for every network, and its name only in the list of networks. */
export const readNetworkMode: WireReader = (own, _, container) => {
  if (!USUAL_NETWORKS.includes(asText(own))) return own;
  if (own !== 'bridge' || !isOfPodman(container)) return undefined;
  const networks = asRecord(asRecord(container['NetworkSettings'])['Networks']);
  const names = Object.keys(networks);
  return names.some((name) => USUAL_NAMES.includes(name)) ? undefined : names[0];
};

/** Whether an inspect response is of Podman, which reports this runtime for every container. */
export function isOfPodman(container: Readonly<Record<string, unknown>>): boolean {
  return asRecord(container['HostConfig'])['Runtime'] === 'oci';
}

/** The host name, unless it is the container ID or belongs to the host or the container whose network is shared. */
export const readHostname: WireReader = (own, _, container) => {
  const network = asText(asRecord(container['HostConfig'])['NetworkMode']);
  const isBorrowed = network === 'host' || network.startsWith('container:');
  const id = asText(container['Id']).slice(0, 12);
  return isBorrowed || own === '' || own === id ? undefined : own;
};

export const readPorts: WireReader = (own) =>
  nonEmpty(Object.entries(asRecord(own)).flatMap(([port, bindings]) => portsOf(port, bindings)));

function portsOf(containerPort: string, bindings: unknown): readonly string[] {
  const [port = '', protocol = 'tcp'] = containerPort.split('/');
  const end = protocol === 'tcp' ? port : `${port}/${protocol}`;
  const all = asList(bindings).map(asRecord);
  // One engine reports null for a port that is exposed but not published.
  if (bindings === null) return [];
  if (all.length === 0) return [end];
  return all.map((binding) => {
    const ip = asText(binding['HostIp']);
    const hostPort = asText(binding['HostPort']);
    const address = ip.includes(':') ? `[${ip}]:` : ip === '' ? '' : `${ip}:`;
    return `${address}${hostPort === '' || hostPort === '0' ? '' : `${hostPort}:`}${end}`;
  });
}

export const readRestart: WireReader = (own) => {
  const policy = asRecord(own);
  const name = asText(policy['Name']);
  const count = asNumber(policy['MaximumRetryCount']) ?? 0;
  if (name === '' || name === 'no') return undefined;
  return name === 'on-failure' && count > 0 ? `on-failure:${count}` : name;
};

/** An amount of memory; 0 is no limit. */
export const readMemory: WireReader = (own) => {
  const bytes = asNumber(own) ?? 0;
  return bytes <= 0 ? undefined : formatMemory(bytes);
};

/** The size of `/dev/shm`, unless it is the default of the engine. */
export const readShmSize: WireReader = (own, ofImage, container) => {
  const usual = isOfPodman(container) ? 65_536_000 : 67_108_864;
  return own === usual ? undefined : readMemory(own, ofImage, container);
};

/** The PIDs limit, unless it is the default of the engine: none, or for Podman 2048. */
export const readPidsLimit: WireReader = (own, _, container) => {
  const count = asNumber(own) ?? 0;
  if (isOfPodman(container)) return own === 2048 || own === undefined ? undefined : count || -1;
  return count <= 0 ? undefined : count;
};

/** Returns a reader of a number. @param usual defaults of engines. */
export function numberReader(...usual: readonly number[]): WireReader {
  return (own) => {
    const value = asNumber(own);
    return value === undefined || usual.includes(value) ? undefined : value;
  };
}

/** The period of a CPU quota in microseconds, if none is set. */
export const USUAL_CPU_PERIOD = 100_000;

/** Number of CPUs, from `NanoCpus` or from the equivalent quota and period. */
export const readCpus: WireReader = (own, _, container) => {
  const host = asRecord(container['HostConfig']);
  const nano = asNumber(own) ?? 0;
  const quota = asNumber(host['CpuQuota']) ?? 0;
  if (nano > 0) return nano / 1e9;
  const period = asNumber(host['CpuPeriod']) ?? 0;
  return quota > 0 ? quota / (period > 0 ? period : USUAL_CPU_PERIOD) : undefined;
};

/** Devices in the form of `--device`, without default parts. */
export const readDevices: WireReader = (own) => {
  const devices = asList(own).map((one) => {
    const device = asRecord(one);
    const source = asText(device['PathOnHost']);
    const target = asText(device['PathInContainer']);
    const rights = asText(device['CgroupPermissions']);
    return [
      source,
      ...(target !== '' && target !== source ? [target] : []),
      ...(rights !== '' && rights !== 'rwm' ? [rights] : []),
    ].join(':');
  });
  return nonEmpty(devices.filter((device) => device !== ''));
};

/** The working directory. If none is set, a process starts in `/`. */
export const readWorkingDir: WireReader = (own, ofImage) => {
  const folderOf = (path: unknown): string => withoutTrailing(asText(path), '/') || '/';
  return asText(own) === '' || folderOf(own) === folderOf(ofImage) ? undefined : own;
};

/** Signal numbers that some engines report instead of names. These numbers are the same on all hosts. */
const SIGNALS: Readonly<Record<string, string>> = {
  '': 'TERM',
  '1': 'HUP',
  '2': 'INT',
  '3': 'QUIT',
  '9': 'KILL',
  '15': 'TERM',
};

export const readStopSignal: WireReader = (own, ofImage) => {
  const signalOf = (signal: unknown): string => {
    const name = asText(signal).toUpperCase().replace(/^SIG/, '');
    return SIGNALS[name] ?? name;
  };
  return asText(own) === '' || signalOf(own) === signalOf(ofImage) ? undefined : own;
};

/** Variables that Podman itself adds to the environment, which it marks with `container=`. */
const ENGINE_ENV = /^(?:container=(?:podman|oci)|TERM=xterm|HOSTNAME=.*|HOME=.*)$/s;
const USUAL_PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Variables that were added or changed. */
export const readEnv: WireReader = (own, ofImage) => {
  const entries = asTexts(own);
  const isFilledIn = entries.some((entry) => /^container=(?:podman|oci)$/.test(entry));
  const inherited = new Set(asTexts(ofImage));
  return nonEmpty(
    entries.filter((entry) => {
      if (!entry.includes('=') || inherited.has(entry)) return false;
      return !(isFilledIn && (ENGINE_ENV.test(entry) || entry === USUAL_PATH));
    }),
  );
};

/** Variables of the image that were unset. */
export const readUnsetEnv: WireReader = (own, ofImage) => {
  const entries = asTexts(own);
  const names = new Set(entries.filter((entry) => entry.includes('=')).map(nameOf));
  const bare = entries.filter((entry) => !entry.includes('='));
  const all = new Set([...bare, ...asTexts(ofImage).map(nameOf)]);
  return nonEmpty([...all].filter((name) => !names.has(name)));
};

function nameOf(entry: string): string {
  return entry.split('=', 1)[0] ?? '';
}

/** Labels of the tool that created the container. They apply only to that one container. */
const TOOLS = /^(?:com\.docker\.compose\.|io\.podman\.compose\.|PODMAN_SYSTEMD_UNIT$)/;

/** Labels without those of the image and of tools. */
export const readOwnLabels: WireReader = (own, ofImage) => {
  const inherited = asTextMap(ofImage);
  const labels = Object.entries(asTextMap(own)).filter(
    ([name, value]) => inherited[name] !== value && !TOOLS.test(name),
  );
  return labels.length > 0 ? Object.fromEntries(labels) : undefined;
};
