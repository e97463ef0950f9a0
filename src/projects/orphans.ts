import type { Container } from '../engine/model.ts';
import type { KnownEngine } from '../inventory/knownEngine.ts';
import type { FollowedFiles } from '../base/followedFiles.ts';
import { Emitter, type Disposable, type Event } from '../base/lifetime.ts';
import { wallClock, type Clock } from '../base/time.ts';
import type { FileAccess } from './fileAccess.ts';
import type { ProjectFiles, ReadFiles } from './projectFiles.ts';
import { filesOf, isOfStack, isOneOff, serviceOf } from './projectLabels.ts';

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
  readonly #read: ReadFiles | undefined;
  readonly #listener: Disposable;
  readonly #changes = new Emitter<string>();
  readonly #projects = new Map<string, LateFiles>();

  /** Fires with the key of a project whose services are known, changed, or no longer known: see {@link orphanKey}. */
  readonly onDidChange = this.#changes.event;

  constructor(access: FileAccess, clock: Clock = wallClock, read?: ReadFiles) {
    this.#access = access;
    this.#clock = clock;
    this.#read = read;
    this.#listener = access.onDidChange(() => {
      for (const { files } of this.#projects.values()) files?.renew();
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
    for (const { files } of this.#projects.values()) files?.dispose();
    this.#projects.clear();
    this.#changes.dispose();
  }

  #follow(container: Container): void {
    const key = orphanKey(container);
    if (key === undefined) return;
    const known = this.#use(key);
    if (known) known.files?.retry();
    else this.#add(key, container);
  }

  /** Returns a project that is followed, as the last one to be dropped. */
  #use(key: string): LateFiles | undefined {
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
    return key === undefined ? undefined : this.#use(key)?.files?.found;
  }

  #add(key: string, container: Container): void {
    const late: LateFiles = {};
    this.#projects.set(key, late);
    void this.#open(key, container).then((files) => {
      // Meanwhile, it may have been dropped.
      if (this.#projects.get(key) === late) late.files = files;
      else files.dispose();
    });
    if (this.#projects.size > MOST_PROJECTS) this.#dropOldest();
  }

  async #open(key: string, container: Container): Promise<FollowedFiles<ProjectFiles>> {
    const { followProjectFiles } = await import('./projectFiles.ts');
    const { mayRead, isOwn = () => false } = this.#access;
    const { files, ...place } = filesOf(container);
    const others = files.filter((file) => !isOwn(file));
    return followProjectFiles(
      { files: others, ...place },
      {
        mayRead,
        read: this.#read,
        onDidChange: () => this.#changes.fire(key),
        clock: this.#clock,
      },
    );
  }

  /** Nothing is known any more of the project that was not looked at for the longest time. */
  #dropOldest(): void {
    const [oldest] = this.#projects;
    if (!oldest) return;
    const [key, { files }] = oldest;
    files?.dispose();
    this.#projects.delete(key);
    if (files?.found) this.#changes.fire(key);
  }
}

/** The files of a project, once they are followed. */
interface LateFiles {
  files?: FollowedFiles<ProjectFiles>;
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
