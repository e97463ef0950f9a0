import { followPath, statPath, type ArchiveRoot } from '../archive/archive.ts';
import { PathKindError, type PathStat } from '../archive/pathStat.ts';
import { unlessNotFound } from '../errors.ts';
import type { Connection } from '../http/connection.ts';

/**
 * Resolves the links on the way to a path. The path itself is not followed: what acts on a link acts on the link.
 *
 * @param path absolute and normalized.
 * @throws EngineError `notFound` if a folder on the way does not exist; PathKindError if it is no folder.
 */
export async function resolveParents(
  connection: Connection,
  root: ArchiveRoot,
  path: string,
  signal?: AbortSignal,
): Promise<ResolvedPath> {
  const names = path.split('/').filter((name) => name !== '');
  const last = names.pop();
  let folder = '/';
  for (const name of names) {
    const { path: end, stat } = await followPath(connection, root, within(folder, name), signal);
    if (stat.kind !== 'folder') throw new PathKindError(end, stat.kind);
    folder = end;
  }
  const whole = last === undefined ? folder : within(folder, last);
  return { path: whole, stat: await unlessNotFound(statPath(connection, root, whole, signal)) };
}

/** A path without links above its last name. */
export interface ResolvedPath {
  readonly path: string;
  /** What is there, not followed; undefined if nothing is. */
  readonly stat: PathStat | undefined;
}

/** Returns the path of a name in a folder. */
export function within(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

/** Returns the folder of a path, and its last name. */
export function splitLast(path: string): { readonly folder: string; readonly name: string } {
  const at = path.lastIndexOf('/');
  return { folder: at <= 0 ? '/' : path.slice(0, at), name: path.slice(at + 1) };
}
