import { posix } from 'node:path';
import type { Container } from '../../engine/model.ts';
import { Emitter, type Disposable, type Event, type Memento } from '../../base/lifetime.ts';
import { asTexts } from '../../engine/wire/wire.ts';
import { withoutTrailing } from '../../base/plainText.ts';
import { filesOf } from '../projectLabels.ts';

/**
 * Knows which containers belong to the workspace: by the folder or files of their compose project, by a folder of
 * the workspace that they mount, or because a task of it created them. The worktrees of its repositories count, too.
 */
export class WorkspacePlaces implements Disposable {
  readonly #options: WorkspaceOptions;
  readonly #listener: Disposable;
  readonly #changes = new Emitter<void>();
  #known = new WeakMap<Container, readonly string[]>();
  #places: readonly Place[] | undefined;

  /** Fires when other containers may belong to the workspace. */
  readonly onDidChange: Event<void> = this.#changes.event;

  constructor(options: WorkspaceOptions) {
    this.#options = options;
    this.#listener = options.onDidChange(() => {
      const isUsed = this.#places !== undefined;
      this.#places = undefined;
      if (isUsed) this.#change();
    });
  }

  /**
   * Returns the names of the workspace folders and worktrees that a container belongs to.
   *
   * @param isHere whether the engine is on this machine: what is mounted on another lies there.
   */
  namesOf(container: Container, isHere: boolean): readonly string[] {
    const known = this.#known.get(container);
    if (known) return known;
    const names = this.#find(container, isHere);
    this.#known.set(container, names);
    return names;
  }

  dispose(): void {
    this.#listener.dispose();
    this.#changes.dispose();
  }

  #find(container: Container, isHere: boolean): readonly string[] {
    const places = (this.#places ??= this.#open());
    const { files, workingDir } = filesOf(container);
    const sources = isHere ? container.mounts.flatMap(({ source = [] }) => source) : [];
    const paths = [...(workingDir === undefined ? [] : [workingDir]), ...files, ...sources];
    const { platform, storage } = this.#options;
    const all = paths.map((path) => comparable(path, platform));
    const ours = comparable(storage, platform);
    const found = all
      .filter((one) => !isIn(one, ours))
      .flatMap((one) => innermost(places.filter(({ path }) => isIn(one, path))));
    const isOfTask =
      found.length === 0 && taskContainers(this.#options.memory).includes(container.id);
    return [...new Set((isOfTask ? places.slice(0, 1) : found).map(({ name }) => name))];
  }

  /** Begins to look for worktrees. */
  #open(): readonly Place[] {
    const { folders, worktreesOf, platform } = this.#options;
    const own = folders();
    const opened = placesOf(own, platform);
    void worktreesOf(own).then(
      (found) => {
        const places = placesOf([...own, ...found], platform);
        if (this.#places !== opened || places.length === opened.length) return;
        this.#places = places;
        this.#change();
      },
      // Nothing is known of worktrees that cannot be read.
      () => undefined,
    );
    return opened;
  }

  #change(): void {
    this.#known = new WeakMap();
    this.#changes.fire();
  }
}

export interface WorkspaceOptions {
  /** Returns the paths of the workspace folders. */
  readonly folders: () => readonly string[];
  /** Fires when there are other folders. */
  readonly onDidChange: Event<void>;
  /** Returns where else the repositories of these folders are checked out. */
  readonly worktreesOf: (folders: readonly string[]) => Promise<readonly string[]>;
  /** Where the containers that tasks of the workspace have created are recorded. */
  readonly memory: Memento;
  readonly platform: NodeJS.Platform;
  /** The folder of files that projects have of us, wherever they are. */
  readonly storage: string;
}

/** Records that a task of the workspace has created a container. */
export function recordTaskContainer(memory: Memento, id: string): void {
  void memory.update(TASK_KEY, [...taskContainers(memory), id].slice(-MOST_OF_TASKS));
}

function taskContainers(memory: Memento): readonly string[] {
  return asTexts(memory.get(TASK_KEY));
}

const TASK_KEY = 'gantry.taskContainers';
const MOST_OF_TASKS = 200;

interface Place {
  readonly path: string;
  readonly name: string;
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** A worktree may be in the folder of another one. */
function innermost(around: readonly Place[]): readonly Place[] {
  return around.toSorted((a, b) => b.path.length - a.path.length).slice(0, 1);
}

/** The root of a file system is no place: everything would be in it. */
function placesOf(folders: readonly string[], platform: NodeJS.Platform): readonly Place[] {
  const parts = new Map(
    folders.map((folder) => [
      comparable(folder, platform),
      withoutTrailing(folder.replaceAll('\\', '/'), '/').split('/'),
    ]),
  );
  const all = [...parts.values()];
  return [...parts]
    .map(([path, own]) => ({ path, name: uniqueName(own, all) }))
    .filter(({ name }) => name !== '');
}

/** Returns as many parts of a path as tell it from the others: the same folder of two worktrees has the same name. */
function uniqueName(own: readonly string[], all: readonly (readonly string[])[]): string {
  const nameIn = (parts: readonly string[], count: number): string => parts.slice(-count).join('/');
  let count = 1;
  const isOther = (one: readonly string[]): boolean =>
    one !== own && nameIn(one, count) === nameIn(own, count);
  while (count < own.length && all.some(isOther)) count += 1;
  return nameIn(own, count);
}

/**
 * Returns a path as it can be compared. Docker Desktop mounts the disks of its host below others, and a project that
 * was started in Windows is seen from WSL.
 */
function comparable(path: string, platform: NodeJS.Platform): string {
  const plain = withoutTrailing(posix.normalize(path.replaceAll('\\', '/')), '/')
    .replace(/^\/host_mnt(?=\/)/, '')
    .replace(/^\/run\/desktop\/mnt\/host(?=\/)/, '/mnt')
    .replace(/^([a-z]):/i, '/mnt/$1');
  const isCaseless = platform !== 'linux' || /^\/mnt\/[a-z](\/|$)/i.test(plain);
  return isCaseless ? plain.toLowerCase() : plain;
}
