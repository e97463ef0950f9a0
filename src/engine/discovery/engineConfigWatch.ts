import { watch, type FSWatcher } from 'node:fs';

import type { Disposable } from '../../base/lifetime.ts';
import type { Machine } from '../http/endpoint.ts';
import { filesOn } from './nodeFiles.ts';
import { dockerFolder, isAbsoluteOn, joinPathOn, pathsOn } from './folders.ts';
import { connectionFiles } from './readPodmanConnections.ts';

/** A command that writes several files counts as one change. In milliseconds. */
const BURST = 100;
/** Changes in further folders may be missed; the next search finds them. */
const MOST_FOLDERS = 500;

/**
 * Calls back, once per burst, when Docker's `config.json`, its contexts or Podman's connections may have changed.
 * Watches folders instead of files, because the files are replaced. If a folder does not exist yet, its nearest
 * existing parent is watched. Never throws, and does not keep the process alive.
 */
export class EngineConfigWatch implements Disposable {
  /** Resolves when everything that existed at the start is watched. Never rejects. */
  readonly begun: Promise<void>;
  readonly #machine: Machine;
  readonly #onChange: () => void;
  readonly #watchers = new Map<string, FSWatcher>();
  /** The relevant names in each folder, as of the last scan. */
  #names = new Map<string, ReadonlySet<string> | undefined>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isStale = false;
  #isDisposed = false;

  constructor(machine: Machine, onChange: () => void) {
    this.#machine = machine;
    this.#onChange = onChange;
    this.begun = this.#look();
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
    this.#releaseWhere(() => true);
  }

  /** Watches everything that now exists. */
  async #look(): Promise<void> {
    this.#isLooking = true;
    this.#isStale = false;
    const seen = new Set<string>();
    for await (const folder of watchedFolders(this.#machine)) {
      if (this.#isDisposed) return;
      this.#want(folder, seen);
    }
    if (this.#isDisposed) return;
    this.#releaseWhere((path) => !seen.has(path));
    this.#isLooking = false;
    this.#scheduleIfStale();
  }

  #scheduleIfStale(): void {
    if (this.#isStale) this.#schedule();
  }

  #want([path, names]: WatchedFolder, seen: Set<string>): void {
    const before = seen.has(path) ? this.#names.get(path) : new Set<string>();
    this.#names.set(path, before && names ? new Set([...before, ...names]) : undefined);
    seen.add(path);
    if (!this.#watchers.has(path) && this.#watchers.size < MOST_FOLDERS) this.#watch(path);
  }

  #watch(path: string): void {
    try {
      const watcher = watch(path, { persistent: false });
      watcher.on('change', (_event, name) => {
        this.#changed(path, typeof name === 'string' ? name : undefined);
      });
      watcher.on('error', () => this.#changed(path, undefined));
      this.#watchers.set(path, watcher);
    } catch {
      // Deleted in the meantime, not accessible, or the system limit of watches is reached: leave it unwatched.
    }
  }

  /** @param name in the folder; a deleted folder reports its own name, or none. */
  #changed(path: string, name: string | undefined): void {
    const paths = pathsOn(this.#machine);
    const isItself = name === undefined || name === paths.basename(path);
    const names = this.#names.get(path);
    if (!isItself && names && !names.has(name)) return;
    // A replaced folder is a different one of the same name, so it must be watched again.
    const replaced = isItself ? path : paths.join(path, name);
    this.#releaseWhere((one) => one === replaced || one.startsWith(replaced + paths.sep));
    this.#schedule();
  }

  #schedule(): void {
    this.#isStale = true;
    if (this.#isLooking || this.#isDisposed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // Call back only when everything is watched again, so that later changes are noticed.
      void this.#look().then(() => {
        if (!this.#isDisposed) this.#onChange();
      });
    }, BURST);
    this.#timer.unref();
  }

  #releaseWhere(isOver: (path: string) => boolean): void {
    for (const [path, watcher] of [...this.#watchers]) {
      if (!isOver(path)) continue;
      this.#watchers.delete(path);
      watcher.close();
    }
  }
}

/**
 * Yields the folders in which a change may lead to another engine; for a missing folder, its nearest existing
 * parent. Yields a folder before its contents are read, so that no change is missed if it is watched immediately.
 * May yield a folder twice.
 */
async function* watchedFolders(machine: Machine): AsyncGenerator<WatchedFolder> {
  const docker = dockerFolder(machine);
  if (docker !== undefined && isAbsoluteOn(machine, docker)) {
    yield* existing(machine, docker, ['config.json', 'contexts']);
    const contexts = joinPathOn(machine, docker, 'contexts');
    if (await isFolder(machine, contexts)) yield [contexts, new Set(['meta', 'tls'])];
    yield* tree(machine, joinPathOn(machine, contexts, 'meta'), 1);
    yield* tree(machine, joinPathOn(machine, contexts, 'tls'), 2);
  }
  const paths = pathsOn(machine);
  for (const file of connectionFiles(machine)) {
    if (isAbsoluteOn(machine, file))
      yield* existing(machine, paths.dirname(file), [paths.basename(file)]);
  }
}

/** A folder to watch and the relevant names in it; undefined for all names. */
type WatchedFolder = readonly [path: string, names: ReadonlySet<string> | undefined];

/** Yields a folder, or its nearest existing parent, in which only the next path segment is relevant. */
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
  // The folder may have been created before its parent was watched.
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
  for (const name of await filesOn(machine).list(folder))
    yield* tree(machine, joinPathOn(machine, folder, name), depth - 1);
}

async function isFolder(machine: Machine, path: string): Promise<boolean> {
  return (await filesOn(machine).kindOf(path)) === 'folder';
}
