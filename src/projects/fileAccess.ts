import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Container } from '../engine/model.ts';
import type { Event } from '../base/lifetime.ts';
import { filesOf, projectOf } from './projectLabels.ts';

/**
 * Decides which local files may be read because the labels of containers name them. Labels prove nothing: an image
 * or another user of the engine can have chosen them.
 */
export interface FileAccess {
  readonly mayRead: (path: string) => boolean | Promise<boolean>;
  /** Whether a file is ours: it has only services that others have, or had. */
  readonly isOwn?: (path: string) => boolean;
  /** Fires when the answers may have changed. */
  readonly onDidChange: Event<void>;
}

/**
 * Whether an absolute path is in one of the folders, and so is what it leads to: a repository can have links to
 * anywhere. A path of a network share is in none: Windows signs in to the server that it names.
 */
export function isReallyWithin(path: string, folders: readonly string[]): boolean {
  const real = folders.flatMap((folder) => realPathOf(folder) ?? []);
  // A path that is written as outside is not looked at.
  if (!isWithin(path, [...folders, ...real])) return false;
  const place = realPathOf(path);
  return place !== undefined && isWithin(place, real);
}

/**
 * Returns where a file or folder really lies, also if it does not exist yet; undefined if that cannot be known, and for
 * a link to nothing.
 */
export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT' && !isThere(path);
    const parent = isMissing && dirname(path) !== path ? realPathOf(dirname(path)) : undefined;
    return parent === undefined ? undefined : join(parent, basename(path));
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** Whether an absolute path is written as one in one of the folders. Where it leads is not looked at. */
export function isWithin(path: string, folders: readonly string[]): boolean {
  if (!isAbsolute(path) || /^[\\/]{2}/.test(path)) return false;
  return folders.some((folder) => {
    const rest = relative(folder, path);
    return !isAbsolute(rest) && rest !== '..' && !rest.startsWith(`..${sep}`);
  });
}

/**
 * Whether a container belongs to a compose project of one of these folders: the labels name its folder or one of its
 * files there. They prove nothing, and where the paths lead is not looked at: only for display.
 */
export function isOfFolders(
  container: Pick<Container, 'labels'>,
  folders: readonly string[],
): boolean {
  if (projectOf(container) === undefined) return false;
  const { files, workingDir = '' } = filesOf(container);
  return [workingDir, ...files].some((path) => isWithin(path, folders));
}
