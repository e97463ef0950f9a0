/**
 * What a container is created of: one row for each option, in the order in which they are checked. The argument of
 * `gantry.containers.create`, the request, what is read of a container, the flags of `docker run`, and the plain rows
 * of the create form follow from it; a unit test compares the schemas of recipes and tasks with it.
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
import { formatBind, parseMount } from './mountSpec.ts';
import {
  checkCapability,
  checkContainerName,
  checkDns,
  checkEnv,
  checkEnvName,
  checkExtraHost,
  checkHostname,
  checkImage,
  checkLabels,
  checkNetwork,
  checkPidsLimit,
  checkPlatform,
  checkSecurityOption,
  checkSignal,
  checkStopTimeout,
  checkUser,
  checkWorkingDir,
  parseDevice,
  parseMemoryLimit,
  parseRestart,
  parseTmpfs,
} from './optionChecks.ts';
import {
  readCpus,
  readDevices,
  readEnv,
  readHostname,
  readOwnLabels,
  memoryReader,
  readNetwork,
  numberReader,
  readPorts,
  readRestart,
  readStopSignal,
  readUnsetEnv,
  readWorkingDir,
} from './optionReaders.ts';
import { parsePort, portBindings } from './portBinding.ts';
import { parseCpus, parseMemory } from './quantities.ts';

export const OPTIONS = {
  /** A reference, or the id of a local image. */
  image: option('text', undefined, 'Config.Image', checkImage),
  /** Absent or empty keeps the image's. */
  cmd: option('words', undefined, 'Config.Cmd', nonEmpty),
  /** The same; `['']` has none. */
  entrypoint: option('words', undefined, 'Config.Entrypoint', nonEmpty),
  /** `[ip:][hostPort:]containerPort[/proto]`. */
  ports: listOption('-p', 'HostConfig.PortBindings', parsePort, readPorts, portBindings),
  /** `K=V`, the value may be empty. */
  env: listOption('-e', 'Config.Env', checkEnv, readEnv),
  /** Names of variables of the image that are not to be: on the wire they have no value. */
  unsetEnv: listOption('-e', 'Config.Env', checkEnvName, readUnsetEnv),
  labels: option('textMap', '-l', 'Config.Labels', checkLabels, readOwnLabels),
  tty: option('boolean', '-t', 'Config.Tty'),
  openStdin: option('boolean', undefined, 'Config.OpenStdin'),
  /** What it calls itself. */
  hostname: option('text', '-h', 'Config.Hostname', checkHostname, readHostname),
  /** A full path. */
  workingDir: option('text', '-w', 'Config.WorkingDir', checkWorkingDir, readWorkingDir),
  /** `user[:group]`. */
  user: option('text', '-u', 'Config.User', checkUser),
  /** False for none at all. */
  healthcheck: option(
    'healthcheck',
    undefined,
    'Config.Healthcheck',
    parseHealthcheck,
    readOwnHealthcheck,
  ),
  /** A name or a number. */
  stopSignal: option('text', '--stop-signal', 'Config.StopSignal', checkSignal, readStopSignal),
  /** Seconds, -1 for ever. */
  stopTimeout: option(
    'wholeNumber',
    '--stop-timeout',
    'Config.StopTimeout',
    checkStopTimeout,
    // Engines that say it of every container mean their default.
    numberReader(10),
  ),
  /** `/path[:options]`. */
  tmpfs: listOption('--tmpfs', 'HostConfig.Tmpfs', parseTmpfs, unread, Object.fromEntries),
  /** `source:target[:ro]`; a missing source folder is made. */
  mounts: listOption(
    '-v',
    'HostConfig.Binds',
    (mount, l10n) => formatBind(parseMount(mount, l10n)),
    unread,
  ),
  /** `/dev/x[:/dev/y][:rwm]`. */
  devices: listOption('--device', 'HostConfig.Devices', parseDevice, readDevices),
  /** `no`, `always`, `unless-stopped`, `on-failure[:n]`; not with `autoRemove`. */
  restart: option('text', '--restart', 'HostConfig.RestartPolicy', parseRestart, readRestart),
  autoRemove: option('boolean', '--rm', 'HostConfig.AutoRemove'),
  /** A name, `host`, `none`, `bridge`, `container:<id>`. */
  network: option('text', '--network', 'HostConfig.NetworkMode', checkNetwork, readNetwork),
  /** IP addresses. */
  dns: listOption('--dns', 'HostConfig.Dns', checkDns),
  /** `name:address`. */
  extraHosts: listOption('--add-host', 'HostConfig.ExtraHosts', checkExtraHost),
  /** Every exposed port at a free one. */
  publishAll: option('boolean', '-P', 'HostConfig.PublishAllPorts'),
  /** `512m`, `1.5g`. */
  memory: option('text', '-m', 'HostConfig.Memory', parseMemoryLimit, memoryReader()),
  /** The same; what engines take if nothing is said is left out. */
  shmSize: option(
    'text',
    '--shm-size',
    'HostConfig.ShmSize',
    parseMemory,
    memoryReader(67_108_864, 65_536_000),
  ),
  /** Processors, also parts of one. */
  cpus: option('number', '--cpus', 'HostConfig.NanoCpus', parseCpus, readCpus),
  /** Processes; -1 for any number. One engine writes its own default down. */
  pidsLimit: option(
    'wholeNumber',
    '--pids-limit',
    'HostConfig.PidsLimit',
    checkPidsLimit,
    numberReader(0, -1, 2048),
  ),
  init: option('boolean', '--init', 'HostConfig.Init'),
  readOnly: option('boolean', '--read-only', 'HostConfig.ReadonlyRootfs'),
  privileged: option('boolean', '--privileged', 'HostConfig.Privileged'),
  /** `NET_ADMIN`. */
  capAdd: listOption('--cap-add', 'HostConfig.CapAdd', checkCapability),
  capDrop: listOption('--cap-drop', 'HostConfig.CapDrop', checkCapability),
  /** `label=disable`. */
  securityOpt: listOption('--security-opt', 'HostConfig.SecurityOpt', checkSecurityOption),
  /** `[a-zA-Z0-9][a-zA-Z0-9_.-]+`; goes in the query. */
  name: option('text', '--name', undefined, checkContainerName),
  /** `os[/arch[/variant]]`; goes in the query. */
  platform: option('text', '--platform', undefined, checkPlatform),
  /** Not of the container: another request. */
  start: option('boolean', undefined, undefined),
};

export type OptionName = keyof typeof OPTIONS;

type Values = {
  readonly [Name in OptionName]: OptionValues[(typeof OPTIONS)[Name]['kind']];
};

/** What to create. */
export type CreateArguments = Pick<Values, 'image'> & Partial<Omit<Values, 'image'>>;

/** The names of the options of some kinds. */
export function optionsOfKind(...kinds: readonly OptionKind[]): ReadonlySet<string> {
  const rows = Object.entries(OPTIONS).filter(([, { kind }]) => kinds.includes(kind));
  return new Set(rows.map(([name]) => name));
}

/** The rows with their names. @param first names those that come first, parted by blanks. */
export function optionsInOrder(first: string): readonly (readonly [string, ContainerOption])[] {
  const names = first.split(' ');
  const rank = (name: string): number => {
    const index = names.indexOf(name);
    return index < 0 ? names.length : index;
  };
  return Object.entries(OPTIONS).sort(([one], [other]) => rank(one) - rank(other));
}
