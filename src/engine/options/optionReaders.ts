/** What of an inspect a container's options have to say: what the image or the engine does by itself is left out. */

import { withoutTrailing } from '../../plainText.ts';
import { asList, asNumber, asRecord, asText, asTextMap, asTexts } from '../wire.ts';
import { nonEmpty, type WireReader } from './containerOption.ts';
import { formatMemory } from './quantities.ts';

/** Networks that stand for "not said", by the engines' different words. */
const USUAL_NETWORKS: readonly string[] = ['', 'default', 'bridge', 'slirp4netns', 'pasta'];

export const readNetwork: WireReader = (own) =>
  USUAL_NETWORKS.includes(asText(own)) ? undefined : own;

/** Unless it is the id, or that of the machine or the container whose network it has. */
export const readHostname: WireReader = (own, _, container) => {
  const network = asText(asRecord(container['HostConfig'])['NetworkMode']);
  const isBorrowed = network === 'host' || network.startsWith('container:');
  return isBorrowed || asText(container['Id']).startsWith(asText(own)) ? undefined : own;
};

export const readPorts: WireReader = (own) =>
  nonEmpty(Object.entries(asRecord(own)).flatMap(([port, bindings]) => portsOf(port, bindings)));

function portsOf(containerPort: string, bindings: unknown): readonly string[] {
  const [port = '', protocol = 'tcp'] = containerPort.split('/');
  const end = protocol === 'tcp' ? port : `${port}/${protocol}`;
  const all = asList(bindings).map(asRecord);
  // So one engine says that it is exposed and no more.
  if (bindings === null) return [];
  if (all.length === 0) return [end];
  return all.map((binding) => {
    const [ip, hostPort] = [asText(binding['HostIp']), asText(binding['HostPort'])];
    const address = ip.includes(':') ? `[${ip}]:` : ip === '' ? '' : `${ip}:`;
    return `${address}${hostPort === '' || hostPort === '0' ? '' : `${hostPort}:`}${end}`;
  });
}

export const readRestart: WireReader = (own) => {
  const policy = asRecord(own);
  const [name, count] = [asText(policy['Name']), asNumber(policy['MaximumRetryCount']) ?? 0];
  if (name === '' || name === 'no') return undefined;
  return name === 'on-failure' && count > 0 ? `on-failure:${count}` : name;
};

/** Makes the reader of an amount of memory. @param usual bytes that engines write where nothing was said, besides none. */
export function memoryReader(...usual: readonly number[]): WireReader {
  return (own) => {
    const bytes = asNumber(own) ?? 0;
    return bytes <= 0 || usual.includes(bytes) ? undefined : formatMemory(bytes);
  };
}

/** Makes the reader of a number. @param usual those that engines write where nothing was said. */
export function numberReader(...usual: readonly number[]): WireReader {
  return (own) => {
    const value = asNumber(own);
    return value === undefined || usual.includes(value) ? undefined : value;
  };
}

/** As a number of processors, or as a share of a period, which is the same. */
export const readCpus: WireReader = (own, _, container) => {
  const host = asRecord(container['HostConfig']);
  const nano = asNumber(own) ?? 0;
  const [quota, period] = [asNumber(host['CpuQuota']) ?? 0, asNumber(host['CpuPeriod']) ?? 0];
  if (nano > 0) return nano / 1e9;
  return quota > 0 && period > 0 ? quota / period : undefined;
};

/** Devices as they are written: what is usual is left out. */
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

/** Where nothing is said, a process begins at the top. */
export const readWorkingDir: WireReader = (own, ofImage) => {
  const folderOf = (path: unknown): string => withoutTrailing(asText(path), '/') || '/';
  return asText(own) === '' || folderOf(own) === folderOf(ofImage) ? undefined : own;
};

/** The numbers engines write for names, the same on all machines for these. */
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

/** What an engine itself puts into the environment where it says that it is the one. */
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

/** Those of the image that were taken away. */
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

/** Labels that say which tool made a container, and are true of that one alone. */
const TOOLS = /^(?:com\.docker\.compose\.|io\.podman\.compose\.|PODMAN_SYSTEMD_UNIT$)/;

/** Labels but for the image's own and those of tools. */
export const readOwnLabels: WireReader = (own, ofImage) => {
  const inherited = asTextMap(ofImage);
  const labels = Object.entries(asTextMap(own)).filter(
    ([name, value]) => inherited[name] !== value && !TOOLS.test(name),
  );
  return labels.length > 0 ? Object.fromEntries(labels) : undefined;
};
