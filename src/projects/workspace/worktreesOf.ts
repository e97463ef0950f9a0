import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { readLocalFile } from '../../base/readLocalFile.ts';

/**
 * Returns where else folders are: where links lead, and the same folders in the other worktrees of their repositories.
 * Reads what git has written, without git.
 */
export async function worktreesOf(folders: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(folders.slice(0, MOST_FOLDERS).map(placesOf));
  return [...new Set(found.flat())].filter((place) => !folders.includes(place));
}

const MOST_FOLDERS = 50;
/** Maximum number of worktrees of a repository, and of folders above a workspace folder that are looked at. */
const MOST_WORKTREES = 100;
const MOST_ABOVE = 30;
/** In bytes: a file has one path. */
const LONGEST = 10_000;

async function placesOf(folder: string): Promise<readonly string[]> {
  const real = await realpath(folder).catch(() => folder);
  const repository = await repositoryOf(real);
  if (!repository) return [real];
  const below = relative(repository.root, real);
  const roots = await rootsOf(repository.common);
  return [real, ...roots.map((root) => join(root, below))];
}

/** Finds the repository of a folder: its root, and the folder that all its worktrees have in common. */
async function repositoryOf(
  folder: string,
): Promise<{ readonly root: string; readonly common: string } | undefined> {
  let root = folder;
  for (let steps = 0; steps < MOST_ABOVE; steps += 1) {
    const git = join(root, '.git');
    if ((await entriesOf(git)).includes('HEAD')) return { root, common: git };
    const [, own] = /^gitdir: (.+)/.exec(await lineOf(git)) ?? [];
    if (own !== undefined) {
      if (isShare(own)) return undefined;
      const place = resolve(root, own);
      const common = (await lineOf(join(place, 'commondir'))) || '.';
      return isShare(common) ? undefined : { root, common: resolve(place, common) };
    }
    if (dirname(root) === root) return undefined;
    root = dirname(root);
  }
  return undefined;
}

/** Returns the roots of all worktrees, first that of the repository itself. */
async function rootsOf(common: string): Promise<readonly string[]> {
  const names = (await entriesOf(join(common, 'worktrees'))).slice(0, MOST_WORKTREES);
  const files = await Promise.all(
    names.map(async (name) => {
      const own = join(common, 'worktrees', name);
      const file = await lineOf(join(own, 'gitdir'));
      return file === '' ? '' : resolve(own, file);
    }),
  );
  const main = basename(common) === '.git' ? [common] : [];
  return [...main, ...files.filter((file) => isAbsolute(file) && basename(file) === '.git')].map(
    (file) => dirname(file),
  );
}

/** Windows signs in to the server that such a path names. */
function isShare(path: string): boolean {
  return /^[\\/]{2}/.test(path);
}

async function entriesOf(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

async function lineOf(file: string): Promise<string> {
  const bytes = await readLocalFile(file, { within: false, limit: LONGEST }).catch(() => '');
  return (bytes.toString().split('\n')[0] ?? '').trim();
}
