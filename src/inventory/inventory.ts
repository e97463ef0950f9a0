import { isDeepStrictEqual } from 'node:util';
import type { EngineError } from '../engine/errors.ts';
import { isTemporaryContainer } from '../engine/images/withTemporaryContainer.ts';
import { isTroubled, isUp, type Container, type EngineInfo, type Image } from '../engine/model.ts';
import type { L10n } from '../l10n.ts';
import { Emitter, type Disposable, type Event } from '../lifetime.ts';
import { ageOfStatus, isSameButAge, narrow, parseStatus, formatAge, type Age } from './age.ts';

/**
 * The containers and images of an engine: one immutable entry each, which stays the same object while only
 * time passes. The maps are live views, so the cost of a change depends on its size, not on the number of
 * entries.
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
   * The containers whose last run is known to have been killed for lack of memory. Container lists do not
   * report this.
   */
  readonly outOfMemory: ReadonlySet<string> = this.#outOfMemory;
  readonly #users = new MultiMap();
  readonly #temporaries = new Map<string, Container>();
  /** Gantry's own short-lived containers, by ID. They are never started and are in no other map. */
  readonly temporaries: ReadonlyMap<string, Container> = this.#temporaries;
  readonly #changes = new Emitter<InventoryChange>();
  #phase: Phase = { kind: 'idle' };
  #lostAt: number | undefined;
  #troubled = 0;

  /** Fires once for each call that changed something, after the whole change is applied. */
  readonly onDidChange: Event<InventoryChange> = this.#changes.event;

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
    return this.#users.of(imageId);
  }

  /** Applies complete lists and a new phase as one change. */
  replaceAll(
    containers: Iterable<Container>,
    images: Iterable<Image>,
    takenAtMs: number,
    phase: Phase = this.#phase,
  ): void {
    const usedImages = new Set<string>();
    this.#fire({
      containers: this.#takeContainers('all', containers, takenAtMs, usedImages),
      images: this.#takeImages(images),
      usedImages,
      phase: this.#takePhase(phase),
    });
  }

  /** Applies the list of certain IDs: a requested container that is not in the list is gone. */
  replaceContainers(asked: ListedIds, found: Iterable<Container>, takenAtMs: number): void {
    const usedImages = new Set<string>();
    const containers = this.#takeContainers(asked, found, takenAtMs, usedImages);
    this.#fire({ containers, usedImages });
  }

  /** Applies a complete image list and a new phase. */
  replaceImages(images: Iterable<Image>, phase: Phase = this.#phase): void {
    this.#fire({ images: this.#takeImages(images), phase: this.#takePhase(phase) });
  }

  /** Records that the last run of a container was killed for lack of memory. Cleared when it is up again. */
  noteOutOfMemory(id: string): void {
    if (!this.#containers.has(id)) return;
    this.#outOfMemory.add(id);
    this.#fire({ containers: new Set([id]) });
  }

  setPhase(phase: Phase, nowMs = Date.now()): void {
    if (phase.kind === 'lost' && phase.hadRows) this.#lostAt ??= nowMs;
    this.#fire({ phase: this.#takePhase(phase) });
  }

  dispose(): void {
    this.#changes.dispose();
  }

  #fire({
    containers = NONE,
    images = NONE,
    usedImages = NONE,
    phase = false,
  }: Partial<InventoryChange>): void {
    if (containers.size + images.size + usedImages.size === 0 && !phase) return;
    this.#changes.fire({ containers, images, usedImages, phase });
  }

  #takePhase(phase: Phase): boolean {
    if (phase.kind !== 'lost') this.#lostAt = undefined;
    if (isSamePhase(this.#phase, phase)) return false;
    this.#phase = phase;
    return true;
  }

  #takeImages(list: Iterable<Image>): ReadonlySet<string> {
    const changed = new Set<string>();
    const gone = new Set(this.#images.keys());
    for (const image of list) {
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

  #takeContainers(
    asked: ListedIds,
    found: Iterable<Container>,
    takenAt: number,
    usedImages: Set<string>,
  ): ReadonlySet<string> {
    const changed = new Set<string>();
    const gone = new Set(asked === 'all' ? this.#containers.keys() : asked);
    const goneTemporaries = new Set(asked === 'all' ? this.#temporaries.keys() : asked);
    for (const container of found) {
      if (this.#takeTemporary(container)) {
        goneTemporaries.delete(container.id);
        continue;
      }
      gone.delete(container.id);
      if (this.#takeContainer(container, takenAt, usedImages)) changed.add(container.id);
    }
    for (const id of goneTemporaries) this.#temporaries.delete(id);
    for (const id of gone) if (this.#drop(id, usedImages)) changed.add(id);
    return changed;
  }

  /**
   * Returns whether it is a temporary container of Gantry, which no view shows. One that the user started is
   * shown until it is gone.
   */
  #takeTemporary(container: Container): boolean {
    const { id, state } = container;
    const isTheirs = state !== 'created' && this.#containers.has(id);
    if (!isTemporaryContainer(container) || isTheirs) return false;
    this.#temporaries.set(id, container);
    return true;
  }

  /** Returns whether the entry changed. */
  #takeContainer(next: Container, takenAt: number, usedImages: Set<string>): boolean {
    const before = this.#containers.get(next.id);
    const ageBefore = this.#ages.get(next.id);
    const age = ageAfter(before, ageBefore, next, takenAt);
    if (age) this.#ages.set(next.id, age);
    else this.#ages.delete(next.id);
    if (before && isSameEntry(before, next) && isSameAge(ageBefore, age, takenAt)) return false;
    this.#put(before, next, usedImages);
    return true;
  }

  #put(before: Container | undefined, next: Container, usedImages: Set<string>): void {
    this.#containers.set(next.id, next);
    if (isUp(next)) this.#outOfMemory.delete(next.id);
    this.#troubled += countOf(next) - countOf(before);
    const isMoved = before?.imageId !== next.imageId;
    if (!isMoved && before.name === next.name) return;
    if (before && isMoved) {
      this.#users.remove(before.imageId, before.id);
      usedImages.add(before.imageId);
    }
    this.#users.add(next.imageId, next.id);
    usedImages.add(next.imageId);
  }

  /** Returns whether the container was known. */
  #drop(id: string, usedImages: Set<string>): boolean {
    const before = this.#containers.get(id);
    if (!before) return false;
    this.#containers.delete(id);
    this.#ages.delete(id);
    this.#outOfMemory.delete(id);
    this.#troubled -= countOf(before);
    this.#users.remove(before.imageId, id);
    usedImages.add(before.imageId);
    return true;
  }
}

/** The state of the connection to the engine. */
export type Phase =
  | { readonly kind: 'idle' }
  /** The user disconnected it. */
  | { readonly kind: 'off' }
  | { readonly kind: 'connecting' }
  | {
      readonly kind: 'live';
      readonly info: EngineInfo;
      /** Set only while the images are not up to date. */
      readonly images?: UnlistedImages;
    }
  /** With `hadRows`, the previous entries are still there and may be out of date. */
  | { readonly kind: 'lost'; readonly error: EngineError; readonly hadRows: boolean };

/** Why the images are not known: their first list is slow, or the last one failed. */
export type UnlistedImages = 'awaited' | EngineError;

/** Which entries changed: modified, new or gone. */
export interface InventoryChange {
  readonly containers: ReadonlySet<string>;
  readonly images: ReadonlySet<string>;
  /** Images whose containers were added, removed or renamed. The image entry itself may be unchanged. */
  readonly usedImages: ReadonlySet<string>;
  readonly phase: boolean;
}

/** The IDs that a list was filtered by; `all` if it was not filtered. */
export type ListedIds = Iterable<string> | 'all';

const NONE: ReadonlySet<string> = new Set<string>();
/** For comparing texts only; they are never shown. */
const PLAIN: L10n = { t: (message, ...args) => [message, ...args].join(' ') };

/** A set of members for each key. Keys without members are dropped. */
class MultiMap {
  readonly #members = new Map<string, Set<string>>();

  of(key: string): ReadonlySet<string> {
    return this.#members.get(key) ?? NONE;
  }

  add(key: string, member: string): void {
    this.#members.set(key, (this.#members.get(key) ?? new Set()).add(member));
  }

  remove(key: string, member: string): void {
    const members = this.#members.get(key);
    members?.delete(member);
    if (members?.size === 0) this.#members.delete(key);
  }
}

function countOf(container: Container | undefined): number {
  return container && isTroubled(container) ? 1 : 0;
}

/** Health changes and pauses do not end a run: if the kind of state is the same, both lists count. */
function ageAfter(
  before: Container | undefined,
  ageBefore: Age | undefined,
  next: Container,
  takenAt: number,
): Age | undefined {
  const status = parseStatus(next.status);
  const reported = ageOfStatus(status, takenAt);
  const isSameKind = before !== undefined && parseStatus(before.status).kind === status.kind;
  return isSameKind ? narrow(ageBefore, reported) : reported;
}

/** Whether two entries are equal apart from the time in their status. */
function isSameEntry(before: Container, next: Container): boolean {
  if (!isDeepStrictEqual({ ...before, status: '' }, { ...next, status: '' })) return false;
  const [a, b] = [parseStatus(before.status), parseStatus(next.status)];
  const isTimed = a.ago !== undefined && b.ago !== undefined;
  return isTimed ? isSameButAge(a, b) : before.status === next.status;
}

/**
 * Whether a row looks the same for both ages. A later list may narrow the age, or be of another run with the
 * same status text: then the displayed age jumps, unlike by time alone, and that is a change.
 */
function isSameAge(before: Age | undefined, next: Age | undefined, now: number): boolean {
  if (!before || !next) return before === next;
  return formatAge(before, now, PLAIN) === formatAge(next, now, PLAIN);
}

function isSamePhase(before: Phase, next: Phase): boolean {
  if (before.kind === 'live' && next.kind === 'live') {
    return isDeepStrictEqual(before.info, next.info) && isSameLack(before.images, next.images);
  }
  if (before.kind === 'lost' && next.kind === 'lost') {
    return before.hadRows === next.hadRows && isSameLack(before.error, next.error);
  }
  return before.kind === next.kind;
}

/** Each try creates a new error; only another reason, message or endpoint counts as a change. */
function isSameLack(a: UnlistedImages | undefined, b: UnlistedImages | undefined): boolean {
  if (!(a instanceof Error && b instanceof Error)) return a === b;
  return a.reason === b.reason && a.message === b.message && a.endpoint === b.endpoint;
}
