import { realpathSync, type BigIntStats } from 'node:fs';
import { readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { ContextError } from './contextError.ts';

/**
 * Returns the path of a folder without links; the same path if that cannot be found out. It does not wait, so that
 * nothing can happen in between.
 */
export function realRoot(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}

/** Returns what a file or folder is known by, whatever its name is. */
export function identityOf({ dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`;
}

/**
 * Resolves to whether a path leads through no link, so that it does not lead out of the context.
 *
 * @param root from `realRoot`.
 */
export async function leadsThroughNoLink(root: string, path: string): Promise<boolean> {
  const full = join(root, path);
  return (await realpath(full).catch(() => undefined)) === full;
}

/**
 * Returns where a link leads.
 *
 * @throws ContextError `badTarget` for what cannot be sent as it is; the error of Node.
 */
export async function linkTarget(root: string, path: string): Promise<string> {
  const bytes = await readlink(join(root, path), { encoding: 'buffer' });
  const target = bytes.toString();
  if (!Buffer.from(target).equals(bytes)) throw new ContextError('badTarget', path);
  return target;
}
