/** Converts a container to a service of a compose file: only what differs from its image. */

import type { OptionName, CreateArguments } from '../engine/options/options.ts';
import { parseDevice } from '../engine/options/optionChecks.ts';
import { parsePort } from '../engine/options/portBinding.ts';
import { asRecord, asText, asTextMap } from '../engine/wire/wire.ts';
import type { ContainerSpec } from './containerSpec.ts';
import { formatEnvLine } from './envFile.ts';
import { escapeVariable, ExternalNames, freeName, validName } from './externalNames.ts';
import { isGeneratedName } from './formatRecipe.ts';
import { formatYaml, type YamlMap, type YamlValue } from './formatYaml.ts';
import { serviceMount } from './serviceMount.ts';
import { serviceNetworks } from './serviceNetworks.ts';
import { serviceSettings } from './serviceSettings.ts';

/** A service of a compose file. */
export interface ServiceSpec {
  readonly name: string;
  readonly service: YamlMap;
  /** The volumes and networks that the file needs in addition. They exist. */
  readonly volumes: YamlMap;
  readonly networks: YamlMap;
  /** Lines for the file `.env`, by the names of the variables. */
  readonly env: ReadonlyMap<string, string>;
  /** The names of what a service cannot have. */
  readonly leftOut: readonly string[];
}

/** What a compose file has already. */
export interface ComposeNames {
  readonly services: readonly string[];
  /** The names of volumes and networks, by their keys. */
  readonly volumes: ReadonlyMap<string, string>;
  readonly networks: ReadonlyMap<string, string>;
}

/**
 * @param container its complete inspect response.
 * @param hidden the variables whose values are written to `.env`.
 * @param existing the names in the file that gets the service.
 */
export function serviceSpec(
  { args, unsupported }: ContainerSpec,
  container: unknown,
  hidden: readonly string[],
  existing?: ComposeNames,
): ServiceSpec {
  const wire = asRecord(container);
  const { project, service, title } = ownerOf(wire, args);
  const name = freeName(title, existing?.services ?? []);
  const volumes = new ExternalNames(existing?.volumes, project);
  const networks = new ExternalNames(existing?.networks, project);
  const variables = variablesOf(hidden);
  const isNamed = name === title && !isGivenName(args.name ?? '', project, service);
  const written = OPTIONS_IN_ORDER.map((option) =>
    partOf(option, args, { volumes, variables, isNamed }),
  );
  const ownDefault = project === undefined ? undefined : `${project}_default`;
  const connected = serviceNetworks(wire, args.network, { service: title, ownDefault, networks });
  const settings = serviceSettings(
    wire,
    unsupported.filter((one) => !connected.expressed.includes(one)),
  );
  const parts: readonly Part[] = [...written, connected, settings];
  return {
    name,
    service: Object.assign({}, ...parts.map(({ fields }) => fields)) as YamlMap,
    volumes: volumes.entries(),
    networks: networks.entries(),
    env: new Map(
      (args.env ?? []).map(split).flatMap(([variable, value]): [string, string][] => {
        const own = variables.get(variable);
        return own === undefined ? [] : [[own, formatEnvLine(own, value)]];
      }),
    ),
    leftOut: parts.flatMap(({ left = [] }) => left),
  };
}

/** Returns a whole compose file with one service. */
export function formatComposeFile({ name, service, volumes, networks }: ServiceSpec): string {
  const sections = Object.entries({ services: { [name]: service }, networks, volumes });
  const used = sections.filter(([, section]) => Object.keys(section).length > 0);
  return used.map((one) => `${formatYaml(Object.fromEntries([one])).join('\n')}\n`).join('\n');
}

/** What an option is in a service, and what a service cannot have of it. */
interface Part {
  readonly fields?: YamlMap;
  readonly left?: readonly string[];
}

interface Facts {
  readonly volumes: ExternalNames;
  /** The variables of Compose, by those of the container whose values are hidden. */
  readonly variables: ReadonlyMap<string, string>;
  /** Whether the container has a name that was chosen. */
  readonly isNamed: boolean;
}

type Write<Name extends OptionName> = (
  value: NonNullable<CreateArguments[Name]>,
  facts: Facts,
) => Part;

const text =
  (key: string) =>
  (value: string): Part => ({ fields: { [key]: escapeVariable(value) } });
const texts =
  (key: string) =>
  (value: readonly string[]): Part => ({ fields: { [key]: value.map(escapeVariable) } });
const plain =
  (key: string) =>
  (value: boolean | number): Part => ({ fields: { [key]: value } });
const nothing = (): Part => ({});
const leftOut =
  (name: OptionName) =>
  (value: boolean): Part => ({ left: value ? [name] : [] });

