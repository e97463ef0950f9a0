import { oneLine, withoutTrailing } from '../../base/plainText.ts';
import {
  containerMounts,
  type ContainerDetails,
  type MountDetails,
} from '../containers/containerDetails.ts';
import { inspectContainer } from '../containers/containers.ts';
import { InputError, unlessNotFound } from '../errors.ts';
import { runExec } from '../exec/runExec.ts';
import { SYSTEM_ENV } from '../exec/systemEnv.ts';
import type { Connection } from '../http/connection.ts';
import { usersOfVolume } from '../volumes/removeVolume.ts';
import { mountAt, mountBelow, mountInside } from './mountAt.ts';

type Mount = Pick<MountDetails, 'type' | 'target'>;

/**
 * Checks that nothing is mounted at a path or below it: what is mounted there is not of this folder. Also what a
 * container has mounted by itself counts, as far as it can be read, and in a volume what other containers mount over it.
 *
 * @param path without links.
 * @returns the mount of the container that has the path.
 * @throws InputError that names the mount; EngineError.
 */
export async function checkNoMount(
  connection: Connection,
  { kind, id }: ContainerOrVolume,
  path: string,
  signal?: AbortSignal,
): Promise<string> {
  if (kind === 'volume') {
    await checkUsers(connection, id, path, '', signal);
    return '/';
  }
  const details = await inspectContainer(connection, id, signal);
  const mounts = containerMounts(details);
  const all = [...mounts, ...(await ownMounts(connection, details, signal))];
  const below = mountBelow(path, all);
  if (below) throw mounted(path, below.target);
  const around = mountAt(path, mounts);
  if (around && isVolume(around))
    await checkUsers(connection, around.source, inside(path, around.target), id, signal);
  return mountAt(path, all)?.target ?? '/';
}

/** What has files that can be changed: a container by its full ID, or a volume by its name. */
export interface ContainerOrVolume {
  readonly kind: 'container' | 'volume';
  readonly id: string;
}

/** Whether a container has something mounted below a mount. @throws EngineError. */
export async function hasMountInside(
  connection: Connection,
  details: ContainerDetails,
  target: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const all = [...containerMounts(details), ...(await ownMounts(connection, details, signal))];
  return mountInside(target, all) !== undefined;
}

function isVolume(mount: Mount): mount is MountDetails {
  return mount.type === 'volume';
}

/** @param own the container that is checked already. */
async function checkUsers(
  connection: Connection,
  volume: string,
  path: string,
  own: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const { id, name } of await usersOfVolume(connection, volume, signal)) {
    const details =
      id === own ? undefined : await unlessNotFound(inspectContainer(connection, id, signal));
    if (details?.isRunning !== true) continue;
    const mounts = containerMounts(details);
    const all = [...mounts, ...(await ownMounts(connection, details, signal))];
    for (const { type, source, target } of mounts) {
      if (type !== 'volume' || source !== volume) continue;
      const below = mountBelow(withoutTrailing(target, '/') + path, all);
      if (below) throw mounted(path, below.target, name);
    }
  }
}

function mounted(path: string, target: string, container?: string): InputError {
  const shown = oneLine(path, 200);
  const mount = oneLine(target, 200);
  if (container !== undefined)
    return InputError.of(
      '{0} is mounted there in the container {1}, so {2} can be neither deleted, renamed, nor copied.',
      mount,
      oneLine(container, 100),
      shown,
    );
  return shown === mount
    ? InputError.of('{0} is a mount, so it can be neither deleted, renamed, nor copied.', shown)
    : InputError.of(
        '{0} is a mount, so {1}, which contains it, can be neither deleted, renamed, nor copied.',
        mount,
        shown,
      );
}

/** Returns the path in a mount. */
function inside(path: string, target: string): string {
  return path.slice(withoutTrailing(target, '/').length);
}

/** Returns what a running container says that is mounted in it; empty if that cannot be read. */
async function ownMounts(
  connection: Connection,
  { id, isRunning }: ContainerDetails,
  signal: AbortSignal | undefined,
): Promise<readonly Mount[]> {
  if (!isRunning) return [];
  const process = { command: ['cat', '/proc/self/mountinfo'], user: '0:0', env: SYSTEM_ENV };
  const result = await runExec(connection, id, process, {}, signal);
  return result?.exitCode === 0 ? readMountInfo(result.output) : [];
}

/** Returns the mounts in the text of `/proc/self/mountinfo`, without that of `/`. */
export function readMountInfo(text: string): readonly Mount[] {
  return text.split('\n').flatMap((line) => {
    const [words = '', source = ''] = line.split(' - ');
    const [, , , , target = ''] = words.split(' ');
    const [type = ''] = source.split(' ');
    return target.startsWith('/') && target !== '/' ? [{ type, target: unescaped(target) }] : [];
  });
}

/** The kernel writes spaces, tabs, line breaks and backslashes as three octal digits. */
function unescaped(target: string): string {
  return target.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
