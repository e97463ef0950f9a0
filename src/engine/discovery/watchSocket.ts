import { existsSync, watch, type FSWatcher } from 'node:fs';
import { dirname } from 'node:path';
import { toDisposable, type Disposable } from '../../lifetime.ts';

/**
 * Calls back each time something at `path` appears, or changes, from now on. Watches the nearest folder that there
 * is: an engine may make the socket's own only when it starts. Where nothing can be watched, as with the pipes of
 * Windows, it never calls.
 */
export function watchSocket(path: string, onAppear: () => void): Disposable {
  return path.startsWith('/') ? new SocketWatch(path, onAppear) : toDisposable(() => undefined);
}

class SocketWatch implements Disposable {
  readonly #path: string;
  readonly #onAppear: () => void;
  #isDisposed = false;
  #folder = '';
  #watcher: FSWatcher | undefined;

  constructor(path: string, onAppear: () => void) {
    this.#path = path;
    this.#onAppear = onAppear;
    this.#follow();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#watcher?.close();
  }

  /** Watches the nearest folder that is there, unless it does already. */
  #follow(): void {
    for (let folder = dirname(this.#path); ; folder = dirname(folder)) {
      if (folder === this.#folder && existsSync(folder)) return;
      if (this.#watch(folder) || folder === '/') return;
    }
  }

  /** Whether that could be done. */
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
    // A folder that is deleted tells so under its own name.
    if (this.#isDisposed || (!isOnTheWay && existsSync(folder))) return;
    this.#follow();
    if (existsSync(this.#path)) this.#onAppear();
  }
}