/** Every option, in the order in which people usually write them. */
const WRITE: { readonly [Name in OptionName]: Write<Name> } = {
  image: text('image'),
  name: (value, { isNamed }) => (isNamed ? { fields: { container_name: value } } : {}),
  platform: text('platform'),
  entrypoint: texts('entrypoint'),
  cmd: texts('command'),
  restart: text('restart'),
  init: plain('init'),
  user: text('user'),
  workingDir: text('working_dir'),
  hostname: text('hostname'),
  ports: (value) => ({ fields: { ports: value.flatMap(formatPorts) } }),
  env: (value, { variables }) => ({ fields: { environment: environmentOf(value, variables) } }),
  // A variable without a value is that of the machine on which Compose runs.
  unsetEnv: (value) => ({ left: value.map((name) => `unsetEnv ${name}`) }),
  mounts: (value, { volumes }) => {
    const all = value.map((one) => serviceMount(one, volumes));
    const left = all.flatMap((one) => one.left.map((option) => `mounts ${option}`));
    return { fields: { volumes: all.map((one) => one.value) }, left };
  },
  tmpfs: texts('tmpfs'),
  devices: (value) => ({ fields: { devices: value.map(formatDevice) } }),
  labels: (value) => ({
    fields: {
      labels: Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, escapeVariable(one)]),
      ),
    },
  }),
  healthcheck: (value) => ({ fields: { healthcheck: healthcheckOf(value) } }),
  stopSignal: text('stop_signal'),
  stopTimeout: (value) =>
    // Compose has no word for no limit.
    value < 0 ? { left: [`stopTimeout ${value}`] } : { fields: { stop_grace_period: `${value}s` } },
  memory: text('mem_limit'),
  shmSize: text('shm_size'),
  cpus: plain('cpus'),
  pidsLimit: plain('pids_limit'),
  readOnly: plain('read_only'),
  privileged: plain('privileged'),
  capAdd: texts('cap_add'),
  capDrop: texts('cap_drop'),
  securityOpt: securityOf,
  dns: texts('dns'),
  extraHosts: texts('extra_hosts'),
  tty: plain('tty'),
  openStdin: plain('stdin_open'),
  autoRemove: leftOut('autoRemove'),
  publishAll: leftOut('publishAll'),
  // See `serviceNetworks`.
  network: nothing,
  // Up starts a service.
  start: nothing,
};

const OPTIONS_IN_ORDER = Object.keys(WRITE) as OptionName[];

function partOf(name: OptionName, args: CreateArguments, facts: Facts): Part {
  const value: unknown = args[name];
  const write = WRITE[name] as (value: unknown, facts: Facts) => Part;
  return value === undefined ? {} : write(value, facts);
}

/** Returns the Compose project of a container, its service, and the name of the new service. */
function ownerOf(container: Readonly<Record<string, unknown>>, { name, image }: CreateArguments) {
  const labels = asTextMap(asRecord(container['Config'])['Labels']);
  // The image of a service has the others, too.
  const isOfCompose = Object.keys(labels).some((label) => MARK.test(label));
  const [project, service] = ['project', 'service'].map((key) =>
    isOfCompose ? asText(labels[`com.docker.compose.${key}`]) || undefined : undefined,
  );
  const own = service ?? name ?? image.split('/').at(-1)?.split(/[@:]/, 1)[0] ?? '';
  return { project, service, title: validName(own) };
}

/** Labels that only containers of a project have. */
const MARK = /^(?:com\.docker\.compose\.(?:config-hash|oneoff)|io\.podman\.compose\.project)$/;

/** Whether a container has a name that the engine or Compose has given to it. */
function isGivenName(name: string, project = '', service = ''): boolean {
  const starts = [`${project}-${service}-`, `${project}_${service}_`];
  const isOfCompose = starts.some(
    (start) => name.startsWith(start) && /^(?:\d+|run[-_]\w+)$/.test(name.slice(start.length)),
  );
  return isGeneratedName(name) || isOfCompose;
}

/** Returns names of variables that Compose can read. */
function variablesOf(hidden: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const name of hidden) {
    const plainName = name.replace(/\W/g, '_').replace(/^(?=\d)/, '_');
    names.set(name, freeName(plainName, names.values(), '_'));
  }
  return names;
}

function split(entry: string): readonly [name: string, value: string] {
  const [name = ''] = entry.split('=', 1);
  return [name, entry.slice(name.length + 1)];
}

function environmentOf(env: readonly string[], variables: ReadonlyMap<string, string>): YamlMap {
  return Object.fromEntries(
    env.map(split).map(([name, value]) => {
      const variable = variables.get(name);
      return [name, variable === undefined ? escapeVariable(value) : `\${${variable}}`];
    }),
  );
}

/** Compose takes an address before one colon for a host port. */
function formatPorts(port: string): readonly string[] {
  return parsePort(port).map(({ containerPort, hostIp, hostPort }) => {
    const address = hostIp.includes(':') ? `[${hostIp}]:` : hostIp === '' ? '' : `${hostIp}:`;
    const outside = address === '' && hostPort === '' ? '' : `${address}${hostPort}:`;
    return `${outside}${containerPort.replace('/tcp', '')}`;
  });
}

/** Compose takes permissions in the second place for a path. */
function formatDevice(device: string): string {
  const [source, target, rights] = Object.values(parseDevice(device)).map(asText);
  const parts =
    rights === 'rwm' ? [source, ...(target === source ? [] : [target])] : [source, target, rights];
  return escapeVariable(parts.join(':'));
}

function healthcheckOf(check: NonNullable<CreateArguments['healthcheck']>): YamlMap {
  if (check === false) return { disable: true };
  const { test, interval, timeout, startPeriod, retries } = check;
  const command: YamlValue | undefined =
    test === undefined || typeof test === 'string'
      ? test && escapeVariable(test)
      : ['CMD', ...test.map(escapeVariable)];
  return {
    ...(command !== undefined && { test: command }),
    ...(interval !== undefined && { interval }),
    ...(timeout !== undefined && { timeout }),
    ...(retries !== undefined && { retries }),
    ...(startPeriod !== undefined && { start_period: startPeriod }),
  };
}

/** Compose reads a profile from a file, and the engine has only its contents. */
function securityOf(options: readonly string[]): Part {
  const isKnown = (option: string): boolean => !/^seccomp[=:](?!unconfined$)/.test(option);
  const known = options.filter(isKnown).map(escapeVariable);
  return {
    ...(known.length > 0 && { fields: { security_opt: known } }),
    left: known.length < options.length ? ['securityOpt seccomp'] : [],
  };
}
