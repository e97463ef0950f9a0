import { isDeepStrictEqual } from 'node:util';
import { isTemporaryContainer, temporaryImageOwner } from '../engine/images/temporaryMarks.ts';
import {
  isTroubled,
  isUp,
  KILLED,
  type Container,
  type EngineEvent,
  type Image,
  type Network,
  type Volume,
} from '../engine/model.ts';
import { listNetworks } from '../engine/networks/networks.ts';
import { listVolumes } from '../engine/volumes/volumes.ts';
import { Emitter, toDisposable, type Disposable, type Event } from '../base/lifetime.ts';
import type { Age } from './age.ts';
import { ageAfter, isSameAge, isSameEntry } from './containerEntry.ts';
import { OnDemandList } from './onDemandList.ts';
import { VolumeSizes } from './volumeSizes.ts';
import { isSamePhase, type Phase } from './phase.ts';
import {
  imageUses,
  networkUses,
  noneUsed,
  UserIndex,
  volumeUses,
  type UsedChange,
} from './userIndex.ts';

/**
 * The containers and images of an engine: one immutable entry each, which stays the same object while only time passes.
 * The maps are live views, so the cost of a change depends on its size, not on the number of entries.
 */
export class Inventory implements Disposable {
  readonly #containers = new Map<string, Container>();
  /** By ID. The `status` of an entry is as of the list that last changed it; show `ages` instead. */
  readonly containers: ReadonlyMap<string, Container> = this.#containers;
  readonly #images = new Map<string, Image>();
  /** By ID. The `containers` of an entry are as of the last image list; show `containersOf` instead. */
  readonly images: ReadonlyMap<string, Image> = this.#images;
  readonly #ages = new Map<string, Age>();
  /** The age of each container's state (up, exited or restarting), by ID, if the engine reports it. */
  readonly ages: ReadonlyMap<string, Age> = this.#ages;
  readonly #outOfMemory = new Set<string>();
  /**
   * The containers whose last run is known to have been killed for lack of memory. Container lists do not report this.
   */
  readonly outOfMemory: ReadonlySet<string> = this.#outOfMemory;
  readonly #stopped = new Set<string>();
  /** The containers that a client is known to have stopped, whatever their exit code. */
  readonly stopped: ReadonlySet<string> = this.#stopped;
  readonly #imageUsers = new UserIndex(imageUses);
  readonly #volumeUsers = new UserIndex(volumeUses);
  readonly #networkUsers = new UserIndex(networkUses);
  readonly #temporaries = new Map<string, Container>();
  /** Gantry's own short-lived containers, by ID. They are never started and are in no other map. */
  readonly temporaries: ReadonlyMap<string, Container> = this.#temporaries;
  readonly #hidden = new Set<string>();
  readonly #temporaryImages = new Map<string, Image>();
  /** Gantry's own images for such containers, by ID. They are in no other map. */
  readonly temporaryImages: ReadonlyMap<string, Image> = this.#temporaryImages;
  /** By name. */
  readonly volumes = new OnDemandList<Volume>({ keyOf: ({ name }) => name, list: listVolumes });
  readonly volumeSizes = new VolumeSizes();
  /** By ID. */
  readonly networks = new OnDemandList<Network>({ keyOf: ({ id }) => id, list: listNetworks });
  readonly #changes = new Emitter<InventoryChange>();
  readonly #events = new Emitter<EngineEvent>();
  #phase: Phase = { kind: 'idle' };
  #lostAt: number | undefined;
  #troubled = 0;

  /** Fires once for each call that changed something, after the whole change is applied. */
  readonly onDidChange: Event<InventoryChange> = this.#changes.event;
  /** Fires for each event of a container, before what it makes stale is listed. Some come twice after a reconnect. */
  readonly onDidSeeEvent: Event<EngineEvent> = this.#events.event;

