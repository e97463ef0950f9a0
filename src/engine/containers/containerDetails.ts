import { plainText } from '../../base/plainText.ts';
import { readNetworks, readState } from './readContainer.ts';
import { KILLED, type ContainerNetwork, type ContainerState } from '../model.ts';
import {
  asId,
  asImageId,
  asLine,
  asList,
  asNumber,
  asRecord,
  asText,
  asLabels,
} from '../wire/wire.ts';

/** The fields of `GET /containers/{id}/json` that we use, and the whole response. */
export interface ContainerDetails {
  readonly id: string;
  readonly name: string;
  readonly image: string;
  readonly imageId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly state: ContainerState;
  /** True also while paused or restarting. */
  readonly isRunning: boolean;
  /** False if the process of the container never ran. */
  readonly wasStarted: boolean;
  /** RFC 3339 as sent by the engine. The two below have the same form, and are empty if it has not happened. */
  readonly createdAt: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  /** Of the last run, 0 before the first; -1 if the engine does not report it, so that it is never a success. */
  readonly exitCode: number;
  /** Whether the last run was killed because it exceeded its memory limit. Not every engine reports it. */
  readonly wasOutOfMemory: boolean;
  readonly error: string;
  readonly hasTty: boolean;
  /** Whether STDIN of the container is open. */
  readonly acceptsInput: boolean;
  /** Whether STDIN is closed for good when the first attached client leaves. */
  readonly inputEndsWithFirst: boolean;
  /** The names of the environment variables. */
  readonly variables: ReadonlySet<string>;
  /** Seconds between a stop and the kill; undefined for the engine default. */
  readonly stopTimeout: number | undefined;
  /** The working directory of the process; empty if unknown. */
  readonly workingDir: string;
  readonly binds: readonly BindMount[];
  /** Sorted by name. */
  readonly networks: readonly ContainerNetwork[];
  /** The response of the engine, unchanged. */
  readonly raw: unknown;
}

/** A mount that covers files of the container. */
export interface MountDetails {
  /** `volume`, `bind`, `tmpfs`, or a type known only to the engine. */
  readonly type: string;
  /** Path in the container. */
  readonly target: string;
  /** The name of the volume, or the folder on the host; empty for tmpfs. */
  readonly source: string;
  readonly isReadOnly: boolean;
}

/** A folder or file of the host that is mounted into a container. */
type BindMount = Pick<MountDetails, 'source' | 'target'>;

/** Reads the response of `GET /containers/{id}/json`. */
export function readContainerDetails(raw: unknown): ContainerDetails {
  const wire = asRecord(raw);
  const state = asRecord(wire['State']);
  const config = asRecord(wire['Config']);
  const startedAt = readMoment(state['StartedAt']);
  const status = readState(state['Status']);
  const hasTty = config['Tty'] === true;
  return {
    id: asId(wire['Id']),
    name: asLine(wire['Name']).replace(/^\//, ''),
    image: asLine(config['Image']),
    imageId: asImageId(wire['Image']),
    labels: asLabels(config['Labels']),
    state: status,
    isRunning: state['Running'] === true,
    wasStarted: startedAt !== '',
    createdAt: readMoment(wire['Created']),
    startedAt,
    finishedAt: readMoment(state['FinishedAt']),
    exitCode: asNumber(state['ExitCode']) ?? (startedAt === '' ? 0 : -1),
    wasOutOfMemory: state['OOMKilled'] === true,
    error: plainText(asText(state['Error'])),
    hasTty,
    acceptsInput: config['OpenStdin'] === true,
    // Engines do not close the STDIN of a TTY.
    inputEndsWithFirst: config['StdinOnce'] === true && !hasTty,
    variables: new Set(asList(config['Env']).map((one) => asText(one).split('=', 1)[0] ?? '')),
    stopTimeout: asNumber(config['StopTimeout']),
    workingDir: asText(config['WorkingDir']),
    binds: asList(wire['Mounts']).map(readMount).flatMap(readBind),
    networks: readNetworks(asRecord(wire['NetworkSettings'])['Networks'], status),
    raw,
  };
}

/** Returns how the last run of a container ended; undefined if it never ran, or is running again. */
export function lastExit({
  wasStarted,
  isRunning,
  state,
  exitCode,
  wasOutOfMemory,
}: ContainerDetails): LastExit | undefined {
  if (!wasStarted || (isRunning && state !== 'restarting')) return undefined;
  // Engines may keep the reason of a run before: an exit code of a program is not a kill.
  return { exitCode, oomKilled: wasOutOfMemory && exitCode === KILLED };
}

export interface LastExit {
  /** -1 if the engine does not say. */
  readonly exitCode: number;
  /** Whether the engine killed it for lack of memory. */
  readonly oomKilled: boolean;
}

/** Whether the engine keeps no log of a container. Podman refuses to read it with status 500, not 501. */
export function keepsNoLog({ raw }: Pick<ContainerDetails, 'raw'>): boolean {
  const { LogConfig } = asRecord(asRecord(raw)['HostConfig']);
  return asRecord(LogConfig)['Type'] === 'none';
}

/** Returns the memory limit of a container in bytes; undefined if it has none. */
export function memoryLimitOf({ raw }: Pick<ContainerDetails, 'raw'>): number | undefined {
  const limit = asNumber(asRecord(asRecord(raw)['HostConfig'])['Memory']) ?? 0;
  return limit > 0 ? limit : undefined;
}

function readBind({ type, source, target }: MountDetails): readonly BindMount[] {
  return type === 'bind' && source !== '' && target !== '' ? [{ source, target }] : [];
}

/** Returns all mounts of a container, sorted by target. Their contents are not part of an image committed from it. */
export function containerMounts({ raw }: Pick<ContainerDetails, 'raw'>): readonly MountDetails[] {
  const wire = asRecord(raw);
  const mounts = asList(wire['Mounts']).map(readMount);
  // Docker lists a mount created by `--tmpfs` only in `HostConfig.Tmpfs`, not in `Mounts`.
  const inMemory = Object.keys(asRecord(asRecord(wire['HostConfig'])['Tmpfs']));
  const inMemoryMount = (target: string): MountDetails => {
    return { type: 'tmpfs', target, source: '', isReadOnly: false };
  };
  const all = [...mounts, ...inMemory.map(inMemoryMount)];
  const unique = new Map(all.filter(({ target }) => target !== '').map((one) => [one.target, one]));
  return [...unique.values()].sort((a, b) => (a.target < b.target ? -1 : 1));
}

function readMount(mount: unknown): MountDetails {
  const wire = asRecord(mount);
  const type = asText(wire['Type']);
  const name = asText(wire['Name']);
  const source = type === 'volume' && name !== '' ? name : asText(wire['Source']);
  return { type, target: asText(wire['Destination']), source, isReadOnly: wire['RW'] === false };
}

/** The engine writes "never" as the year 1. */
function readMoment(value: unknown): string {
  const text = asText(value);
  return text.startsWith('0001-') ? '' : text;
}
