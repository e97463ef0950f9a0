import { existsSync, watch, type FSWatcher } from 'node:fs';
import { dirname } from 'node:path';
import type { Disposable } from '../../base/lifetime.ts';
import { monotonicClock, nextPause, type Clock } from '../../base/time.ts';

/** Pauses in milliseconds before a failed watch is tried again. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Calls back each time something at `path` appears or changes. Watches the nearest existing parent folder,
 * because an engine may create the folder of its socket only when it starts. Watches again after an error. Never
 * calls back for a Windows named pipe.
 */
export class SocketWatch implements Disposable {
  readonly #path: string;
  readonly #onAppear: () => void;
  readonly #clock: Clock;
  readonly #watchFolder: WatchFolder;
  #isDisposed = false;
  #folder = '';
  #watcher: FSWatcher | undefined;
  #pauseMs = 0;
  #retry: Disposable | undefined;

  constructor(
    path: string,
    onAppear: () => void,
    {
      clock = monotonicClock,
      watchFolder = (folder) => watch(folder, { persistent: false }),
    }: { readonly clock?: Clock; readonly watchFolder?: WatchFolder } = {},
  ) {
    this.#path = path;
    this.#onAppear = onAppear;
    this.#clock = clock;
    this.#watchFolder = watchFolder;
    if (path.startsWith('/')) this.#follow();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#retry?.dispose();
    this.#watcher?.close();
  }

  /** Watches the nearest existing parent folder, unless it is already watched. */
  #follow(): void {
    for (let folder = dirname(this.#path); ; folder = dirname(folder)) {
      if (folder === this.#folder && existsSync(folder)) return;
      if (this.#watch(folder)) return;
      if (folder === '/') break;
    }
    this.#followLater();
  }

  #followLater(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#folder = '';
    this.#pauseMs = nextPause(this.#pauseMs, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    this.#retry?.dispose();
    const wasThere = existsSync(this.#path);
    this.#retry = this.#clock.after(this.#pauseMs, () => {
      this.#follow();
      // Nothing reported it. What was there before may be left over from an engine that was killed.
      if (!wasThere && existsSync(this.#path)) this.#onAppear();
    });
  }

  /** Returns whether the folder is being watched. */
  #watch(folder: string): boolean {
    try {
      const watcher = this.#watchFolder(folder);
      this.#watcher?.close();
      this.#watcher = watcher;
      this.#folder = folder;
      watcher.on('error', () => {
        if (watcher === this.#watcher && !this.#isDisposed) this.#followLater();
      });
      watcher.on('change', (_, name) => {
        this.#pauseMs = 0;
        this.#look(folder, name);
      });
      return true;
    } catch {
      return false;
    }
  }

  #look(folder: string, name: string | Buffer | null): void {
    const next = this.#path.slice(folder === '/' ? 1 : folder.length + 1).split('/', 1)[0];
    const isOnPath = name === null || String(name) === next;
    // A deleted folder reports its own name.
    if (this.#isDisposed || (!isOnPath && existsSync(folder))) return;
    this.#follow();
    if (existsSync(this.#path)) this.#onAppear();
  }
}

/** Starts to watch a folder; throws if that is not possible. */
type WatchFolder = (folder: string) => FSWatcher;
