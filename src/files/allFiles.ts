import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Connection } from '../engine/http/connection.ts';
import { EngineError } from '../engine/errors.ts';
import { capabilitiesOf } from '../engine/capabilities/capabilities.ts';
import type { MountDetails } from '../engine/containers/containerDetails.ts';
import { inspectContainer } from '../engine/containers/containers.ts';
import type { ReadOnlyReason } from '../engine/files/fileErrors.ts';
import { judgePlace } from '../engine/files/judgeWrite.ts';
import { isLocalEngine } from '../engine/options/suggestHostPort.ts';
import { numberOf, projectOf, serviceOf } from '../projects/projectLabels.ts';
import { isUp, type Container, type Volume } from '../engine/model.ts';
import { VolumeContainers } from '../engine/volumes/volumeContainers.ts';
import type { Inventory } from '../inventory/inventory.ts';
import type { KnownEngines } from '../inventory/knownEngine.ts';
import {
  DisposableStore,
  Emitter,
  toDisposable,
  type Disposable,
  type Event,
} from '../base/lifetime.ts';
import { fileRootKey, type FileRoot } from './fileRoot.ts';
import {
  containerFileSource,
  knowsVolumeOwners,
  imageFileSource,
  volumeFileSource,
  volumeWriteSource,
  type FileSource,
} from '../engine/volumes/fileSource.ts';
import { FileTreeReader } from './fileTreeReader.ts';

/** The files of all containers and images in this window. */
export class AllFiles implements Disposable {
  readonly #engines: KnownEngines;
  /** The mark of this window on its temporary containers. */
  readonly owner: string;
  /** What VS Code calls to rename, for renames that a command has begun; by `renameKey`. */
  readonly renames = new Map<string, () => Promise<unknown>>();
  /** The files of volumes as a whole. */
  readonly volumes: VolumeContainers;
  /** The volumes that were in the list of their engine, each with the engine. */
  readonly #listed = new Set<string>();
  readonly #now: () => number;
  readonly #roots = new Map<string, Known>();
  /** The containers as they were when their files were read. */
  readonly #seen = new Map<string, Container>();
  readonly #store = new DisposableStore();
  readonly #changes = this.#store.add(new Emitter<FilesChange>());
  readonly #removals = this.#store.add(new Emitter<void>());

  /** Fires when the files of a container or image may have changed. */
  readonly onDidChange: Event<FilesChange> = this.#changes.event;
  /** Fires when a container, an image or an engine may have been removed or renamed: see `isThere` and `nameOf`. */
  readonly onDidRemove: Event<void> = this.#removals.event;

