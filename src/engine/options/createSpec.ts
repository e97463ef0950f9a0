/**
 * A container as a person describes it, to the request that creates it. All is checked here, before any
 * request, so that nothing half-made is left behind.
 */

import type { L10n } from '../../l10n.ts';
import type { CreateRequest } from './createRequest.ts';
import { InputError } from '../errors.ts';
import { parseHealthcheck, type Healthcheck } from './healthcheck.ts';
import {
  checkCapability,
  checkDns,
  checkExtraHost,
  checkHostname,
  checkMemoryLimit,
  checkPidsLimit,
  checkSecurityOption,
  checkSignal,
  checkStopTimeout,
  parseDevice,
  parseTmpfs,
} from './hostOptions.ts';
import { formatBind, isAbsolutePath, parseMount } from './mountSpec.ts';
import { parsePort, type PortBinding } from './portBinding.ts';
import { checkCpus, parseMemory } from './quantities.ts';
import { describeReferenceProblem, parseReference } from './reference.ts';
import { mapNonEmpty, mapDefined, nonEmpty, omitUndefined } from '../wireFields.ts';

/** Checks all of `args` and makes the request of it. Throws InputError, its message naming the first fault. */
export function createSpec(args: CreateArguments, l10n: L10n): CreateRequest {
  checkImage(args.image, l10n);
  const ports = args.ports?.flatMap((port) => parsePort(port, l10n)) ?? [];
  const body = omitUndefined({
    Image: args.image,
    Cmd: nonEmpty(args.cmd),
    Entrypoint: nonEmpty(args.entrypoint),
    Env: envOf(args, l10n),
    ExposedPorts: ports.length > 0 ? exposedPorts(ports) : undefined,
    Labels: mapDefined(args.labels, checkLabels, l10n),
    Tty: args.tty,
    OpenStdin: args.openStdin,
    Hostname: mapDefined(args.hostname, checkHostname, l10n),
    WorkingDir: mapDefined(args.workingDir, checkWorkingDir, l10n),
    User: mapDefined(args.user, checkUser, l10n),
    Healthcheck: mapDefined(args.healthcheck, parseHealthcheck, l10n),
    StopSignal: mapDefined(args.stopSignal, checkSignal, l10n),
    StopTimeout: mapDefined(args.stopTimeout, checkStopTimeout, l10n),
    HostConfig: hostConfigOf(args, ports, l10n),
  });
  const name = mapDefined(args.name, checkContainerName, l10n);
  const platform = mapDefined(args.platform, checkPlatform, l10n);
  checkRemoval(args, l10n);
  return { name, platform, body };
}

/**
 * What to create.
 *
 * | field | form | in the request |
 * |---|---|---|
 * | `image` | a reference, or the id of a local image | `Image` |
 * | `cmd`, `entrypoint` | words; absent or empty keeps the image's, `['']` as entrypoint has none | `Cmd`, `Entrypoint` |
 * | `name` | `[a-zA-Z0-9][a-zA-Z0-9_.-]+` | `name` of the query |
 * | `env` | `K=V`, the value may be empty | `Env` |
 * | `unsetEnv` | names of variables of the image that are not to be | `Env`, without a value |
 * | `ports` | `[ip:][hostPort:]containerPort[/proto]` | `ExposedPorts`, `HostConfig.PortBindings` |
 * | `mounts` | `source:target[:ro]`; a missing source folder is made | `HostConfig.Binds` |
 * | `labels` | names and values | `Labels` |
 * | `restart` | `no`, `always`, `unless-stopped`, `on-failure[:n]`; not with `autoRemove` | `HostConfig.RestartPolicy` |
 * | `autoRemove`, `tty`, `openStdin` | true or false | `HostConfig.AutoRemove`, `Tty`, `OpenStdin` |
 * | `network` | name, `host`, `none`, `bridge`, `container:<id>` | `HostConfig.NetworkMode` |
 * | `hostname` | what it calls itself | `Hostname` |
 * | `dns`, `extraHosts` | IP addresses; `name:address` | `HostConfig.Dns`, `ExtraHosts` |
 * | `publishAll` | every exposed port at a free one | `HostConfig.PublishAllPorts` |
 * | `workingDir`, `user` | full path; `user[:group]` | `WorkingDir`, `User` |
 * | `healthcheck` | see Healthcheck; false for none at all | `Healthcheck` |
 * | `stopSignal`, `stopTimeout` | name or number; seconds, -1 for ever | `StopSignal`, `StopTimeout` |
 * | `memory`, `shmSize` | `512m`, `1.5g` | `HostConfig.Memory`, `ShmSize` |
 * | `cpus`, `pidsLimit` | processors, also parts of one; processes | `HostConfig.NanoCpus`, `PidsLimit` |
 * | `init`, `readOnly`, `privileged` | true or false | `HostConfig.Init`, `ReadonlyRootfs`, `Privileged` |
 * | `capAdd`, `capDrop`, `securityOpt` | `NET_ADMIN`; `label=disable` | `HostConfig.CapAdd`, `CapDrop`, `SecurityOpt` |
 * | `devices` | `/dev/x[:/dev/y][:rwm]` | `HostConfig.Devices` |
 * | `tmpfs` | `/path[:options]` | `HostConfig.Tmpfs` |
 * | `platform` | `os[/arch[/variant]]` | `platform` of the query |
 * | `start` | true or false | not in it: another request |
 */
