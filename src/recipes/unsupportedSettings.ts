/** Finds the settings of a container that no create option can express, by their names in the API. */

import { OPTIONS, type CreateArguments } from '../engine/options/options.ts';
import { asList, asNumber, asRecord, asText } from '../engine/wire.ts';

type Wire = Readonly<Record<string, unknown>>;

/** Fields of `HostConfig` without an option of their own: expressed by another option, or not chosen by a user. */
const OTHERS =
  'Mounts CpuQuota CpuPeriod ContainerIDFile ConsoleSize MaskedPaths ReadonlyPaths Runtime Isolation CgroupParent ' +
  'Cgroup VolumeDriver KernelMemory KernelMemoryTCP';
const SAID: ReadonlySet<string> = new Set([
  ...Object.values(OPTIONS).map(({ at = '' }) => at.replace('HostConfig.', '')),
  ...OTHERS.split(' '),
]);

/** Values that engines write by default, besides empty ones. */
const USUAL: Readonly<Record<string, readonly unknown[]>> = {
  CgroupnsMode: ['host', 'private'],
  IpcMode: ['private', 'shareable'],
  PidMode: ['private'],
  UTSMode: ['private'],
  MemorySwappiness: [-1],
};

/** Returns the names of settings that are set and that no option can express. */
export function unsupportedSettings(
  container: Wire,
  image: Wire,
  args: CreateArguments,
): readonly string[] {
  const host = asRecord(container['HostConfig']);
  const config = asRecord(container['Config']);
  const ofHost = Object.keys(host).filter((name) => !SAID.has(name) && isChosen(name, host));
  const exposed = Object.keys(asRecord(config['ExposedPorts'])).filter(
    (port) =>
      !Object.hasOwn(asRecord(image['ExposedPorts']), port) &&
      (asRecord(host['PortBindings'])[port] ?? null) === null,
  );
  return [
    ...ofHost,
    ...(asText(config['Domainname']) === '' ? [] : ['Domainname']),
    ...exposed.map((port) => `ExposedPorts ${port}`),
    ...otherNetworks(container, args),
  ];
}

function isChosen(name: string, host: Wire): boolean {
  const value = host[name];
  if (USUAL[name]?.includes(value) === true) return false;
  if (name === 'Annotations') return Object.keys(asRecord(value)).some((key) => !isPodmans(key));
  if (name === 'LogConfig') return isOtherLog(asRecord(value));
  if (name === 'MemorySwap') return isOtherSwap(host);
  if (name === 'Ulimits') return asList(value).some((one) => !isEngines(asRecord(one)));
  return !isNothing(value);
}

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === 0 || value === false)
    return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Podman records other settings as annotations: `--rm`, `--privileged`, a PIDs limit. */
function isPodmans(annotation: string): boolean {
  return annotation.startsWith('io.podman.annotations.');
}

/** Whether logs do not go to one of the usual drivers with default options. */
function isOtherLog(log: Wire): boolean {
  const usual = ['', 'json-file', 'journald', 'k8s-file', 'local'];
  return !usual.includes(asText(log['Type'])) || !isNothing(asRecord(log['Config']));
}

/** Twice the memory limit is the default. */
function isOtherSwap(host: Wire): boolean {
  const [swap, memory] = [asNumber(host['MemorySwap']) ?? 0, asNumber(host['Memory']) ?? 0];
  return swap !== 0 && swap !== 2 * memory;
}

/** Podman lists its own default limits, under their long names. */
function isEngines(limit: Wire): boolean {
  return asText(limit['Name']).startsWith('RLIMIT_');
}

/** Returns networks besides the first, and networks with fixed addresses. */
function otherNetworks(container: Wire, { network }: CreateArguments): readonly string[] {
  const networks = asRecord(asRecord(container['NetworkSettings'])['Networks']);
  const names = Object.keys(networks);
  const others = names.length > 1 ? names.filter((name) => name !== network) : [];
  const fixed = names.filter(
    (name) => !isNothing(asRecord(asRecord(networks[name])['IPAMConfig'])),
  );
  return [
    ...others.map((name) => `Networks ${name}`),
    ...fixed.filter((name) => !others.includes(name)).map((name) => `IPAMConfig ${name}`),
  ];
}