  /** @param owner the owner mark of the temporary containers that images are read through; see `newOwner`. */
  constructor(engines: KnownEngines, owner: string, now: () => number) {
    this.#engines = engines;
    this.owner = owner;
    this.volumes = new VolumeContainers(owner);
    this.#now = now;
    this.#store.listen(engines.onDidChangeInventory, ({ containers }) => {
      this.#look(containers);
      this.#removals.fire();
    });
    this.#store.listen(engines.onDidChange, () => this.#removals.fire());
  }

  /** Returns the reader for the files of a container or image. Sends no request to the engine. */
  of(root: FileRoot): FileTreeReader {
    const key = fileRootKey(root);
    const container = this.#engines.get(root.engine)?.inventory.containers.get(root.id);
    if (container) this.#see(key, container);
    const known = this.#roots.get(key);
    const files = known?.files ?? this.#open(root);
    this.#roots.delete(key);
    this.#roots.set(key, { root, files, state: known?.state ?? this.#stateOf(root) });
    const [oldest] = this.#roots;
    if (oldest && this.#roots.size > MOST_ROOTS) {
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
  access(root: FileRoot): FileSource {
    const connect = (signal?: AbortSignal): Promise<Connection> => this.#connect(root, signal);
    switch (root.kind) {
      case 'container':
        return containerFileSource(connect, root.id);
      case 'image':
        return imageFileSource(connect, root.id, this.owner);
      case 'volume':
        return volumeFileSource(connect, root.id, this.volumes);
    }
  }

  /** Returns the same to write single files, which keep their owners. Not for images. */
  accessToWrite(root: FileRoot): FileSource {
    if (root.kind !== 'volume') return this.access(root);
    const connect = (signal?: AbortSignal): Promise<Connection> => this.#connect(root, signal);
    return volumeWriteSource(connect, root.id, this.volumes);
  }

  /** Returns why no file in a folder can be written, as far as that is known without looking at each. */
  async whyReadOnly(
    root: FileRoot,
    path: string,
    signal?: AbortSignal,
  ): Promise<ReadOnlyFile | undefined> {
    if (root.kind === 'image') return { reason: 'image', mount: undefined };
    const connection = await this.#connect(root, signal);
    if (root.kind === 'volume') {
      const isKnown = await knowsVolumeOwners(connection, root.id, signal);
      return isKnown ? undefined : { reason: 'volumeOwnerUnknown', mount: undefined };
    }
    const details = await inspectContainer(connection, root.id, signal);
    const can = capabilitiesOf(await connection.info(signal));
    const { reason, mount, isAlone } = judgePlace(details, can, [path]);
    if (reason) return { reason, mount };
    if (details.state === 'running') return undefined;
    if (isAlone) return { reason: 'fileMount', mount };
    return can.keepsOwnersInArchives ? undefined : { reason: 'ownerUnknown', mount };
  }

  /** Whether a process in a container can tell more of single files than the engine. */
  async asksProcesses(root: FileRoot): Promise<boolean> {
    if (root.kind !== 'volume') return root.kind === 'container';
    const connection = await this.#connect(root, undefined);
    return !capabilitiesOf(await connection.info()).keepsOwnersInArchives;
  }

  /** Returns the path of the file on this machine that a file of a container is, if it is mounted from there. */
  async localPath(root: FileRoot, path: string): Promise<string | undefined> {
    if (root.kind !== 'container') return undefined;
    const connection = await this.#connect(root, undefined);
    if (!isLocalEngine(connection.endpoint)) return undefined;
    const details = await inspectContainer(connection, root.id);
    const { mount } = judgePlace(details, capabilitiesOf(await connection.info()), [path]);
    if (mount?.type !== 'bind' || !isAbsolute(mount.source)) return undefined;
    const inside = path.slice(mount.target.length);
    const local = join(mount.source, inside);
    const [found, real, source] = await Promise.all([
      stat(local).catch(() => undefined),
      ...[local, mount.source].map((one) => realpath(one).catch(() => undefined)),
    ]);
    // A link that the container has made leads elsewhere on this machine.
    const isSame = source !== undefined && real === join(source, inside);
    return isSame && found?.isFile() === true ? local : undefined;
  }

  /** Returns the container that took the place of one that is gone: of the same service, or of the same name. */
  replacementOf(root: FileRoot): FileRoot | undefined {
    const inventory = this.#engines.get(root.engine)?.inventory;
    if (root.kind !== 'container' || !inventory || inventory.containers.has(root.id))
      return undefined;
    const gone = this.#seen.get(fileRootKey(root));
    const all = [...inventory.containers.values()];
    const serviceKey = (one: Container): string =>
      JSON.stringify([projectOf(one), serviceOf(one), numberOf(one)]);
    const isSame = (one: Container): boolean =>
      gone !== undefined && serviceOf(gone) !== undefined && serviceKey(one) === serviceKey(gone);
    const found = all.find(isSame) ?? all.find(({ name }) => name === (gone?.name ?? root.name));
    return found && { ...root, id: found.id, name: found.name };
  }

  /**
   * Returns whether the container, image or volume exists. Returns true while the inventory of its engine is not
   * live, or the images or volumes are not listed.
   */
  isThere({ engine, kind, id }: FileRoot): boolean {
    const unit = this.#engines.get(engine);
    if (!unit) return false;
    const { containers, images, volumes, phase } = unit.inventory;
    if (phase.kind !== 'live') return true;
    if (kind === 'volume') return this.#isVolumeThere(engine, id, volumes);
    return kind === 'image' ? images.has(id) || phase.images !== undefined : containers.has(id);
  }

  /** Returns the current name of a container, as far as it is known. */
  nameOf({ engine, kind, id, name }: FileRoot): string {
    const containers = this.#engines.get(engine)?.inventory.containers;
    return (kind === 'container' ? containers?.get(id)?.name : undefined) ?? name;
  }

  /** Keeps it known whether a container, image or volume exists until disposed: volumes are listed on demand. */
  watch({ engine, kind }: FileRoot): Disposable {
    const volumes = this.#engines.get(engine)?.inventory.volumes;
    return (kind === 'volume' ? volumes?.look() : undefined) ?? toDisposable(() => undefined);
  }

  /** A volume is gone if it was in the list before: the list can be older than the volume. */
  #isVolumeThere(engine: string, name: string, { entries, state }: Inventory['volumes']): boolean {
    const key = `${engine} ${name}`;
    if (entries.has(name)) this.#listed.add(key);
    return entries.has(name) || state !== 'listed' || !this.#listed.has(key);
  }

  /** Drops the cached files of a container or image because they changed or a refresh was requested. */
  refresh(root: FileRoot, changed: ChangedPaths = {}): void {
    this.#roots.get(fileRootKey(root))?.files.drop();
    this.#changes.fire({ root, isRequested: true, ...changed });
  }

  /** Whether programs can change the files, as far as that is known: not in a stopped container, nor in an image. */
  canRun({ engine, kind, id }: FileRoot): boolean {
    const container = this.#engines.get(engine)?.inventory.containers.get(id);
    return kind === 'volume' || (kind === 'container' && container?.state === 'running');
  }

  dispose(): void {
    this.#store.dispose();
    for (const { files } of this.#roots.values()) files.dispose();
    this.#roots.clear();
  }

  /**
   * Drops the files of containers that changed state (start, stop, remove), of their volumes, and of volumes that
   * may be others now. A change of health does not affect files.
   */
  #look(changed: ReadonlySet<string>): void {
    for (const [key, { root, files, state: before }] of [...this.#roots]) {
      const isAffected = root.kind === 'volume' || changed.has(root.id);
      const state = isAffected ? this.#stateOf(root) : before;
      if (state === before) continue;
      files.drop();
      this.#roots.set(key, { root, files, state });
      // The state of containers is the same: it may be another volume of this name.
      const isReplaced = changed.size === 0 && this.#volumeOf(root) !== undefined;
      this.#changes.fire({ root, isRequested: isReplaced });
    }
  }

  #stateOf(root: FileRoot): string {
    const states = this.#containersOf(root).map(({ id, state }) => `${id} ${state}`);
    return [this.#originOf(root), ...states.sort()].join();
  }

  /** Returns what differs if another volume has the name, as it can after another engine has taken the place. */
  #originOf(root: FileRoot): string {
    if (root.kind !== 'volume') return '';
    const phase = this.#engines.get(root.engine)?.inventory.phase;
    return this.#volumeOf(root)?.createdAt ?? phase?.kind ?? '';
  }

  #volumeOf({ engine, kind, id }: FileRoot): Volume | undefined {
    const volumes = this.#engines.get(engine)?.inventory.volumes;
    return kind === 'volume' ? volumes?.entries.get(id) : undefined;
  }

  /** Returns the containers that can change the files. */
  #containersOf({ engine, kind, id }: FileRoot): readonly Container[] {
    const inventory = this.#engines.get(engine)?.inventory;
    if (!inventory || kind === 'image') return [];
    const ids = kind === 'volume' ? [...inventory.containersOfVolume(id)] : [id];
    return ids.flatMap((one) => inventory.containers.get(one) ?? []);
  }

  #see(key: string, container: Container): void {
    this.#seen.delete(key);
    this.#seen.set(key, container);
    const [oldest = ''] = this.#seen.keys();
    if (this.#seen.size > MOST_SEEN) this.#seen.delete(oldest);
  }

  #connect({ engine }: FileRoot, signal: AbortSignal | undefined): Promise<Connection> {
    const unit = this.#engines.get(engine);
    if (!unit) throw new EngineError('notFound', { engineMessage: engine });
    return unit.engine.connect(signal);
  }

  #open(root: FileRoot): FileTreeReader {
    return new FileTreeReader({
      access: this.access(root),
      now: this.#now,
      isMoving: () => {
        const containers = this.#containersOf(root);
        // A container that is not in the inventory is treated as running, so that its cached files expire.
        const isUnknown = root.kind === 'container' && containers.length === 0;
        return isUnknown || containers.some(isUp);
      },
    });
  }
}

/** What appeared and what is gone. */
interface ChangedPaths {
  readonly created?: string;
  readonly deleted?: string;
}

/** Why a file cannot be written, and the mount that has it. */
export interface ReadOnlyFile {
  readonly reason: ReadOnlyReason;
  readonly mount: MountDetails | undefined;
}

/** A change of the files of a container or image. */
export interface FilesChange extends ChangedPaths {
  readonly root: FileRoot;
  /** Whether the user changed the files or asked for a refresh, or a volume was replaced by another one. */
  readonly isRequested: boolean;
}

interface Known {
  readonly root: FileRoot;
  readonly files: FileTreeReader;
  /** The last seen state of the containers, and of a volume. */
  readonly state: string;
}

/** Maximum number of containers and images with cached files. The least recently used one is dropped. */
const MOST_ROOTS = 8;

/** Maximum number of containers of which it is known what they were. */
const MOST_SEEN = 100;
