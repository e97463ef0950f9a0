import { Readable } from 'node:stream';
import { readArchive, statPath, type ArchiveRoot } from '../archive/archive.ts';
import type { TarEntry } from '../archive/readTar.ts';
import { capabilitiesOf } from '../capabilities/capabilities.ts';
import { containerMounts } from '../containers/containerDetails.ts';
import { inspectContainer } from '../containers/containers.ts';
import { containerPath, asRecord } from '../wire/wire.ts';
import { failedWith } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import { badAnswer } from '../http/readReply.ts';
import { isOurs } from '../images/temporaryMarks.ts';
import { checkMounted } from './checkMounted.ts';
import { UnseenMountError, VolumeUnmountedError } from './volumeErrors.ts';
import { inspectVolume } from './volumes.ts';

/** A mount of a container that does not run, which the archive of a folder above it does not have. */
interface UnseenMount {
  /** A normalized absolute path in the container. */
  readonly target: string;
  /** The volume, if the engine has not mounted it: then the archive of the mount itself does not have its files. */
  readonly unmounted?: string;
}

/**
 * Returns the mounts of a container that its archives do not have: `GET /containers/{id}/json`. Some engines mount
 * for an archive only what a path leads to, and then only what needs no mount on the host. Empty for a running
 * container, and for what is not a container of the user.
 *
 * @throws EngineError `badAnswer` if the engine does not say what is mounted.
 */
export async function listUnseenMounts(
  connection: Connection,
  root: ArchiveRoot,
  signal?: AbortSignal,
): Promise<readonly UnseenMount[]> {
  if (typeof root !== 'string') return [];
  if (capabilitiesOf(await connection.info(signal)).mountsVolumesToRead) return [];
  const details = await inspectContainer(connection, root, signal);
  // A temporary container shows the files of its image, which a mount would hide.
  if (details.state === 'running' || isOurs(details.labels, details.name)) return [];
  if (asRecord(details.raw)['Mounts'] === undefined)
    throw badAnswer(connection, `GET ${containerPath(root, 'json')}`);
  const unseen: UnseenMount[] = [];
  for (const { type, target, source } of containerMounts(details)) {
    if (type === 'tmpfs') continue;
    const isUnmounted = type === 'volume' && (await isVolumeUnmounted(connection, source, signal));
    unseen.push({ target: normalized(target), ...(isUnmounted && { unmounted: source }) });
  }
  return unseen.sort((a, b) => (a.target < b.target ? -1 : 1));
}

async function isVolumeUnmounted(
  connection: Connection,
  name: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    await checkMounted(connection, await inspectVolume(connection, name, signal), signal);
    return false;
  } catch (error) {
    if (error instanceof VolumeUnmountedError) return true;
    throw error;
  }
}

/** Checks that a path is not in a volume that is not mounted. @throws VolumeUnmountedError. */
export function checkSeen(unseen: readonly UnseenMount[], path: string): void {
  const around = unseen.filter(({ target }) => isIn(normalized(path), target));
  const innermost = around.toSorted((a, b) => b.target.length - a.target.length)[0];
  if (innermost?.unmounted !== undefined) throw new VolumeUnmountedError(innermost.unmounted);
}

/**
 * Checks that what is extracted into a folder does not get below a mount, where the container never sees it.
 *
 * @param has whether something is extracted to a path relative to the folder.
 * @throws VolumeUnmountedError; UnseenMountError; errors of `has`.
 */
export async function checkUploadSeen(
  unseen: readonly UnseenMount[],
  folder: string,
  has: (path: string) => Promise<boolean>,
): Promise<void> {
  checkSeen(unseen, folder);
  for (const { target, unmounted } of unseen) {
    const path = below(folder, target);
    if (path === undefined || !(await has(path))) continue;
    throw unmounted === undefined
      ? new UnseenMountError(target)
      : new VolumeUnmountedError(unmounted);
  }
}

/**
 * Yields everything below a folder like `readArchive`, also what is mounted there, which the archive of a container
 * that does not run can lack.
 *
 * @param folder a path without links.
 * @param options `unseen`: see `listUnseenMounts`; `onUnread`: called with each mount below the folder whose files
 *   cannot be read, by its path relative to the folder.
 * @throws as `readArchive`; VolumeUnmountedError if the folder is in a volume that is not mounted.
 */