export interface CreateArguments {
  readonly image: string;
  readonly cmd?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly name?: string;
  readonly env?: readonly string[];
  readonly unsetEnv?: readonly string[];
  readonly ports?: readonly string[];
  readonly mounts?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly restart?: string;
  readonly autoRemove?: boolean;
  readonly tty?: boolean;
  readonly openStdin?: boolean;
  readonly network?: string;
  readonly hostname?: string;
  readonly dns?: readonly string[];
  readonly extraHosts?: readonly string[];
  readonly publishAll?: boolean;
  readonly workingDir?: string;
  readonly user?: string;
  readonly healthcheck?: Healthcheck | false;
  readonly stopSignal?: string;
  readonly stopTimeout?: number;
  readonly memory?: string;
  readonly shmSize?: string;
  readonly cpus?: number;
  readonly pidsLimit?: number;
  readonly init?: boolean;
  readonly readOnly?: boolean;
  readonly privileged?: boolean;
  readonly capAdd?: readonly string[];
  readonly capDrop?: readonly string[];
  readonly securityOpt?: readonly string[];
  readonly devices?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly platform?: string;
  readonly start?: boolean;
}

function hostConfigOf(
  args: CreateArguments,
  ports: readonly PortBinding[],
  l10n: L10n,
): Record<string, unknown> {
  const tmpfs = args.tmpfs?.map((one) => parseTmpfs(one, l10n)) ?? [];
  return omitUndefined({
    PortBindings: ports.length > 0 ? portBindings(ports) : undefined,
    PublishAllPorts: args.publishAll,
    Binds: nonEmpty(args.mounts?.map((mount) => formatBind(parseMount(mount, l10n)))),
    Tmpfs: tmpfs.length > 0 ? Object.fromEntries(tmpfs) : undefined,
    Devices: mapNonEmpty(args.devices, parseDevice, l10n),
    RestartPolicy: mapDefined(args.restart, parseRestart, l10n),
    AutoRemove: args.autoRemove,
    NetworkMode: mapDefined(args.network, checkNetwork, l10n),
    Dns: mapNonEmpty(args.dns, checkDns, l10n),
    ExtraHosts: mapNonEmpty(args.extraHosts, checkExtraHost, l10n),
    ...limitsOf(args, l10n),
    Init: args.init,
    ReadonlyRootfs: args.readOnly,
    Privileged: args.privileged,
    CapAdd: mapNonEmpty(args.capAdd, checkCapability, l10n),
    CapDrop: mapNonEmpty(args.capDrop, checkCapability, l10n),
    SecurityOpt: mapNonEmpty(args.securityOpt, checkSecurityOption, l10n),
  });
}

function limitsOf(args: CreateArguments, l10n: L10n): Record<string, unknown> {
  return {
    Memory: mapDefined(args.memory, readMemoryLimit, l10n),
    ShmSize: mapDefined(args.shmSize, parseMemory, l10n),
    NanoCpus: args.cpus === undefined ? undefined : Math.round(checkCpus(args.cpus, l10n) * 1e9),
    PidsLimit: mapDefined(args.pidsLimit, checkPidsLimit, l10n),
  };
}

/** Reads an amount of memory a container can run in; hands back bytes. */
export function readMemoryLimit(text: string, l10n: L10n): number {
  return checkMemoryLimit(parseMemory(text, l10n), text, l10n);
}

/** A name without a value takes away what the image sets. */
function envOf({ env, unsetEnv }: CreateArguments, l10n: L10n): readonly string[] | undefined {
  return nonEmpty([
    ...(env?.map((entry) => checkEnv(entry, l10n)) ?? []),
    ...(unsetEnv?.map((name) => checkEnvName(name, l10n)) ?? []),
  ]);
}

