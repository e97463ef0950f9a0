import type { SourceReference } from '../text/sourcePath.ts';
import { candidatesFor, type FileOrigins } from './fileOrigins.ts';
import {
  pathInside,
  isAbsoluteNormalized,
  joinNormalized,
  normalizeSourcePath,
} from './normalizeSourcePath.ts';

/** Finds the workspace file for a source reference in a container's log. Ambiguous references are not resolved. */
export class SourceFinder {
  readonly #files: FileLookup;
  readonly #answers = new Map<string, Promise<string | undefined>>();

  constructor(files: FileLookup) {
    this.#files = files;
  }

  /**
   * Returns the absolute path of the file, with slashes and always inside a workspace folder; undefined if
   * there is no file or more than one candidate. Results are cached until {@link clear}.
   *
   * @throws the error of the lookup. Errors are not cached.
   */
  find(reference: SourceReference, origins: FileOrigins): Promise<string | undefined> {
    const key = JSON.stringify([origins.id, reference.path, reference.module]);
    const known = this.#answers.get(key);
    if (known) return known;
    const answer = this.#find(reference, origins);
    this.#answers.set(key, answer);
    const [oldest = ''] = this.#answers.keys();
    if (this.#answers.size > MOST_ANSWERS) this.#answers.delete(oldest);
    answer.catch(() => this.#answers.get(key) === answer && this.#answers.delete(key));
    return answer;
  }

  /** Clears the cache, because files, workspace folders or a container's mounts changed. */
  clear(): void {
    this.#answers.clear();
  }

  async #find(reference: SourceReference, origins: FileOrigins): Promise<string | undefined> {
    const folders = this.#files.folders().flatMap((folder) => normalizeSourcePath(folder) ?? []);
    const path = normalizeSourcePath(reference.module ?? reference.path);
    if (!path || folders.length === 0) return undefined;
    // The path of a module is relative to its sources, not to the working directory of the container.
    if (reference.module === undefined) {
      for (const group of candidatesFor(path, origins, folders)) {
        const files = await this.#filesAmong(group.filter((file) => isInsideAny(folders, file)));
        if (files.length > 0) return files.length === 1 ? files[0] : undefined;
      }
      if (OTHERS.test(path)) return undefined;
    }
    return this.#byTail(path, reference.module !== undefined, origins, folders);
  }

  async #filesAmong(candidates: readonly string[]): Promise<readonly string[]> {
    const files: string[] = [];
    for (const candidate of new Set(candidates))
      if (await this.#files.isFile(candidate)) files.push(candidate);
    return files;
  }

  async #byTail(
    path: string,
    isModule: boolean,
    origins: FileOrigins,
    folders: readonly string[],
  ): Promise<string | undefined> {
    const parts = path
      .replace(/^[a-z]:/, '')
      .split('/')
      .filter((part) => part !== '');
    const least = leastParts(parts, isModule, isAbsoluteNormalized(path));
    if (least > parts.length) return undefined;
    const tail = parts.slice(-least).join('/');
    const found = await this.#files.findByTail(tail, MOST_FILES);
    // At the limit, the right file may be missing from the results.
    if (found.length >= MOST_FILES) return undefined;
    const files = found.flatMap((file) => normalizeSourcePath(file) ?? []);
    const fitting = files.filter((file) => isInsideAny(folders, file) && file.endsWith(`/${tail}`));
    return chosen(fitting, parts, origins);
  }
}

export interface FileLookup {
  /** Whether the file exists. A link that leads out of the workspace does not count, because links are resolved. */
  isFile(path: string): Promise<boolean>;
  /**
   * Returns the absolute paths of at most `limit` workspace files whose path ends with `/tail`. Links are resolved too.
   */
  findByTail(tail: string, limit: number): Promise<readonly string[]>;
  /** Returns the absolute paths of the current workspace folders. */
  folders(): readonly string[];
}

/** With more files of one name, a reference is ambiguous. */
const MOST_FILES = 50;
const MOST_ANSWERS = 1000;

/** The folders of third-party sources. The end of such a path must not be matched with the workspace. */
const OTHERS =
  /^\/(?:usr\/(?:local\/)?(?:lib|lib64|share|go|src\/(?=[^/]*linux)[^/]*)|lib|lib64|go\/pkg|rustc|nix|root\/\.cargo)\//;
/** The folders of package managers. From there on, a path must match completely. */
const PACKAGES = /^(?:node_modules|site-packages|dist-packages|vendor)$/;

function isInsideAny(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => pathInside(folder, path) !== undefined);
}

/**
 * Returns how many path segments from the end must match. A file name alone is not enough for a path that has folders.
 */
function leastParts(parts: readonly string[], isModule: boolean, isFull: boolean): number {
  if (isModule) return parts.length;
  const packages = parts.findIndex((part) => PACKAGES.test(part));
  if (packages >= 0) return parts.length - packages;
  return isFull || parts.length > 1 ? 2 : 1;
}

/** Returns the file with the longest common end; among several, the one below the service's or the project's folder. */
function chosen(
  files: readonly string[],
  parts: readonly string[],
  { projectFolders, service }: FileOrigins,
): string | undefined {
  const best = Math.max(...files.map((file) => commonEnd(file, parts)));
  const left = files.filter((file) => commonEnd(file, parts) === best);
  const services =
    service === '' ? [] : projectFolders.map((folder) => joinNormalized(folder, service));
  const sieves = [undefined, services, projectFolders];
  for (const sieve of sieves) {
    const some = sieve === undefined ? left : left.filter((file) => isInsideAny(sieve, file));
    if (some.length === 1) return some[0];
  }
  return undefined;
}

function commonEnd(file: string, parts: readonly string[]): number {
  const names = file.split('/');
  let count = 0;
  while (count < parts.length && names.at(-1 - count) === parts.at(-1 - count)) count++;
  return count;
}