export async function* readFolder(
  connection: Connection,
  root: ArchiveRoot,
  folder: string,
  { unseen, onUnread }: FolderReading,
  signal?: AbortSignal,
): AsyncGenerator<TarEntry> {
  checkSeen(unseen, folder);
  const top = normalized(folder);
  const mounts = new Map<string, UnseenMount>();
  for (const mount of unseen) {
    const path = below(top, mount.target);
    if (path !== undefined) mounts.set(path, mount);
  }
  const folders = new Set<string>();
  const all = { connection, root, top, mounts, folders, signal };
  yield* readPart(all, '');
  for (const [path, mount] of mounts) {
    const isUnmounted = mount.unmounted !== undefined;
    const isFolder = isUnmounted || (await isFolderAt(connection, root, mount, signal));
    if (isFolder) yield* foldersOf(path, folders);
    if (isFolder && !isUnmounted) yield* readPart(all, path);
    else onUnread({ path, mount });
  }
}

/** Yields what is in a folder, without what is hidden by the mounts in it, by its path relative to the top. */
async function* readPart(
  { connection, root, top, mounts, folders, signal }: WholeReading,
  part: string,
): AsyncGenerator<TarEntry> {
  const inside = part === '' ? top : joined(top, part);
  const entries = readArchive(connection, root, inside === '/' ? '/.' : `${inside}/.`, signal);
  for await (const entry of entries) {
    if (mounts.size === 0) {
      yield entry;
      continue;
    }
    const name = relative(entry.name);
    const path = part === '' ? name : `${part}/${name}`;
    if (isHidden(path, entry.kind, part, mounts) || (name === '' && part !== '')) continue;
    if (entry.kind === 'folder') folders.add(path);
    const { linkTarget } = entry;
    const isInPart = part !== '' && entry.kind === 'hardLink';
    yield { ...entry, name: path, linkTarget: isInPart ? `${part}/${linkTarget}` : linkTarget };
  }
}

interface WholeReading {
  readonly connection: Connection;
  readonly root: ArchiveRoot;
  readonly top: string;
  /** By their paths relative to the top, those in others after them. */
  readonly mounts: ReadonlyMap<string, UnseenMount>;
  readonly folders: Set<string>;
  readonly signal: AbortSignal | undefined;
}

interface FolderReading {
  readonly unseen: readonly UnseenMount[];
  readonly onUnread: (one: UnreadMount) => void;
}

/** A mount whose files cannot be read. */
export interface UnreadMount {
  /** Relative to the folder. */
  readonly path: string;
  readonly mount: UnseenMount;
}

/** Whether a mount in a part hides an entry: it is below one, or a file that a mount replaces. */
function isHidden(
  path: string,
  kind: TarEntry['kind'],
  part: string,
  mounts: ReadonlyMap<string, unknown>,
): boolean {
  if (kind !== 'folder' && mounts.has(path)) return true;
  for (let end = path.lastIndexOf('/'); end > part.length; end = path.lastIndexOf('/', end - 1))
    if (mounts.has(path.slice(0, end))) return true;
  return false;
}

/** A mounted file cannot be read alone. */
async function isFolderAt(
  connection: Connection,
  root: ArchiveRoot,
  { target }: UnseenMount,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    return (await statPath(connection, root, target, signal)).kind === 'folder';
  } catch (error) {
    // The folder of the host may be gone.
    if (failedWith(error, 'notFound', 'failed', 'badAnswer')) return false;
    throw error;
  }
}

/** Yields the folders down to a mount that the archive does not have: the engine creates them at the first start. */
function* foldersOf(path: string, seen: Set<string>): Generator<TarEntry> {
  const parts = path.split('/');
  for (let count = 1; count <= parts.length; count += 1) {
    const name = parts.slice(0, count).join('/');
    if (seen.has(name)) continue;
    seen.add(name);
    yield { name, kind: 'folder', size: 0, permissions: 0o755, ...NOTHING };
  }
}

const NOTHING = { modifiedAt: 0, linkTarget: '', contents: Readable.from([]) };

function relative(name: string): string {
  return normalized(`/${name}`).slice(1);
}

function normalized(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return `/${parts.join('/')}`;
}

function joined(folder: string, path: string): string {
  return folder === '/' ? `/${path}` : `${folder}/${path}`;
}

function isIn(path: string, folder: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`);
}

/** Returns the path of a mount relative to a folder above it. */
function below(folder: string, target: string): string | undefined {
  const top = normalized(folder);
  return target !== top && isIn(target, top)
    ? target.slice(top === '/' ? 1 : top.length + 1)
    : undefined;
}
