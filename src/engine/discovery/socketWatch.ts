import { existsSync, watch, type FSWatcher } from 'node:fs';
import { dirname } from 'node:path';
import type { Disposable } from '../../lifetime.ts';

/**
 * Calls back each time something at `path` appears or changes. Watches the nearest existing parent folder,
 * because an engine may create the folder of its socket only when it starts. Never calls back if nothing can be
 * watched, for example for a Windows named pipe.
 */
export class SocketWatch implements Disposable {
  readonly #path: string;
  readonly #onAppear: () => void;
  #isDisposed = false;
  #folder = '';
  #watcher: FSWatcher | undefined;

  constructor(path: string, onAppear: () => void) {
    this.#path = path;
    this.#onAppear = onAppear;
    if (path.startsWith('/')) this.#follow();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#watcher?.close();
  }

  /** Watches the nearest existing parent folder, unless it is already watched. */
  #follow(): void {
    for (let folder = dirname(this.#path); ; folder = dirname(folder)) {
      if (folder === this.#folder && existsSync(folder)) return;
      if (this.#watch(folder) || folder === '/') return;
    }
  }

  /** Returns whether the folder is being watched. */
  #watch(folder: string): boolean {
    try {
      const watcher = watch(folder, { persistent: false });
      this.#watcher?.close();
      [this.#watcher, this.#folder] = [watcher, folder];
      watcher.on('error', () => {
        watcher.close();
      });
      watcher.on('change', (_, name) => {
        this.#look(folder, name);
      });
      return true;
    } catch {
      return false;
    }
  }

  #look(folder: string, name: string | Buffer | null): void {
    const next = this.#path.slice(folder === '/' ? 1 : folder.length + 1).split('/', 1)[0];
    const isOnTheWay = name === null || String(name) === next;
    // A deleted folder reports its own name.
    if (this.#isDisposed || (!isOnTheWay && existsSync(folder))) return;
    this.#follow();
    if (existsSync(this.#path)) this.#onAppear();
  }
}
