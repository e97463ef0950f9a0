import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Disposable } from './lifetime.ts';
import { Throttle, type Clock } from './time.ts';

/** Milliseconds until files are read: the rows come first, and an editor may write a file in several steps. */
const PAUSE_MS = 500;

/** What some files say, kept up to date. */
export class FollowedFiles<Found extends FoundInFiles> implements Disposable {
  readonly #options: FollowOptions<Found>;
  readonly #throttle: Throttle;
  #watchers: readonly FSWatcher[] = [];
  #watched = '';
  #readings = 0;
  found: Found | undefined;

  constructor(options: FollowOptions<Found>) {
    this.#options = options;
    this.#throttle = new Throttle(options.clock, PAUSE_MS, () => void this.#update());
    this.#throttle.request(true);
  }

  /** Reads again if the last reading failed: the files may be there now. */
  retry(): void {
    if (this.#watched !== '' && !this.#isKnown) this.#throttle.request(true);
  }

  /** Reads again: other files may be read now. */
  renew(): void {
    this.#throttle.request(true);
  }

  dispose(): void {
    this.#readings = Infinity;
    this.#throttle.dispose();
    for (const one of this.#watchers) one.close();
  }

  get #isKnown(): boolean {
    return this.found !== undefined && this.#options.isKnown(this.found);
  }

  async #update(): Promise<void> {
    const { read, isKnown, textOf, onDidChange } = this.#options;
    const reading = ++this.#readings;
    const found = await read();
    // Disposed, or another one began.
    if (reading !== this.#readings) return;
    // A folder that was missing has no watcher, or that of a deleted folder.
    if (isKnown(found) && !this.#isKnown) this.#watched = '';
    this.#watch(found.paths);
    const isSame = textOf(found) === textOf(this.found);
    this.found = found;
    if (!isSame) onDidChange();
  }

  /** Watches the folders: editors often replace a file. */
  #watch(paths: readonly string[]): void {
    if (paths.join('\n') === this.#watched) return;
    this.#watched = paths.join('\n');
    // They may have changed since they were read.
    this.#throttle.request(true);
    for (const one of this.#watchers) one.close();
    const folders = Map.groupBy(paths, (path) => dirname(path));
    this.#watchers = [...folders].flatMap(([folder, all]) => {
      return this.#watchFolder(folder, new Set(all.map((path) => basename(path))));
    });
  }

  #watchFolder(folder: string, names: ReadonlySet<string>): readonly FSWatcher[] {
    try {
      const watcher = watch(folder, { persistent: false });
      watcher.on('change', (event, name: string | Buffer | null) => {
        // The folder itself was deleted or moved. Another one may be in its place.
        const isGone = event === 'rename' && name === basename(folder);
        if (isGone) this.#watched = '';
        if (isGone || name === null || names.has(String(name))) this.#throttle.request(true);
      });
      // The folder is gone, and the files with it.
      watcher.on('error', () => this.#throttle.request(true));
      return [watcher];
    } catch {
      return [];
    }
  }
}

/** What was read from files, and which those are. */
interface FoundInFiles {
  readonly paths: readonly string[];
}

interface FollowOptions<Found> {
  /** Never rejects. */
  readonly read: () => Promise<Found>;
  /** Whether the files could be read. */
  readonly isKnown: (found: Found) => boolean;
  /** Returns what of it is shown. */
  readonly textOf: (found: Found | undefined) => string;
  readonly onDidChange: () => void;
  readonly clock: Clock;
}
