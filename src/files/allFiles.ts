import type { Connection } from '../engine/http/connection.ts';
import { EngineError } from '../engine/errors.ts';
import { isUp } from '../engine/model.ts';
import type { KnownEngines } from '../inventory/knownEngine.ts';
import { DisposableStore, Emitter, type Disposable, type Event } from '../lifetime.ts';
import { fileRootKey, type FileRoot } from './fileRoot.ts';
import { containerFileSource, imageFileSource, type FileSource } from './fileSource.ts';
import { FileTreeReader } from './fileTreeReader.ts';

/** The files of all containers and images in this window. */
export class AllFiles implements Disposable {
  readonly #engines: KnownEngines;
  readonly #owner: string;
  readonly #now: () => number;
  readonly #roots = new Map<string, Known>();
  readonly #store = new DisposableStore();
  readonly #changes = this.#store.add(new Emitter<FilesChange>());
  readonly #removals = this.#store.add(new Emitter<void>());

  /** Fires when the files of a container or image may have changed. */
  readonly onDidChange: Event<FilesChange> = this.#changes.event;
  /** Fires when a container, an image or an engine may have been removed; `isThere` tells which. */
  readonly onDidRemove: Event<void> = this.#removals.event;

  /** @param owner the owner mark of the temporary containers that images are read through; see `newOwner`. */
  constructor(engines: KnownEngines, owner: string, now: () => number) {
    this.#engines = engines;
    this.#owner = owner;
    this.#now = now;
    this.#store.listen(engines.onDidChangeInventory, ({ containers }) => {
      this.#look(containers);
      this.#removals.fire();
    });
    this.#store.listen(engines.onDidChange, () => {
      this.#removals.fire();
    });
  }

  /** Returns the reader for the files of a container or image. Sends no request to the engine. */
  of(place: FileRoot): FileTreeReader {
    const key = fileRootKey(place);
    const known = this.#roots.get(key);
    const files = known?.files ?? this.#open(place);
    this.#roots.delete(key);
    this.#roots.set(key, { root: place, files, state: known?.state ?? this.#stateOf(place) });
    const [oldest] = this.#roots;
    if (oldest && this.#roots.size > PLACES) {
      this.#roots.delete(oldest[0]);
      oldest[1].files.drop();
    }
    return files;
  }

  /**
   * Returns a function that runs work with a container holding the files.
   *
   * @throws EngineError; errors of the work.
   */
  access(place: FileRoot): FileSource {
    const connect = (signal?: AbortSignal): Promise<Connection> => this.#connect(place, signal);
    return place.kind === 'container'
      ? containerFileSource(connect, place.id)
      : imageFileSource(connect, place.id, this.#owner);
  }

  /** Returns whether the container or image exists. Returns true while the inventory of its engine is not live. */
  isThere({ engine, kind, id }: FileRoot): boolean {
    const unit = this.#engines.get(engine);
    if (!unit) return false;
    const { containers, images, phase } = unit.inventory;
    return phase.kind !== 'live' || (kind === 'image' ? images : containers).has(id);
  }

  /** Drops the cached files of a container or image because they changed or a refresh was requested. */
  refresh(place: FileRoot): void {
    this.#roots.get(fileRootKey(place))?.files.drop();
    this.#changes.fire({ root: place, isRequested: true });
  }

  dispose(): void {
    this.#store.dispose();
    for (const { files } of this.#roots.values()) files.dispose();
    this.#roots.clear();
  }

  /**
   * Drops the files of containers that changed state (start, stop, remove). A change of health does not
   * affect files.
   */
  #look(changed: ReadonlySet<string>): void {
    for (const [key, { root, files, state }] of [...this.#roots]) {
      if (!changed.has(root.id) || this.#stateOf(root) === state) continue;
      files.drop();
      this.#roots.set(key, { root, files, state: this.#stateOf(root) });
      this.#changes.fire({ root, isRequested: false });
    }
  }

  #stateOf({ engine, id }: FileRoot): string {
    return this.#engines.get(engine)?.inventory.containers.get(id)?.state ?? '';
  }

  #connect({ engine }: FileRoot, signal: AbortSignal | undefined): Promise<Connection> {
    const unit = this.#engines.get(engine);
    if (!unit) throw new EngineError('notFound', { engineMessage: engine });
    return unit.engine.connect(signal);
  }

  #open(place: FileRoot): FileTreeReader {
    return new FileTreeReader({
      access: this.access(place),
      now: this.#now,
      isMoving: () => {
        const { containers } = this.#engines.get(place.engine)?.inventory ?? {};
        const container = containers?.get(place.id);
        // A container that is not in the inventory is treated as running, so that its cached files expire.
        return place.kind === 'container' && (!container || isUp(container));
      },
    });
  }
}

/** A change of the files of a container or image. */
export interface FilesChange {
  readonly root: FileRoot;
  /** Whether the user changed the files or asked for a refresh. */
  readonly isRequested: boolean;
}

interface Known {
  readonly root: FileRoot;
  readonly files: FileTreeReader;
  /** The last seen state of the container. */
  readonly state: string;
}

/** Maximum number of containers and images with cached files. The least recently used one is dropped. */
const PLACES = 8;
