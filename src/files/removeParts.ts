import { lstat, opendir, unlink } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { partEnding, partPath } from '../base/writeAtomically.ts';

/** Maximum number of files looked at below a folder. */
const MOST_FILES = 1_000_000;

/**
 * Removes the temporary files that an interrupted write has left: next to the file, or anywhere in the folder. Their
 * names have its random token, so no other program has made them. Follows no link. Never rejects.
 *
 * @param path the absolute path of what was written.
 * @returns how many files were removed.
 */
export async function removeParts(path: string, token: string): Promise<number> {
  if (!isAbsolute(path) || !/^[0-9a-f]{16}$/.test(token)) return 0;
  let count = (await removePart(partPath(path, token))) ? 1 : 0;
  try {
    if (!(await lstat(path)).isDirectory()) return count;
    let looked = 0;
    for await (const found of await opendir(path, { recursive: true })) {
      if (++looked > MOST_FILES) return count;
      if (!found.name.endsWith(partEnding(token))) continue;
      if (await removePart(join(found.parentPath, found.name))) count += 1;
    }
  } catch {
    // What is gone has nothing left; what cannot be read stays.
  }
  return count;
}

async function removePart(path: string): Promise<boolean> {
  try {
    if ((await lstat(path)).isDirectory()) return false;
    await unlink(path);
    return true;
  } catch {
    return false;
  }
}
