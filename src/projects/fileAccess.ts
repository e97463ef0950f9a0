import { isAbsolute, relative, sep } from 'node:path';
import type { Event } from '../lifetime.ts';

/**
 * Decides which local files may be read because the labels of containers name them. Labels prove nothing: an image
 * or another user of the engine can have chosen them.
 */
export interface FileAccess {
  readonly mayRead: (path: string) => boolean;
  /** Fires when the answers may have changed. */
  readonly onDidChange: Event<void>;
}

/**
 * Whether an absolute path is in one of the folders. A path of a network share is in none: Windows signs in to the
 * server that it names.
 */
export function isWithin(path: string, folders: readonly string[]): boolean {
  if (!isAbsolute(path) || /^[\\/]{2}/.test(path)) return false;
  return folders.some((folder) => {
    const rest = relative(folder, path);
    return !isAbsolute(rest) && rest !== '..' && !rest.startsWith(`..${sep}`);
  });
}
