import { watch } from 'node:fs';

import { DisposableStore, Emitter, toDisposable, type Disposable } from '../../lifetime.ts';
import type { Machine } from './endpoint.ts';
import { pathsOn, watchedFolders, type WatchedFolder } from './watchedFolders.ts';

/** A command that writes several files is one change. In milliseconds. */
const BURST = 100;
/** Beyond so many folders a change may be missed: the next search finds it all the same. */
const MOST_FOLDERS = 500;

/**
 * Calls back, once for a burst, when Docker's `config.json`, its contexts or Podman's connections may have changed.
 * Folders are watched and no files, for these are replaced; a folder that does not exist yet is waited for in the
 * one above. Never throws, and keeps no process alive.
 */
export function watchEngineConfig(machine: Machine, onChange: () => void): EngineConfigWatch {
  return new EngineConfigWatcher(machine, onChange);
}

/** A watch under way. */
export interface EngineConfigWatch extends Disposable {
  /** Resolves when all is watched that was there at the beginning. Never rejects. */
  readonly begun: Promise<void>;
}

class EngineConfigWatcher implements EngineConfigWatch {
  readonly begun: Promise<void>;
  readonly #machine: Machine;
  readonly #store = new DisposableStore();
  readonly #onDidChange = this.#store.add(new Emitter<void>());
  readonly #watchers = new Map<string, Disposable>();
  /** Which names matter in each folder, as of the last look. */
  #names = new Map<string, ReadonlySet<string> | undefined>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isStale = false;

  constructor(machine: Machine, onChange: () => void) {
    this.#machine = machine;
    this.#onDidChange.event(onChange);
    this.#store.add(
      toDisposable(() => {
        clearTimeout(this.#timer);
        this.#releaseWhere(() => true);
      }),
    );
    this.begun = this.#look();
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Watches what there is now to watch. */
  async #look(): Promise<void> {
    this.#isLooking = true;
    this.#isStale = false;
    const seen = new Set<string>();
    for await (const folder of watchedFolders(this.#machine)) {
      if (this.#store.isDisposed) return;
      this.#want(folder, seen);
    }
    if (this.#store.isDisposed) return;
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
      const release = toDisposable(() => {
        watcher.close();
      });
      watcher.on('change', (_event, name) => {
        this.#changed(path, typeof name === 'string' ? name : undefined);
      });
      watcher.on('error', () => {
        this.#changed(path, undefined);
      });
      this.#watchers.set(path, release);
    } catch {
      // Gone again, not ours to see, or the system watches enough already: then it goes unwatched.
    }
  }

  /** @param name in the folder; a folder that is gone gives its own, or none. */
  #changed(path: string, name: string | undefined): void {
    const paths = pathsOn(this.#machine);
    const isItself = name === undefined || name === paths.basename(path);
    const names = this.#names.get(path);
    if (!isItself && names && !names.has(name)) return;
    // What was replaced is another folder of the same name, so it has to be watched anew.
    const replaced = isItself ? path : paths.join(path, name);
    this.#releaseWhere((one) => one === replaced || one.startsWith(replaced + paths.sep));
    this.#schedule();
  }

  #schedule(): void {
    this.#isStale = true;
    if (this.#isLooking || this.#store.isDisposed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // Told when all is watched again: what changes after that is heard.
      void this.#look().then(() => {
        this.#onDidChange.fire();
      });
    }, BURST);
    this.#timer.unref();
  }

  #releaseWhere(isOver: (path: string) => boolean): void {
    for (const [path, watcher] of [...this.#watchers]) {
      if (!isOver(path)) continue;
      this.#watchers.delete(path);
      watcher.dispose();
    }
  }
}
