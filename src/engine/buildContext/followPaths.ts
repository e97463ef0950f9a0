import { lstat, readdir, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { PathPattern } from './pathPattern.ts';

/** More paths than a Dockerfile names; then all files are sent, which is always right. */
const MOST_PATHS = 10_000;

/**
 * Returns the paths that a build needs, as patterns: those that it asks for, and where links on the way to them lead.
 * Undefined if it needs everything.
 *
 * @param root absolute path of the context. Nothing outside is looked at.
 */
export async function followPaths(
  root: string,
  paths: readonly string[],
): Promise<readonly string[] | undefined> {
  const resolver = new Resolver(root);
  for (const path of paths) await resolver.add(path);
  if (resolver.resolved.size > MOST_PATHS) return undefined;
  if (resolver.resolved.has('.')) return undefined;
  return [...resolver.resolved];
}

class Resolver {
  readonly resolved = new Set<string>();
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async add(path: string): Promise<void> {
    // A path that leads out of the context starts at its root, as in a container.
    const parts = posix.normalize(`/${path}`).split('/').filter(Boolean);
    if (parts.length === 0) this.resolved.add('.');
    let current = '';
    for (const [at, part] of parts.entries()) {
      if (this.resolved.size > MOST_PATHS) return;
      current = current === '' ? part : `${current}/${part}`;
      const targets = await this.#targetsOf(current);
      const isLast = at === parts.length - 1;
      if (targets.length === 0 && !isLast) continue;
      if (this.resolved.has(current)) return;
      this.resolved.add(current);
      const rest = parts.slice(at + 1).join('/');
      for (const target of targets) await this.add(`${target}/${rest}`);
      return;
    }
  }

  /** Returns where a link leads, or where all links lead whose names match the last part. */
  async #targetsOf(path: string): Promise<readonly string[]> {
    const name = posix.basename(path);
    if (!/[*?[]/.test(name.replaceAll(/\\./gs, ''))) return this.#targetOf(path);
    const folder = posix.dirname(path);
    const pattern = parsed(name);
    const names = pattern ? await readdir(join(this.#root, folder)).catch(() => []) : [];
    const matching = names.filter((one) => pattern?.matches(one));
    const targets: string[] = [];
    for (const one of matching) targets.push(...(await this.#targetOf(posix.join(folder, one))));
    return targets;
  }

  async #targetOf(path: string): Promise<readonly string[]> {
    const full = join(this.#root, path);
    try {
      if (!(await lstat(full)).isSymbolicLink()) return [];
      const target = await readlink(full);
      return [target.startsWith('/') ? target : posix.join('/', posix.dirname(path), target)];
    } catch {
      // It is not there: then it is not sent, and the engine reports it.
      return [];
    }
  }
}

function parsed(name: string): PathPattern | undefined {
  try {
    return PathPattern.parse(name);
  } catch {
    return undefined;
  }
}