  constructor() {
    this.volumes.onDidChange((volumes) => this.#fire({ volumes, phase: volumes.size === 0 }));
    this.networks.onDidChange((networks) => this.#fire({ networks, phase: networks.size === 0 }));
  }

  get phase(): Phase {
    return this.#phase;
  }

  /**
   * When the engine was lost and the entries became possibly out of date, in milliseconds since 1970.
   * Undefined while connected.
   */
  get lostAt(): number | undefined {
    return this.#lostAt;
  }

  /** The number of containers that are unhealthy or restarting. */
  get troubledCount(): number {
    return this.#troubled;
  }

  /** Returns the IDs of the containers made from an image. */
  containersOf(imageId: string): ReadonlySet<string> {
    return this.#imageUsers.of(imageId);
  }

  /** Returns the IDs of the containers that mount a volume, running or not. */
  containersOfVolume(name: string): ReadonlySet<string> {
    return this.#volumeUsers.of(name);
  }

  /** Returns the IDs of the containers on a network of this name, running or not. */
  containersOnNetwork(name: string): ReadonlySet<string> {
    return this.#networkUsers.of(name);
  }

  /** Applies complete lists and a new phase as one change. */
  replaceAll(
    containers: Iterable<Container>,
    images: Iterable<Image>,
    listedAtMs: number,
    phase: Phase = this.#phase,
  ): void {
    const used = noneUsed();
    this.#fire({
      containers: this.#applyContainers('all', containers, listedAtMs, used),
      images: this.#applyImages(images),
      ...used,
      phase: this.#setPhase(phase),
    });
  }

  /** Forgets all entries, because they belong to an engine that is no longer in use. */
  clear(nowMs: number, phase: Phase): void {
    this.volumes.clear();
    this.networks.clear();
    // A change even if nothing was known of that engine: what others have from it is out of date, too.
    this.#phase = { kind: 'idle' };
    this.replaceAll([], [], nowMs, phase);
  }

  /** Applies the list of certain IDs: a requested container that is not in the list is gone. */
  replaceContainers(asked: ListedIds, found: Iterable<Container>, listedAtMs: number): void {
    const used = noneUsed();
    const containers = this.#applyContainers(asked, found, listedAtMs, used);
    this.#fire({ containers, ...used });
  }

  /** Applies a complete image list and a new phase. */
  replaceImages(images: Iterable<Image>, phase: Phase = this.#phase): void {
    this.#fire({ images: this.#applyImages(images), phase: this.#setPhase(phase) });
  }

