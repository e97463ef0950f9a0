import { oneLine } from '../../base/plainText.ts';
import { readArchive, type ArchiveRoot } from '../archive/archive.ts';
import type { PathKind } from '../archive/pathStat.ts';
import { InputError, unlessNotFound } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import { actInside, lookAgain, missing, type FileSpot } from './actInside.ts';
import { toolWords } from './fileTools.ts';

/**
 * Deletes a file, a link itself, or a folder, by a program in the container, looks whether it is gone, and whether the
 * way to it is still the same.
 *
 * @param path absolute and normalized.
 * @param options `isRecursive`: a folder with what is in it; otherwise only an empty one. `seenAt`: where it was when
 *   the user was asked.
 * @returns the path without links on the way to it.
 * @throws InputError if it may not be deleted, or is still there; EngineError, `timeout` if the program may still run.
 */
export async function removePath(
  spot: FileSpot,
  path: string,
  { isRecursive, seenAt }: RemovePathOptions,
  signal?: AbortSignal,
): Promise<{ readonly path: string }> {
  if (path === '/') throw InputError.of('The top folder cannot be deleted.');
  const { connection, archive } = spot;
  const act = await actInside(spot, path, signal);
  const { stat } = act;
  if (seenAt !== undefined && act.path !== seenAt)
    throw InputError.of(
      '{0} leads to {1} now. Nothing was deleted.',
      oneLine(path, 200),
      oneLine(act.path, 200),
    );
  if (!stat) throw missing(connection, path);
  const isFolder = stat.kind === 'folder';
  const hasFiles =
    isFolder && !isRecursive && (await isFull(connection, archive, act.path, signal));
  if (hasFiles) throw InputError.of('The folder {0} is not empty.', oneLine(act.path, 200));
  const result = await act.run((at) => commandsFor(stat.kind, isRecursive, at(act.path)), signal);
  const after = await lookAgain(spot, act, path, signal);
  if (after)
    throw InputError.of(
      '{0} was not deleted, or not completely: {1}',
      oneLine(act.path, 200),
      toolWords(result),
    );
  return { path: act.path };
}

export interface RemovePathOptions {
  readonly isRecursive: boolean;
  readonly seenAt?: string | undefined;
}

/** A link to a folder is none here: its kind is that of the link. */
function commandsFor(
  kind: PathKind,
  isRecursive: boolean,
  path: string,
): readonly (readonly string[])[] {
  if (kind !== 'folder') return [['rm', '-f', '--', path]];
  if (!isRecursive) return [['rmdir', '--', path]];
  return [
    // What is mounted in it meanwhile is kept, where the program can do that.
    ['rm', '-rf', '--one-file-system', '--', path],
    ['rm', '-rf', '--', path],
  ];
}

/** What cannot be read is left to the program, which deletes no folder that has something. */
async function isFull(
  connection: Connection,
  archive: ArchiveRoot,
  path: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const look = async (): Promise<boolean> => {
    // Some engines send the folder itself first.
    for await (const { name } of readArchive(connection, archive, `${path}/.`, signal))
      if (name.split('/').some((part) => part !== '' && part !== '.')) return true;
    return false;
  };
  return (await unlessNotFound(look())) === true;
}
