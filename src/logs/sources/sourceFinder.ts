import type { SourceReference } from '../text/sourcePath.ts';
import { candidatesFor, type ContainerPaths } from './containerPaths.ts';
import {
  pathBelow,
  isAbsoluteNormalized,
  joinNormalized,
  normalizeSourcePath,
} from './normalizeSourcePath.ts';

/** Finds the workspace's file for a place in a container's log. What is not sure is not found. */
export class SourceFinder {
  readonly #parts: SourceFinderDependencies;
  readonly #answers = new Map<string, Promise<string | undefined>>();

  constructor(parts: SourceFinderDependencies) {
    this.#parts = parts;
  }

  /**
   * The full path of the file, with slashes on every machine and always within a folder of the workspace;
   * undefined where there is none, or where it could be several. Answers are kept until {@link clear}.
   *
   * @throws what the look-up throws; that is not kept.
   */
  find(place: SourceReference, container: ContainerPaths): Promise<string | undefined> {
    const key = JSON.stringify([container.id, place.path, place.module]);
    const known = this.#answers.get(key);
    if (known) return known;
    const answer = this.#find(place, container);
    this.#answers.set(key, answer);
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= MOST_ANSWERS) break;
      this.#answers.delete(oldest);
    }
    answer.catch(() => this.#answers.get(key) === answer && this.#answers.delete(key));
    return answer;
  }

  /** Forgets all answers: files came or went, or the workspace's folders changed, or a container's mounts. */
  clear(): void {
    this.#answers.clear();
  }

  async #find(place: SourceReference, container: ContainerPaths): Promise<string | undefined> {
    const folders = this.#parts.folders().flatMap((folder) => normalizeSourcePath(folder) ?? []);
    const path = normalizeSourcePath(place.module ?? place.path);
    if (!path || folders.length === 0) return undefined;
    // A module's path begins where its sources do, and not where the container's process does.
    if (place.module === undefined) {
      for (const group of candidatesFor(path, container, folders)) {
        const files = await this.#filesAmong(group.filter((file) => isWithin(folders, file)));
        if (files.length > 0) return files.length === 1 ? files[0] : undefined;
      }
      if (OTHERS.test(path)) return undefined;
    }
    return this.#byTail(path, place.module !== undefined, container, folders);
  }

  async #filesAmong(candidates: readonly string[]): Promise<readonly string[]> {
    const files: string[] = [];
    for (const candidate of new Set(candidates)) {
      if (await this.#parts.files.isFile(candidate)) files.push(candidate);
    }
    return files;
  }

  async #byTail(
    path: string,
    isModule: boolean,
    container: ContainerPaths,
    folders: readonly string[],
  ): Promise<string | undefined> {
    const parts = path
      .replace(/^[a-z]:/, '')
      .split('/')
      .filter((part) => part !== '');
    const least = leastParts(parts, isModule, isAbsoluteNormalized(path));
    if (least > parts.length) return undefined;
    const tail = parts.slice(-least).join('/');
    const found = await this.#parts.files.findByTail(tail, MOST_FILES);
    // Where there are more, the one that is meant may be among those that were left out.
    if (found.length >= MOST_FILES) return undefined;
    const files = found.flatMap((file) => normalizeSourcePath(file) ?? []);
    const fitting = files.filter((file) => isWithin(folders, file) && file.endsWith(`/${tail}`));
    return chosen(fitting, parts, container);
  }
}

/** What the finder asks of the workspace's files. */
export interface FileLookup {
  /** Whether there is such a file. One that is a link out of the workspace is none: this resolves links. */
  isFile(path: string): Promise<boolean>;
  /** Full paths of at most `limit` files of the workspace whose path ends with `/tail`; links resolved, too. */
  findByTail(tail: string, limit: number): Promise<readonly string[]>;
}

/** What a finder stands on. */
export interface SourceFinderDependencies {
  readonly files: FileLookup;
  /** Full paths of the workspace's folders, as they are now. */
  readonly folders: () => readonly string[];
}

/** Of more files of one name nobody knows which is meant. */
const MOST_FILES = 50;
const MOST_ANSWERS = 1000;

/** Where the sources of others stand: by its end alone a path there says nothing of the workspace. */
const OTHERS =
  /^\/(?:usr\/(?:local\/)?(?:lib|lib64|share|go|src\/(?=[^/]*linux)[^/]*)|lib|lib64|go\/pkg|rustc|nix|root\/\.cargo)\//;
/** The folders with a package manager's files: from there on a path must be the same. */
const PACKAGES = /^(?:node_modules|site-packages|dist-packages|vendor)$/;

function isWithin(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => pathBelow(folder, path) !== undefined);
}

/** How many names from the end must be the same. A name alone says little of a path that has folders. */
function leastParts(parts: readonly string[], isModule: boolean, isFull: boolean): number {
  if (isModule) return parts.length;
  const packages = parts.findIndex((part) => PACKAGES.test(part));
  if (packages >= 0) return parts.length - packages;
  return isFull || parts.length > 1 ? 2 : 1;
}

/** The one with the longest end in common; among several the one below the service's or the project's folder. */
function chosen(
  files: readonly string[],
  parts: readonly string[],
  { projectFolders, service }: ContainerPaths,
): string | undefined {
  const best = Math.max(...files.map((file) => commonEnd(file, parts)));
  const left = files.filter((file) => commonEnd(file, parts) === best);
  const services =
    service === '' ? [] : projectFolders.map((folder) => joinNormalized(folder, service));
  const sieves = [undefined, services, projectFolders];
  for (const sieve of sieves) {
    const some = sieve === undefined ? left : left.filter((file) => isWithin(sieve, file));
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
