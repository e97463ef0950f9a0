import { lstat, readlink } from 'node:fs/promises';
import { join, posix, sep } from 'node:path';
import { StepYielder } from '../../../base/stepYielder.ts';
import { listFolder } from './listFolder.ts';
import { isTooMany, matchInTurns, type Pace } from './patternList.ts';
import { PathPattern } from './pathPattern.ts';

/** More paths than a Dockerfile names; then all files are sent, which is always right. */
const MOST_PATHS = 10_000;
/** More looks at files and links than they need; the same. */
const MOST_LOOKS = 100_000;
/** No file has a longer path, in characters. */
const LONGEST_PATH = 4096;

/**
 * Returns the paths that a build needs, as patterns: those that it asks for, and where links on the way to them lead.
 * Undefined if it needs everything, or too much to find out what.
 *
 * @param root absolute path of the context. Nothing outside is looked at.
 * @param pace is counted on for each comparison with a pattern.
 * @throws the reason of the signal.
 */
export async function followPaths(
  root: string,
  paths: readonly string[],
  signal: AbortSignal,
  pace: Pace = new StepYielder(signal),
): Promise<readonly string[] | undefined> {
  const resolver = new Resolver(root, signal, pace);
  for (const path of paths) await resolver.add(path);
  const resolved = [...resolver.resolved];
  const isAll = resolver.isTooMuch || resolver.resolved.has('.') || isTooMany(resolved);
  return isAll ? undefined : resolved;
}

class Resolver {
  readonly resolved = new Set<string>();
  readonly #root: string;
  readonly #signal: AbortSignal;
  readonly #pace: Pace;
  /** The names of the links in each folder that was read. */
  readonly #links = new Map<string, readonly string[]>();
  #looks = 0;

  constructor(root: string, signal: AbortSignal, pace: Pace) {
    this.#root = root;
    this.#signal = signal;
    this.#pace = pace;
  }

  get isTooMuch(): boolean {
    return this.resolved.size > MOST_PATHS || this.#looks > MOST_LOOKS;
  }

  async add(path: string): Promise<void> {
    if (path.length > LONGEST_PATH) return;
    // A path that leads out of the context starts at its root, as in a container.
    const parts = posix.normalize(`/${path}`).split('/').filter(Boolean);
    if (parts.length === 0) this.resolved.add('.');
    let current = '';
    for (const [at, part] of parts.entries()) {
      if (this.isTooMuch) return;
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
    if (!/[*?[]/.test(name.replaceAll(/\\./gs, ''))) return this.#targetOf(plain(path));
    const folder = plain(posix.dirname(path));
    const pattern = parsed(name);
    if (!pattern || isTooMany([name])) return [];
    const targets: string[] = [];
    for (const one of await this.#linksIn(folder)) {
      this.#looks++;
      if (this.isTooMuch) return [];
      if (await matchInTurns(pattern, one, this.#pace))
        targets.push(...(await this.#targetOf(posix.join(folder, one))));
      if (this.#pace.isDue) await this.#pace.rest();
    }
    return targets;
  }

  /** Returns the names of the links in a folder, which is read once. */
  async #linksIn(folder: string): Promise<readonly string[]> {
    const known = this.#links.get(folder);
    if (known) return known;
    const links: string[] = [];
    this.#links.set(folder, links);
    try {
      for await (const one of listFolder(join(this.#root, folder), this.#pace)) {
        if (!one.isSymbolicLink()) continue;
        // Its name is kept.
        this.#looks++;
        // Then all files are sent.
        if (this.isTooMuch) return [];
        links.push(one.name.toString());
      }
    } catch {
      this.#signal.throwIfAborted();
    }
    return links;
  }

  async #targetOf(path: string): Promise<readonly string[]> {
    this.#signal.throwIfAborted();
    this.#looks++;
    const full = join(this.#root, path);
    try {
      if (!(await lstat(full)).isSymbolicLink()) return [];
      const target = asPattern((await readlink(full)).split(sep).join('/'));
      const folder = asPattern(posix.dirname(path));
      return [target.startsWith('/') ? target : posix.join('/', folder, target)];
    } catch {
      // It is not there: then it is not sent, and the engine reports it.
      return [];
    }
  }
}

/** Returns the path that a pattern without wildcards stands for. */
function plain(pattern: string): string {
  return pattern.replaceAll(/\\(.)/gs, '$1');
}

/** Returns the pattern that matches a path alone. */
export function asPattern(path: string): string {
  return path.replaceAll(/[\\*?[\]]/g, '\\$&');
}

function parsed(name: string): PathPattern | undefined {
  try {
    return PathPattern.parse(name);
  } catch {
    return undefined;
  }
}