/** Passes what names an image: a reference, or an id (which a reference may not look like). */
export function checkImage(image: string, l10n: L10n): string {
  if (/^(?:sha256:)?[0-9a-f]{64}$/.test(image)) return image;
  const reference = parseReference(image);
  if (reference.ok) return image;
  throw new InputError(describeReferenceProblem(reference.problem, l10n));
}

/** Passes a container's name as engines take it. */
export function checkContainerName(name: string, l10n: L10n): string {
  if (/^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/.test(name)) return name;
  throw new InputError(
    l10n.t(
      '"{0}" is not a name for a container. Names are two or more letters, digits and _ . -, and begin with a letter or digit.',
      name,
    ),
  );
}

/** Passes `K=V`. The value may be empty and may hold anything; a bare `K` would unset what the image sets. */
export function checkEnv(entry: string, l10n: L10n): string {
  if (/^[^=\s\0]+=[^\0]*$/.test(entry)) return entry;
  // The value may be a secret; the name is enough to find it by.
  const [name = ''] = entry.split('=', 1);
  const shown = entry.includes('=') ? `${name}=…` : name;
  throw new InputError(l10n.t('"{0}" is not a variable. Write it as NAME=value.', shown));
}

/** Passes the name of a variable. */
export function checkEnvName(name: string, l10n: L10n): string {
  if (/^[^=\s\0]+$/.test(name)) return name;
  const [shown = ''] = name.split('=', 1);
  throw new InputError(l10n.t('"{0}" is not the name of a variable.', shown));
}

/** Reads `no`, `always`, `unless-stopped` or `on-failure[:n]`. */
export function parseRestart(
  restart: string,
  l10n: L10n,
): { readonly Name: string; readonly MaximumRetryCount?: number } {
  const [whole, name = '', count] =
    /^(?:(no|always|unless-stopped)|on-failure(?::(\d{1,9}))?)$/.exec(restart) ?? [];
  if (whole === undefined) {
    throw new InputError(
      l10n.t(
        '"{0}" is not a restart policy. Use no, always, unless-stopped, on-failure or on-failure:3.',
        restart,
      ),
    );
  }
  if (name !== '') return { Name: name };
  return { Name: 'on-failure', ...(count !== undefined && { MaximumRetryCount: Number(count) }) };
}

/** Passes a name of a network or mode. */
export function checkNetwork(network: string, l10n: L10n): string {
  if (/^\S+$/.test(network)) return network;
  throw new InputError(l10n.t('"{0}" is not the name of a network.', network));
}

/** Passes labels whose names are not empty. */
export function checkLabels(
  labels: Readonly<Record<string, string>>,
  l10n: L10n,
): Readonly<Record<string, string>> {
  for (const name of Object.keys(labels)) {
    if (name.trim() === '') throw new InputError(l10n.t('A label has no name.'));
  }
  return labels;
}

/** Passes a full path in the container. */
export function checkWorkingDir(path: string, l10n: L10n): string {
  if (isAbsolutePath(path)) return path;
  throw new InputError(l10n.t('The working directory "{0}" is not a full path.', path));
}

/** Passes `user` or `user:group`, names or numbers. */
export function checkUser(user: string, l10n: L10n): string {
  if (/^[^\s:]+(?::[^\s:]+)?$/.test(user)) return user;
  throw new InputError(l10n.t('"{0}" is not a user. Write user or user:group.', user));
}

/** Passes `os`, `os/arch` or `os/arch/variant`. */
export function checkPlatform(platform: string, l10n: L10n): string {
  if (/^[\w.-]+(?:\/[\w.-]+){0,2}$/.test(platform)) return platform;
  throw new InputError(l10n.t('"{0}" is not a platform. Write it as linux/arm64.', platform));
}

/** The engine refuses a container that is to go and to come back at its end; the reason is said here. */
function checkRemoval(args: CreateArguments, l10n: L10n): void {
  if (args.autoRemove !== true || args.restart === undefined || args.restart === 'no') return;
  throw new InputError(
    l10n.t(
      'To be removed when it stops and to be restarted ("{0}") exclude each other.',
      args.restart,
    ),
  );
}

function portBindings(ports: readonly PortBinding[]): Record<string, unknown[]> {
  const bindings: Record<string, unknown[]> = {};
  for (const { containerPort, hostIp, hostPort } of ports) {
    (bindings[containerPort] ??= []).push({ HostIp: hostIp, HostPort: hostPort });
  }
  return bindings;
}

function exposedPorts(ports: readonly PortBinding[]): unknown {
  return Object.fromEntries(ports.map((port) => [port.containerPort, {}]));
}
