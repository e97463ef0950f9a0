import { isDeepStrictEqual } from 'node:util';
import type { EngineError } from '../engine/errors.ts';
import { isTemporaryContainer } from '../engine/images/withTemporaryContainer.ts';
import { isTroubled, isUp, type Container, type EngineInfo, type Image } from '../engine/model.ts';
import type { L10n } from '../l10n.ts';
import { Emitter, type Disposable, type Event } from '../lifetime.ts';
import { ageOfStatus, isSameButAge, narrow, parseStatus, formatAge, type Age } from './age.ts';
import { MultiMap } from './multiMap.ts';

/**
 * What exists now: one immutable entry for each container and image, the same object as long as nothing but
 * time has passed. The maps are live views of it, so that a change costs what changed and not what exists.
 */
export class Inventory implements Disposable {
  readonly #containers = new Map<string, Container>();
  readonly #images = new Map<string, Image>();
  readonly #ages = new Map<string, Age>();
  readonly #outOfMemory = new Set<string>();
  readonly #users = new MultiMap();
  readonly #temporaries = new Map<string, Container>();
  readonly #changes = new Emitter<InventoryChange>();
  #phase: Phase = { kind: 'idle' };
  #lostAt: number | undefined;
  #troubled = 0;

  /** Fires once for each call that changed something, after all of it is in place. */
  readonly onDidChange: Event<InventoryChange> = this.#changes.event;

  /** By id. An entry's `status` is as of the list that last changed it: show `ages` instead. */
  get containers(): ReadonlyMap<string, Container> {
    return this.#containers;
  }

  /** By id. An entry's `containers` is as of the last image list: show `containersOf` instead. */
  get images(): ReadonlyMap<string, Image> {
    return this.#images;
  }

  /** Since when each container is up, gone or restarting, by id; only where the engine tells. */
  get ages(): ReadonlyMap<string, Age> {
    return this.#ages;
  }

  /** The containers whose last run is known to have been killed because it was out of memory. No list tells. */
  get outOfMemory(): ReadonlySet<string> {
    return this.#outOfMemory;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Since when the entries may be out of date because the engine is lost, in milliseconds since 1970. */
  get lostAt(): number | undefined {
    return this.#lostAt;
  }

  /** By id: containers of ours that are there for a moment, never started, and in no other map. */
  get temporaries(): ReadonlyMap<string, Container> {
    return this.#temporaries;
  }

  /** How many containers are unhealthy or restarting. */
  get troubledCount(): number {
    return this.#troubled;
  }

  /** The ids of the containers made from an image. */
  containersOf(imageId: string): ReadonlySet<string> {
    return this.#users.of(imageId);
  }

  /** Takes whole lists, and the phase they lead to, as one change. */
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

  /** Takes the answer to a list of certain ids: one that was asked for and is not in it is gone. */
  replaceContainers(asked: ListedIds, found: Iterable<Container>, takenAtMs: number): void {
    const usedImages = new Set<string>();
    const containers = this.#takeContainers(asked, found, takenAtMs, usedImages);
    this.#fire({ containers, images: NONE, usedImages, phase: false });
  }

  /** Takes the whole image list, and the phase it leads to. */
  replaceImages(images: Iterable<Image>, phase: Phase = this.#phase): void {
    const changed = this.#takeImages(images);
    const isNew = this.#takePhase(phase);
    this.#fire({ containers: NONE, images: changed, usedImages: NONE, phase: isNew });
  }

  /** Notes why the last run of a container ended; forgotten when it is up again. */
  noteOutOfMemory(id: string): void {
    if (!this.#containers.has(id)) return;
    this.#outOfMemory.add(id);
    this.#fire({ containers: new Set([id]), images: NONE, usedImages: NONE, phase: false });
  }

  setPhase(phase: Phase, nowMs = Date.now()): void {
    if (phase.kind === 'lost' && phase.hadRows) this.#lostAt ??= nowMs;
    const isNew = this.#takePhase(phase);
    this.#fire({ containers: NONE, images: NONE, usedImages: NONE, phase: isNew });
  }

  dispose(): void {
    this.#changes.dispose();
  }

  #fire(change: InventoryChange): void {
    const { containers, images, usedImages, phase } = change;
    if (containers.size + images.size + usedImages.size > 0 || phase) this.#changes.fire(change);
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

  /** Whether it is one of ours that no view shows. One that is being removed no longer looks like it. */
  #takeTemporary(container: Container): boolean {
    const { id, state } = container;
    const isGoing = state === 'removing' && this.#temporaries.has(id);
    if (!isTemporaryContainer(container) && !isGoing) return false;
    this.#temporaries.set(id, container);
    return true;
  }

  /** Whether the entry is not what it was. */
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

  /** Whether it was there. */
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

/** How we stand with the engine. */
export type Phase =
  | { readonly kind: 'idle' }
  /** The person disconnected it. */
  | { readonly kind: 'off' }
  | { readonly kind: 'connecting' }
  | {
      readonly kind: 'live';
      readonly info: EngineInfo;
      /** Only while the images are not what the engine has. */
      readonly images?: UnlistedImages;
    }
  /** With `hadRows` what was known before is still here, and may be out of date. */
  | { readonly kind: 'lost'; readonly error: EngineError; readonly hadRows: boolean };

/** Why images are not known: their first list takes long, or the last one failed. */
export type UnlistedImages = 'awaited' | EngineError;

/** Which entries are not what they were: changed, new or gone. */
export interface InventoryChange {
  readonly containers: ReadonlySet<string>;
  readonly images: ReadonlySet<string>;
  /** Images whose containers came, went or changed their name: the entry itself may be the same. */
  readonly usedImages: ReadonlySet<string>;
  readonly phase: boolean;
}

/** The names of a list's ids; `all` where the list was not filtered. */
export type ListedIds = Iterable<string> | 'all';

const NONE: ReadonlySet<string> = new Set<string>();
/** Words are only compared here, never shown. */
const PLAIN: L10n = { t: (message, ...args) => [message, ...args].join(' ') };

function countOf(container: Container | undefined): number {
  return container && isTroubled(container) ? 1 : 0;
}

/** Health and pauses do not end a run: as long as the kind of state is the same, both lists count. */
function ageAfter(
  before: Container | undefined,
  ageBefore: Age | undefined,
  next: Container,
  takenAt: number,
): Age | undefined {
  const status = parseStatus(next.status);
  const told = ageOfStatus(status, takenAt);
  const isSameKind = before !== undefined && parseStatus(before.status).kind === status.kind;
  return isSameKind ? narrow(ageBefore, told) : told;
}

/** Whether two entries say the same, leaving out the part of the status that changes with time alone. */
function isSameEntry(before: Container, next: Container): boolean {
  if (!isDeepStrictEqual({ ...before, status: '' }, { ...next, status: '' })) return false;
  const [a, b] = [parseStatus(before.status), parseStatus(next.status)];
  const isTimed = a.ago !== undefined && b.ago !== undefined;
  return isTimed ? isSameButAge(a, b) : before.status === next.status;
}

/**
 * Whether a row looks the same for both. A later list may know the age better, or be of another run that
 * reads alike: then its words jump, which time alone would not have done, and that is a change.
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

/** Every try makes a new error; only another reason or other words are news. */
function isSameLack(a: UnlistedImages | undefined, b: UnlistedImages | undefined): boolean {
  if (!(a instanceof Error && b instanceof Error)) return a === b;
  return a.reason === b.reason && a.message === b.message && a.endpoint === b.endpoint;
}
