import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Container } from '../engine/model.ts';
import type { KnownEngine } from '../inventory/knownEngine.ts';
import { Emitter, type Disposable, type Event } from '../base/lifetime.ts';
import { Throttle, wallClock, type Clock } from '../base/time.ts';
import type { FileAccess } from './fileAccess.ts';
import type { ProjectFiles } from './projectFiles.ts';
import { filesOf, isOfStack, isOneOff, serviceOf } from './projectLabels.ts';

/** Milliseconds until files are read: the rows come first, and an editor may write a file in several steps. */
const PAUSE_MS = 500;
/** Projects whose files are followed at a time. */
const MOST_PROJECTS = 100;

/**
 * Knows which containers are orphans: their service is in none of the compose files that they were created from.
 * Reads the files of each project once, and again when they change. No container counts as an orphan while one
 * of its files, or of those that they include, cannot or may not be read.
 */
export class Orphans implements Disposable {
  readonly #access: FileAccess;
  readonly #clock: Clock;
  readonly #read: ReadFiles;
  readonly #listener: Disposable;
  readonly #changes = new Emitter<string>();
  readonly #projects = new Map<string, FollowedFiles>();

  /** Fires with the key of a project whose services are known, changed, or no longer known: see {@link orphanKey}. */
  readonly onDidChange = this.#changes.event;

  constructor(access: FileAccess, clock: Clock = wallClock, read: ReadFiles = readLater) {
    this.#access = access;
    this.#clock = clock;
    this.#read = read;
    this.#listener = access.onDidChange(() => {
      for (const one of this.#projects.values()) one.renew();
    });
  }

  /** Returns what is known of an engine's containers. Only files on this machine are known. */
  of({ engine }: Pick<KnownEngine, 'engine'>): OrphanSource {
    const isHere = (): boolean => engine.endpoint?.transport.kind === 'socket';
    return {
      onDidChange: this.onDidChange,
      isOrphan: (container) => isHere() && this.#isOrphan(container),
      filesOf: (container) => (isHere() ? this.#filesOf(container) : undefined),
      follow: (container) => {
        if (isHere()) this.#follow(container);
      },
    };
  }

  dispose(): void {
    this.#listener.dispose();
    for (const one of this.#projects.values()) one.dispose();
    this.#projects.clear();
    this.#changes.dispose();
  }

  #follow(container: Container): void {
    const key = orphanKey(container);
    if (key === undefined) return;
    const known = this.#use(key);
    if (known) known.retry();
    else this.#add(key, container);
  }

  /** Returns a project that is followed, as the last one to be dropped. */
  #use(key: string): FollowedFiles | undefined {
    const known = this.#projects.get(key);
    if (!known) return undefined;
    this.#projects.delete(key);
    this.#projects.set(key, known);
    return known;
  }

  #isOrphan(container: Container): boolean {
    const services = this.#filesOf(container)?.services;
    const service = serviceOf(container);
    return services !== undefined && service !== undefined && !services.has(service);
  }

  #filesOf(container: Container): ProjectFiles | undefined {
    const key = orphanKey(container);
    return key === undefined ? undefined : this.#use(key)?.files;
  }

  #add(key: string, container: Container): void {
    const { files, workingDir } = filesOf(container);
    const fire = (): void => this.#changes.fire(key);
    const { mayRead } = this.#access;
    const read = (): Promise<ProjectFiles> => this.#read(files, workingDir, mayRead);
    this.#projects.set(key, new FollowedFiles(read, fire, this.#clock));
    if (this.#projects.size > MOST_PROJECTS) this.#dropOldest();
  }

  /** Nothing is known any more of the project that was not looked at for the longest time. */
  #dropOldest(): void {
    const [oldest] = this.#projects;
    if (!oldest) return;
    const [key, files] = oldest;
    files.dispose();
    this.#projects.delete(key);
    if (files.files) this.#changes.fire(key);
  }
}

/** Known containers of one engine. */
export interface OrphanSource {
  /** See `Orphans`. */
  readonly onDidChange: Event<string>;
  /** Begins to follow the files of a container's project. */
  follow(container: Container): void;
  /** Whether a container is known to be an orphan. */
  isOrphan(container: Container): boolean;
  /** Returns what is known of the files of a container's project. */
  filesOf(container: Container): ProjectFiles | undefined;
}

/** Identifies the files of a container; undefined if it cannot be an orphan. */
export function orphanKey(container: Container): string | undefined {
  if (isOneOff(container) || isOfStack(container)) return undefined;
  const { files, workingDir = '' } = filesOf(container);
  return files.length === 0 ? undefined : [workingDir, ...files].join('\n');
}

type ReadFiles = (
  files: readonly string[],
  folder: string | undefined,
  mayRead: FileAccess['mayRead'],
) => Promise<ProjectFiles>;

const readLater: ReadFiles = async (files, folder, mayRead) => {
  const { readProjectFiles } = await import('./projectFiles.ts');
  return readProjectFiles(files, folder, mayRead);
};

/** The contents of some compose files, kept up to date. */
class FollowedFiles implements Disposable {
  readonly #read: () => Promise<ProjectFiles>;
  readonly #onDidChange: () => void;
  readonly #throttle: Throttle;
  #watchers: readonly FSWatcher[] = [];
  #watched = '';
  #readings = 0;
  files: ProjectFiles | undefined;

  constructor(read: () => Promise<ProjectFiles>, onDidChange: () => void, clock: Clock) {
    this.#read = read;
    this.#onDidChange = onDidChange;
    this.#throttle = new Throttle(clock, PAUSE_MS, () => void this.#update());
    this.#throttle.request(true);
  }

  /** Reads again if the last reading failed: the files may be there now. */
  retry(): void {
    if (this.#watched !== '' && !this.files?.services) this.#throttle.request(true);
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

  async #update(): Promise<void> {
    const reading = ++this.#readings;
    const files = await this.#read();
    // Disposed, or another one began.
    if (reading !== this.#readings) return;
    // A folder that was missing has no watcher, or that of a deleted folder.
    const areBack = files.services !== undefined && this.files?.services === undefined;
    if (areBack) this.#watched = '';
    this.#watch(files.paths);
    const isSame = textOf(files) === textOf(this.files);
    this.files = files;
    if (!isSame) this.#onDidChange();
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

/** Returns what rows show of the files. */
function textOf(files: ProjectFiles | undefined): string {
  const { services, expected = [], unbuilt = [], provided = [], hooked = [] } = files ?? {};
  const sets = [services ?? [], expected, unbuilt].map((one) => [...one].sort());
  return JSON.stringify([services !== undefined, ...sets, provided, hooked]);
}