  /**
   * Hides a container, or an image as long as it has no tag, that this window has created for a short time. By its ID:
   * labels prove nothing. It is shown again after the result is disposed, if an engine still lists it.
   */
  hide(id: string): Disposable {
    this.#hidden.add(id);
    const used = noneUsed();
    const containers = this.#applyContainers([id], [], 0, used);
    const isImage = this.#images.get(id)?.tags.length === 0 && this.#images.delete(id);
    this.#fire({ containers, images: new Set(isImage ? [id] : []), ...used });
    return toDisposable(() => this.#hidden.delete(id));
  }

  /** Passes on an event of a container. The entries do not change: only lists change them. */
  recordEvent(event: EngineEvent): void {
    this.#events.fire(event);
  }

  /** Records that the last run of a container was killed for lack of memory. Cleared by another run. */
  recordOutOfMemory(id: string): void {
    const container = this.#containers.get(id);
    if (!container) return;
    this.#outOfMemory.add(id);
    this.#fireChange(container);
  }

  /** Records that a client stopped a container, which may be listed as stopped only later. Cleared by another run. */
  recordStop(id: string): void {
    const container = this.#containers.get(id);
    if (!container || this.#stopped.has(id)) return;
    this.#stopped.add(id);
    if (!isUp(container)) this.#fireChange(container);
  }

  /** Records that a container was started, maybe before its stop was listed. */
  recordStart(id: string): void {
    this.#stopped.delete(id);
  }

  #fireChange({ id, networks }: Container): void {
    const usedNetworks = new Set(networks.map(({ name }) => name));
    this.#fire({ containers: new Set([id]), usedNetworks });
  }

  setPhase(phase: Phase, nowMs = Date.now()): void {
    if (phase.kind === 'lost' && phase.hadRows) this.#lostAt ??= nowMs;
    this.#fire({ phase: this.#setPhase(phase) });
  }

  dispose(): void {
    this.volumes.dispose();
    this.volumeSizes.dispose();
    this.networks.dispose();
    this.#changes.dispose();
    this.#events.dispose();
  }

  #fire({
    containers = NONE,
    images = NONE,
    usedImages = NONE,
    volumes = NONE,
    networks = NONE,
    usedNetworks = NONE,
    phase = false,
  }: Partial<InventoryChange>): void {
    this.volumeSizes.forget(volumes);
    const change = { containers, images, usedImages, volumes, networks, usedNetworks };
    const isEmpty = Object.values(change).every(({ size }) => size === 0);
    if (!isEmpty || phase) this.#changes.fire({ ...change, phase });
  }

  #setPhase(phase: Phase): boolean {
    if (phase.kind !== 'lost') this.#lostAt = undefined;
    if (isSamePhase(this.#phase, phase)) return false;
    this.#phase = phase;
    return true;
  }

  #applyImages(list: Iterable<Image>): ReadonlySet<string> {
    const changed = new Set<string>();
    const gone = new Set(this.#images.keys());
    this.#temporaryImages.clear();
    for (const image of list) {
      if (temporaryImageOwner(image) !== undefined) {
        this.#temporaryImages.set(image.id, image);
        continue;
      }
      if (image.tags.length === 0 && this.#hidden.has(image.id)) continue;
      gone.delete(image.id);
      if (isDeepStrictEqual(this.#images.get(image.id), image)) continue;
      this.#images.set(image.id, image);
      changed.add(image.id);
    }
    for (const id of gone) {
      this.#images.delete(id);
      changed.add(id);
    }
    return changed;
  }

  #applyContainers(
    asked: ListedIds,
    found: Iterable<Container>,
    listedAt: number,
    used: UsedChange,
  ): ReadonlySet<string> {
    const changed = new Set<string>();
    const gone = new Set(asked === 'all' ? this.#containers.keys() : asked);
    const goneTemporaries = new Set(asked === 'all' ? this.#temporaries.keys() : asked);
    for (const container of found) {
      if (this.#hidden.has(container.id)) continue;
      if (this.#applyTemporary(container)) {
        goneTemporaries.delete(container.id);
        continue;
      }
      gone.delete(container.id);
      if (this.#applyContainer(container, listedAt, used)) changed.add(container.id);
    }
    for (const id of goneTemporaries) this.#temporaries.delete(id);
    for (const id of gone) if (this.#drop(id, used)) changed.add(id);
    return changed;
  }

  /**
   * Returns whether it is a temporary container of Gantry, which no view shows. One that the user started is
   * shown until it is gone.
   */
  #applyTemporary(container: Container): boolean {
    const { id, state } = container;
    const isTheirs = state !== 'created' && this.#containers.has(id);
    if (!isTemporaryContainer(container) || isTheirs) return false;
    this.#temporaries.set(id, container);
    return true;
  }

  /** Returns whether the entry changed. */
  #applyContainer(next: Container, listedAt: number, used: UsedChange): boolean {
    const before = this.#containers.get(next.id);
    const ageBefore = this.#ages.get(next.id);
    const age = ageAfter(before, ageBefore, next, listedAt);
    if (age) this.#ages.set(next.id, age);
    else this.#ages.delete(next.id);
    if (before && isSameEntry(before, next) && isSameAge(ageBefore, age, listedAt)) return false;
    this.#put(before, next, used);
    return true;
  }

  #put(before: Container | undefined, next: Container, used: UsedChange): void {
    this.#containers.set(next.id, next);
    const { exitCode = KILLED } = next;
    if (isUp(next) || exitCode !== KILLED) this.#outOfMemory.delete(next.id);
    if (isUp(next) && before && !isUp(before)) this.#stopped.delete(next.id);
    this.#troubled += countOf(next) - countOf(before);
    this.#indexUses(before, next, used);
  }

  #indexUses(before: Container | undefined, next: Container | undefined, used: UsedChange): void {
    this.#imageUsers.replace(before, next, used.usedImages);
    this.#volumeUsers.replace(before, next, used.volumes);
    this.#networkUsers.replace(before, next, used.usedNetworks);
  }

  /** Returns whether the container was known. */
  #drop(id: string, used: UsedChange): boolean {
    const before = this.#containers.get(id);
    if (!before) return false;
    this.#containers.delete(id);
    this.#ages.delete(id);
    this.#outOfMemory.delete(id);
    this.#stopped.delete(id);
    this.#troubled -= countOf(before);
    this.#indexUses(before, undefined, used);
    return true;
  }
}

/** Which entries changed: modified, new or gone. */
export interface InventoryChange {
  readonly containers: ReadonlySet<string>;
  readonly images: ReadonlySet<string>;
  /** Images whose containers were added, removed or renamed. The image entry itself may be unchanged. */
  readonly usedImages: ReadonlySet<string>;
  /** Names of volumes that changed, or whose containers changed in what a row shows of them. */
  readonly volumes: ReadonlySet<string>;
  readonly networks: ReadonlySet<string>;
  /** Names of networks whose containers changed in what a row shows of them. */
  readonly usedNetworks: ReadonlySet<string>;
  /** Whether the phase changed, or whether the volumes or networks are known. */
  readonly phase: boolean;
}

/** The IDs that a list was filtered by; `all` if it was not filtered. */
type ListedIds = Iterable<string> | 'all';

const NONE: ReadonlySet<string> = new Set<string>();

function countOf(container: Container | undefined): number {
  return container && isTroubled(container) ? 1 : 0;
}
