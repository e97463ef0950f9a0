/** Finds the settings of a container that no create option can express, by their names in the API. */

import { chosenAliases } from '../engine/networks/memberAliases.ts';
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
    ...(isOtherStartInterval(config, image) ? ['Healthcheck StartInterval'] : []),
    ...exposed.map((port) => `ExposedPorts ${port}`),
    ...otherNetworks(container, args),
  ];
}

/** Whether the interval of health checks during the start period was chosen for this container. */
function isOtherStartInterval(config: Wire, image: Wire): boolean {
  const [own, ofImage] = [config, image].map(
    (wire) => asNumber(asRecord(wire['Healthcheck'])['StartInterval']) ?? 0,
  );
  return own !== 0 && own !== ofImage;
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

/** Returns networks besides the first, and the addresses and aliases that were chosen on the first. */
function otherNetworks(container: Wire, { network }: CreateArguments): readonly string[] {
  const networks = asRecord(asRecord(container['NetworkSettings'])['Networks']);
  const names = Object.keys(networks);
  const others = names.length > 1 ? names.filter((name) => name !== network) : [];
  const first = names.filter((name) => !others.includes(name));
  const fixed = first.filter(
    (name) => !isNothing(asRecord(asRecord(networks[name])['IPAMConfig'])),
  );
  const aliased = first.filter((name) => chosenAliases(container, name).length > 0);
  return [
    ...others.map((name) => `Networks ${name}`),
    ...fixed.map((name) => `IPAMConfig ${name}`),
    ...aliased.map((name) => `Aliases ${name}`),
    ...(hasOwnMacAddress(container, first) ? ['MacAddress'] : []),
  ];
}

/**
 * Whether a MAC address was chosen. From API 1.44 on, only a container that was never started shows this: later, its
 * networks have the address in use, chosen or not.
 */
function hasOwnMacAddress(container: Wire, networks: readonly string[]): boolean {
  if (asText(asRecord(container['Config'])['MacAddress']) !== '') return true;
  const endpoints = asRecord(asRecord(container['NetworkSettings'])['Networks']);
  return (
    asText(asRecord(container['State'])['Status']) === 'created' &&
    networks.some((name) => asText(asRecord(endpoints[name])['MacAddress']) !== '')
  );
}
