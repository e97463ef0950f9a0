/** Finds the settings of a container that no create option can express, by their names in the API. */

import { chosenAliases } from '../engine/networks/memberAliases.ts';
import { USUAL_CPU_PERIOD } from '../engine/options/optionReaders.ts';
import { OPTIONS, type CreateArguments } from '../engine/options/options.ts';
import { asList, asNumber, asRecord, asText } from '../engine/wire/wire.ts';
import type { EngineDefaults } from './engineDefaults.ts';

type Wire = Readonly<Record<string, unknown>>;

/**
 * Fields of `HostConfig` that another option expresses, besides those of the options: typed mounts, and a CPU quota.
 * The console size is that of the terminal in which the container was created; it is not a choice.
 */
const OTHERS = ['Mounts', 'CpuQuota', 'ConsoleSize'];
const SAID: ReadonlySet<string> = new Set([
  ...Object.values(OPTIONS).map(({ at = '' }) => at.replace('HostConfig.', '')),
  ...OTHERS,
]);

/** Returns the names of settings that are set and that no option can express. */
export function unsupportedSettings(
  container: Wire,
  image: Wire,
  args: CreateArguments,
  engine: EngineDefaults,
): readonly string[] {
  const host = asRecord(container['HostConfig']);
  const config = asRecord(container['Config']);
  const ofHost = Object.keys(host).filter(
    (name) => !SAID.has(name) && isChosen(name, host, engine),
  );
  const exposed = Object.keys(asRecord(config['ExposedPorts'])).filter(
    (port) =>
      !Object.hasOwn(asRecord(image['ExposedPorts']), port) &&
      (asRecord(host['PortBindings'])[port] ?? null) === null,
  );
  return [
    ...ofHost,
    ...(!ofHost.includes('Ulimits') && choosesLimits(config['CreateCommand']) ? ['Ulimits'] : []),
    ...(config['NetworkDisabled'] === true ? ['NetworkDisabled'] : []),
    ...(isOtherHostname(config, host, engine) ? ['Hostname'] : []),
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

function isChosen(name: string, host: Wire, engine: EngineDefaults): boolean {
  const isOther = MEANT.get(name);
  if (isOther) return isOther(host, engine);
  return !isNothing(host[name]) && engine.usual[name]?.includes(host[name]) !== true;
}

type IsChosen = (host: Wire, engine: EngineDefaults) => boolean;

/**
 * The limits that Podman gives to every container, and lists under their long names. Only the command that created
 * a container tells whether they were chosen.
 */
const ENGINES_LIMITS: readonly string[] = ['RLIMIT_NOFILE', 'RLIMIT_NPROC'];

/** Whether a command line of Podman chose limits. */
function choosesLimits(command: unknown): boolean {
  return asList(command).some((word) => /^--ulimit(?:=|$)/.test(asText(word)));
}

/** Checks of whether a field was chosen, for fields where neither emptiness nor a default value tells. */
const MEANT: ReadonlyMap<string, IsChosen> = new Map<string, IsChosen>([
  [
    'Annotations',
    ({ Annotations }) => !Object.keys(asRecord(Annotations)).every(isPodmanAnnotation),
  ],
  ['CpuPeriod', ({ CpuPeriod }) => !isNothing(CpuPeriod) && CpuPeriod !== USUAL_CPU_PERIOD],
  ['LogConfig', ({ LogConfig }, engine) => isOtherLog(asRecord(LogConfig), engine)],
  ['MaskedPaths', (host) => areOtherPaths(host, 'MaskedPaths')],
  ['MemorySwap', isOtherSwap],
  // 0 turns swapping off. Podman reports it for every container.
  [
    'MemorySwappiness',
    ({ MemorySwappiness: value = null }, { isPodman }) =>
      value !== null && value !== -1 && !(value === 0 && isPodman),
  ],
  ['ReadonlyPaths', (host) => areOtherPaths(host, 'ReadonlyPaths')],
  [
    'Ulimits',
    ({ Ulimits }) =>
      !asList(Ulimits).every((one) => ENGINES_LIMITS.includes(asText(asRecord(one)['Name']))),
  ],
]);

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === 0 || value === false)
    return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/**
 * Whether an annotation is of Podman, which records other settings (`--rm`, `--privileged`, a PIDs limit), and what it
 * has told the runtime at a start.
 */
export function isPodmanAnnotation(annotation: string): boolean {
  return /^(?:io\.podman\.annotations\.|io\.container\.manager$|org\.opencontainers\.image\.stopSignal$|org\.systemd\.property\.)/.test(
    annotation,
  );
}

/** Whether logs do not go to the default driver with default options. */
function isOtherLog(log: Wire, { logDriver }: EngineDefaults): boolean {
  const known = ['json-file', 'journald', 'k8s-file', 'local'];
  const usual = ['', ...(logDriver === undefined ? known : [logDriver])];
  return !usual.includes(asText(log['Type'])) || !isNothing(asRecord(log['Config']));
}

/** Paths that engines of any version hide or protect. A list of these alone is a default, if it has the first. */
const USUAL_PATHS: Readonly<Record<string, readonly [first: string, all: RegExp]>> = {
  MaskedPaths: [
    '/proc/kcore',
    /^\/(?:proc\/(?:asound|acpi|interrupts|kcore|keys|latency_stats|timer_list|timer_stats|sched_debug|scsi)|sys\/(?:firmware|fs\/selinux|dev\/block|devices\/(?:virtual\/powercap|system\/cpu\/cpu\d+\/thermal_throttle)))$/,
  ],
  ReadonlyPaths: ['/proc/sys', /^\/proc\/(?:asound|bus|fs|irq|sys|sysrq-trigger)$/],
};

/** Whether a container hides or protects other paths than by default; a privileged one has none. */
function areOtherPaths(host: Wire, name: string): boolean {
  const paths = host[name];
  const [first = '', all] = USUAL_PATHS[name] ?? [];
  if (!Array.isArray(paths)) return false;
  if (paths.length === 0) return host['Privileged'] !== true;
  return !paths.includes(first) || !paths.every((path) => all?.test(asText(path)) === true);
}

/** Whether a host name was chosen although the network is that of the host. */
function isOtherHostname(config: Wire, host: Wire, { hostName }: EngineDefaults): boolean {
  const own = asText(config['Hostname']);
  if (host['NetworkMode'] !== 'host' || hostName === undefined) return false;
  return own !== '' && own !== hostName && !/^[0-9a-f]{12}$/.test(own);
}

/** Twice the memory limit is the default. */
function isOtherSwap(host: Wire): boolean {
  const swap = asNumber(host['MemorySwap']) ?? 0;
  const memory = asNumber(host['Memory']) ?? 0;
  return swap !== 0 && swap !== 2 * memory;
}

/** Other settings that can be chosen for the first network. */
const ENDPOINT_SETTINGS = ['DriverOpts', 'GwPriority', 'Links'];

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
    ...ENDPOINT_SETTINGS.flatMap((field) =>
      first
        .filter((name) => !isNothing(asRecord(networks[name])[field]))
        .map((name) => `${field} ${name}`),
    ),
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
