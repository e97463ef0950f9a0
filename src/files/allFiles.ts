import type { Connection } from '../engine/http/connection.ts';
import { EngineError } from '../engine/errors.ts';
import { withTemporaryContainer } from '../engine/images/withTemporaryContainer.ts';
import { isUp } from '../engine/model.ts';
import type { Inventory, InventoryChange } from '../inventory/inventory.ts';
import { DisposableStore, Emitter, type Disposable, type Event } from '../lifetime.ts';
import { fileRootKey, type FileRoot } from './fileRoot.ts';
import { FileTreeReader, type ContainerAccess } from './fileTreeReader.ts';

/** The files of every container and image of the window. */
export class AllFiles implements Disposable {
  readonly #engines: FilesEngines;
  readonly #owner: string;
  readonly #now: () => number;
  readonly #roots = new Map<string, Known>();
  readonly #store = new DisposableStore();
  readonly #changes = this.#store.add(new Emitter<FilesChange>());

  /** Fires when the files of a place may be others than before. */
  readonly onDidChange: Event<FilesChange> = this.#changes.event;

  /** @param owner whose the containers are that images are read by; see `newOwner`. */
  constructor(engines: FilesEngines, owner: string, now: () => number) {
    this.#engines = engines;
    this.#owner = owner;
    this.#now = now;
    this.#store.add(
      engines.onDidChangeInventory(({ containers }) => {
        this.#look(containers);
      }),
    );
  }

  /** The files of a place. Nothing is asked of the engine yet. */
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

  /** Runs work with a container that has the files of a place. @throws EngineError; what the work throws. */
  access(place: FileRoot): ContainerAccess {
    return async (work, signal) => {
      const connection = await this.#connect(place, signal);
      if (place.kind === 'container') return work(connection, place.id);
      return withTemporaryContainer(
        connection,
        place.id,
        this.#owner,
        (id) => work(connection, id),
        signal,
      );
    };
  }

  /** Whether there is such a place, as far as is known. */
  isThere({ engine, kind, id }: FileRoot): boolean {
    const unit = this.#engines.get(engine);
    if (!unit) return false;
    const { containers, images, phase } = unit.inventory;
    return phase.kind !== 'live' || (kind === 'image' ? images : containers).has(id);
  }

  /** Forgets what is known of a place: its files were changed, or are to be read again. */
  refresh(place: FileRoot): void {
    this.#roots.get(fileRootKey(place))?.files.drop();
    this.#changes.fire({ root: place, isRequested: true });
  }

  dispose(): void {
    this.#store.dispose();
    for (const { files } of this.#roots.values()) files.dispose();
    this.#roots.clear();
  }

  /** A container that starts, stops or goes may have other files; its health says nothing of them. */
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
        // Of one that nothing is known of, nothing is taken for granted.
        return place.kind === 'container' && (!container || isUp(container));
      },
    });
  }
}

/** An engine as its files are reached. */
export interface FilesEngine {
  readonly id: string;
  readonly inventory: Pick<Inventory, 'containers' | 'images' | 'phase'>;
  readonly engine: { connect(signal?: AbortSignal): Promise<Connection> };
}

/** The engines of the window, as much of them as is needed here. */
export interface FilesEngines {
  get(id: string): FilesEngine | undefined;
  readonly onDidChangeInventory: Event<InventoryChange>;
}

/** What changed of a place. */
export interface FilesChange {
  readonly root: FileRoot;
  /** Whether its files were changed, or are to be read again, by the person's own wish. */
  readonly isRequested: boolean;
}

interface Known {
  readonly root: FileRoot;
  readonly files: FileTreeReader;
  /** The container's, when it was last looked at. */
  readonly state: string;
}

/** Places whose files are remembered; the one not asked for longest goes. */
const PLACES = 8;
