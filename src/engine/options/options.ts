/**
 * The options of a container, one row each, in the order in which they are checked. The argument of
 * `gantry.containers.create`, the create request, the values read from a container, the flags of `docker run`,
 * and the plain rows of the create form are derived from this table. A unit test compares it with the schemas of
 * recipes and tasks.
 */

import {
  listOption,
  nonEmpty,
  option,
  unread,
  type ContainerOption,
  type OptionKind,
  type OptionValues,
} from './containerOption.ts';
import { parseHealthcheck, readOwnHealthcheck } from './healthcheck.ts';
import { checkMount } from './mountSpec.ts';
import {
  checkCapability,
  checkContainerName,
  checkDns,
  checkEnv,
  checkEnvName,
  checkExtraHost,
  checkHostname,
  checkImage,
  checkNetwork,
  checkPidsLimit,
  checkPlatform,
  checkSecurityOption,
  checkSignal,
  checkStopTimeout,
  checkUser,
  checkWorkingDir,
  parseDevice,
  parseRestart,
  parseTmpfs,
} from './optionChecks.ts';
import {
  readCpus,
  readDevices,
  readEnv,
  readHostname,
  readMemory,
  readOwnLabels,
  readPidsLimit,
  readNetworkMode,
  numberReader,
  readPorts,
  readRestart,
  readShmSize,
  readStopSignal,
  readUnsetEnv,
  readWorkingDir,
} from './optionReaders.ts';
import { parsePort, portBindings } from './portBinding.ts';
import { parseCpus, parseMemory } from './quantities.ts';

export const OPTIONS = {
  /** A reference, or the ID of a local image. */
  image: option('text', undefined, 'Config.Image', checkImage),
  /** Absent or empty: the image's command. */
  cmd: option('words', undefined, 'Config.Cmd', nonEmpty),
  /** Absent or empty: the image's entrypoint. `['']` removes it. */
  entrypoint: option('words', undefined, 'Config.Entrypoint', nonEmpty),
  /** `[ip:][hostPort:]containerPort[/proto]`. */
  ports: listOption('-p', 'HostConfig.PortBindings', parsePort, readPorts, portBindings),
  /** `K=V`; the value can be empty. */
  env: listOption('-e', 'Config.Env', checkEnv, readEnv),
  /** Names of image variables to unset. In the request they have no value. */
  unsetEnv: listOption('-e', 'Config.Env', checkEnvName, readUnsetEnv),
  labels: option('textMap', '-l', 'Config.Labels', undefined, readOwnLabels),
  tty: option('boolean', '-t', 'Config.Tty'),
  openStdin: option('boolean', undefined, 'Config.OpenStdin'),
  /** Host name of the container. */
  hostname: option('text', '-h', 'Config.Hostname', checkHostname, readHostname),
  /** An absolute path. */
  workingDir: option('text', '-w', 'Config.WorkingDir', checkWorkingDir, readWorkingDir),
  /** `user[:group]`. */
  user: option('text', '-u', 'Config.User', checkUser),
  /** False turns off the image's health check. */
  healthcheck: option(
    'healthcheck',
    undefined,
    'Config.Healthcheck',
    parseHealthcheck,
    readOwnHealthcheck,
  ),
  /** A signal name or number. */
  stopSignal: option('text', '--stop-signal', 'Config.StopSignal', checkSignal, readStopSignal),
  /** Seconds; -1 for no limit. */
  stopTimeout: option(
    'wholeNumber',
    '--stop-timeout',
    'Config.StopTimeout',
    checkStopTimeout,
    // Some engines report their default of 10 for every container.
    numberReader(10),
  ),
  /** `/path[:options]`. */
  tmpfs: listOption('--tmpfs', 'HostConfig.Tmpfs', parseTmpfs, unread, Object.fromEntries),
  /** `source:target[:options]`, a missing source folder is created; `/target`; or `type=…` in the form of `--mount`. */
  mounts: listOption('-v', 'HostConfig.Binds', checkMount, unread),
  /** `/dev/x[:/dev/y][:rwm]`. */
  devices: listOption('--device', 'HostConfig.Devices', parseDevice, readDevices),
  /** `no`, `always`, `unless-stopped`, `on-failure[:n]`; not with `autoRemove`. */
  restart: option('text', '--restart', 'HostConfig.RestartPolicy', parseRestart, readRestart),
  autoRemove: option('boolean', '--rm', 'HostConfig.AutoRemove'),
  /** A name, `host`, `none`, `bridge`, `container:<id>`. */
  network: option('text', '--network', 'HostConfig.NetworkMode', checkNetwork, readNetworkMode),
  /** IP addresses. */
  dns: listOption('--dns', 'HostConfig.Dns', checkDns),
  /** `name:address`. */
  extraHosts: listOption('--add-host', 'HostConfig.ExtraHosts', checkExtraHost),
  /** Publishes each exposed port to a free host port. */
  publishAll: option('boolean', '-P', 'HostConfig.PublishAllPorts'),
  /** `512m`, `1.5g`. */
  memory: option('text', '-m', 'HostConfig.Memory', parseMemory, readMemory),
  /** As `memory`. The default of the engine is left out. */
  shmSize: option('text', '--shm-size', 'HostConfig.ShmSize', parseMemory, readShmSize),
  /** Number of CPUs; can be a fraction. */
  cpus: option('number', '--cpus', 'HostConfig.NanoCpus', parseCpus, readCpus),
  /** Number of processes; -1 for no limit. */
  pidsLimit: option(
    'wholeNumber',
    '--pids-limit',
    'HostConfig.PidsLimit',
    checkPidsLimit,
    readPidsLimit,
  ),
  init: option('boolean', '--init', 'HostConfig.Init'),
  readOnly: option('boolean', '--read-only', 'HostConfig.ReadonlyRootfs'),
  privileged: option('boolean', '--privileged', 'HostConfig.Privileged'),
  /** `NET_ADMIN`. */
  capAdd: listOption('--cap-add', 'HostConfig.CapAdd', checkCapability),
  capDrop: listOption('--cap-drop', 'HostConfig.CapDrop', checkCapability),
  /** `label=disable`. */
  securityOpt: listOption('--security-opt', 'HostConfig.SecurityOpt', checkSecurityOption),
  /** `[a-zA-Z0-9][a-zA-Z0-9_.-]+`; sent in the query. */
  name: option('text', '--name', undefined, checkContainerName),
  /** `os[/arch[/variant]]`; sent in the query. */
  platform: option('text', '--platform', undefined, checkPlatform),
  /** Whether to start the container. Not part of the create request. */
  start: option('boolean', undefined, undefined),
};

export type OptionName = keyof typeof OPTIONS;

type Values = {
  readonly [Name in OptionName]: OptionValues[(typeof OPTIONS)[Name]['kind']];
};

/** Options of a container to create. */
export type CreateArguments = Pick<Values, 'image'> & Partial<Omit<Values, 'image'>>;

/** Returns the names of all options of the given kinds. */
export function optionsOfKind(...kinds: readonly OptionKind[]): ReadonlySet<string> {
  const rows = Object.entries(OPTIONS).filter(([, { kind }]) => kinds.includes(kind));
  return new Set(rows.map(([name]) => name));
}

/** Returns all options with their names. @param first names of the options that come first, separated by spaces. */
export function optionsInOrder(first: string): readonly (readonly [string, ContainerOption])[] {
  const names = first.split(' ');
  const rank = (name: string): number => {
    const index = names.indexOf(name);
    return index < 0 ? names.length : index;
  };
  return Object.entries(OPTIONS).sort(([one], [other]) => rank(one) - rank(other));
}
