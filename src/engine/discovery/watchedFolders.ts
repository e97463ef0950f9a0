import { posix, win32 } from 'node:path';

import type { Machine } from './endpoint.ts';
import { filesOf } from './nodeFiles.ts';
import { dockerFolder, isAbsoluteOn, joinPathOn } from './folders.ts';
import { connectionFiles } from './listPodmanConnections.ts';

/**
 * The folders in which a change may lead to another engine; for one that is not there, the one above that is. A
 * folder comes before what is in it is looked at, so that whoever watches it at once misses nothing. Some may come
 * twice.
 */
export async function* watchedFolders(machine: Machine): AsyncGenerator<WatchedFolder> {
  const docker = dockerFolder(machine);
  if (docker !== undefined && isAbsoluteOn(machine, docker)) {
    yield* existing(machine, docker, ['config.json', 'contexts']);
    const contexts = joinPathOn(machine, docker, 'contexts');
    yield* below(machine, contexts, ['meta', 'tls']);
    yield* tree(machine, joinPathOn(machine, contexts, 'meta'), 1);
    yield* tree(machine, joinPathOn(machine, contexts, 'tls'), 2);
  }
  const paths = pathsOn(machine);
  for (const file of connectionFiles(machine)) {
    if (isAbsoluteOn(machine, file))
      yield* existing(machine, paths.dirname(file), [paths.basename(file)]);
  }
}

/** A folder to watch, and which of its names matter; undefined for all of them. */
export type WatchedFolder = readonly [path: string, names: ReadonlySet<string> | undefined];

/** How paths are written there. */
export function pathsOn({ platform }: Machine): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

/** A folder, or the nearest above it that is there, in which only the next one down matters. */
async function* existing(
  machine: Machine,
  folder: string,
  names: readonly string[],
): AsyncGenerator<WatchedFolder> {
  if (await isFolder(machine, folder)) {
    yield [folder, new Set(names)];
    return;
  }
  const paths = pathsOn(machine);
  const above = paths.dirname(folder);
  if (above === folder) return;
  yield* existing(machine, above, [paths.basename(folder)]);
  // It may have come while nobody watched for it.
  if (await isFolder(machine, folder)) yield [folder, new Set(names)];
}

async function* below(
  machine: Machine,
  folder: string,
  names: readonly string[],
): AsyncGenerator<WatchedFolder> {
  if (await isFolder(machine, folder)) yield [folder, new Set(names)];
}

async function* tree(
  machine: Machine,
  folder: string,
  depth: number,
): AsyncGenerator<WatchedFolder> {
  if (!(await isFolder(machine, folder))) return;
  yield [folder, undefined];
  if (depth === 0) return;
  for (const name of await filesOf(machine).list(folder)) {
    yield* tree(machine, joinPathOn(machine, folder, name), depth - 1);
  }
}

async function isFolder(machine: Machine, path: string): Promise<boolean> {
  return (await filesOf(machine).kindOf(path)) === 'folder';
}
