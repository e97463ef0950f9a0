import { oneLine } from '../../base/plainText.ts';
import { followPath, statPath, writeArchive, type ArchiveRoot } from '../archive/archive.ts';
import { hasReplacement } from '../archive/hasReplacement.ts';
import { NameEncodingError, PathKindError } from '../archive/pathStat.ts';
import { writeTar, type NewEntry } from '../archive/writeTar.ts';
import { InputError, unlessNotFound } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import { checkUploadSeen, listUnseenMounts } from '../volumes/unseenMounts.ts';
import { FileReadOnlyError, PathExistsError } from './fileErrors.ts';
import { judgeWrite } from './judgeWrite.ts';
import { ownerAbove } from './ownerAbove.ts';
import { resolveParents, within } from './resolveParents.ts';

/**
 * Creates a folder, and those above it that do not exist, in a container, which may be running or stopped, or in a
 * volume. They get the owner of the folder that exists, where it is known, else 0:0.
 *
 * @param path absolute and normalized.
 * @param options `mode`: the permission bits of the folder itself, 0755 by default.
 * @returns the path without links.
 * @throws PathExistsError, FileReadOnlyError, PathKindError, NameEncodingError, VolumeUnmountedError, UnseenMountError:
 *   nothing was changed; InputError if the folder is elsewhere; EngineError.
 */
export async function createFolder(
  connection: Connection,
  root: ArchiveRoot,
  path: string,
  { mode = 0o755 }: { readonly mode?: number | undefined } = {},
  signal?: AbortSignal,
): Promise<{ readonly path: string }> {
  if (hasReplacement(path)) throw new NameEncodingError(path);
  const { folder, names } = await splitExisting(connection, root, path, signal);
  const [first] = names;
  if (first === undefined) throw new PathExistsError(path);
  const target = await judgeWrite(connection, root, within(folder, first), {}, signal);
  if (target.reason) throw new FileReadOnlyError(path, target.reason, target.mount?.target);
  if (target.stat) throw new PathExistsError(path);
  const inside = `${names.join('/')}/`;
  const has = (one: string): Promise<boolean> => Promise.resolve(inside.startsWith(`${one}/`));
  await checkUploadSeen(await listUnseenMounts(connection, root, signal), folder, has);
  const owner = await ownerAbove(connection, root, folder, target, signal);
  const entries = names.map((_, at): NewEntry => {
    const isLast = at === names.length - 1;
    return {
      name: names.slice(0, at + 1).join('/'),
      kind: 'folder',
      permissions: isLast ? mode : 0o755,
      uid: owner?.uid ?? 0,
      gid: owner?.gid ?? 0,
      modifiedAt: Date.now(),
    };
  });
  await writeArchive(connection, root, folder, () => writeTar(entries), signal);
  const whole = names.reduce(within, folder);
  const now = await unlessNotFound(resolveParents(connection, root, whole, signal));
  if (now?.path === whole && now.stat?.kind === 'folder') return { path: whole };
  throw InputError.of('{0} is not where it was created.', oneLine(whole, 200));
}

/**
 * Returns the folder on the way to a path that exists, and the names below it that do not.
 *
 * @throws PathExistsError if something other than a folder has the path; PathKindError if it is on the way.
 */
async function splitExisting(
  connection: Connection,
  root: ArchiveRoot,
  path: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly folder: string; readonly names: readonly string[] }> {
  const names = path.split('/').filter((name) => name !== '');
  let folder = '/';
  for (const [at, name] of names.entries()) {
    const next = within(folder, name);
    const there = await unlessNotFound(statPath(connection, root, next, signal));
    if (!there) return { folder, names: names.slice(at) };
    const isLast = at === names.length - 1;
    if (isLast && there.kind !== 'folder') throw new PathExistsError(path);
    const end = await followPath(connection, root, next, signal);
    if (end.stat.kind !== 'folder') throw new PathKindError(next, end.stat.kind);
    folder = end.path;
  }
  return { folder, names: [] };
}
