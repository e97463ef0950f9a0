import { capabilitiesOf } from '../engine/capabilities/capabilities.ts';
import { EngineError, isConnectionFailure } from '../engine/errors.ts';
import { listImages } from '../engine/images/images.ts';
import type { EngineInfo, Image } from '../engine/model.ts';
import { backOff } from './backOff.ts';
import type { Phase, UnlistedImages } from './phase.ts';
import { ALL, Refresher } from './refresher.ts';
import type { InventorySessionOptions } from './staleContainers.ts';

/**
 * For this many milliseconds after the first lists, an image event may be about a change between the two lists: the
 * containers then have the old tag, the images the new one, and comparing the images shows no difference.
 */
const NAMES_UNSURE = 5000;
/** If events may be missing, a list older than this many milliseconds is requested again. */
const LONGEST_AGE = 300_000;

/** Keeps the images of a session up to date. Their failures do not affect the containers. */
export class StaleImages {
  readonly #options: StaleImagesOptions;
  readonly #refresher: Refresher;
  #state: UnlistedImages | undefined = 'awaited';
  #failures = 0;
  #listedAt = Infinity;
  #namesSureAt = Infinity;
  #areNamesUnsure = false;
  readonly #answered = Promise.withResolvers<undefined>();
  /** Resolves once the images were listed or the engine refused. */
  readonly answered: Promise<unknown> = this.#answered.promise;

  constructor(parts: StaleImagesOptions) {
    this.#options = parts;
    this.#refresher = new Refresher(parts.clock, (_, signal) => this.#refresh(signal));
  }

  /** Why the images are not known; undefined if they are. */
  get state(): UnlistedImages | undefined {
    return this.#state;
  }

  /** When the images were last listed; Infinity before that. */
  get listedAt(): number {
    return this.#listedAt;
  }

  /** Accepts the images in the inventory, listed at `listedAt`, as up to date. */
  resume(listedAt: number): void {
    this.#state = undefined;
    this.#listedAt = listedAt;
    this.#namesSureAt = this.#options.clock.now() + NAMES_UNSURE;
    this.#answered.resolve(undefined);
  }

  /** Whether a request is in flight or pending. */
  get isBusy(): boolean {
    return this.#refresher.isBusy;
  }

  /** Requests the images now. */
  renew(): void {
    this.#refresher.renew();
  }

  /** Requests the images now, or after the pause that follows a refusal. */
  recheck(): void {
    this.#refresher.mark(ALL, 0);
  }

  /**
   * Requests the images if the list is old and the engine's events do not report all changes, because the user is back.
   */
  refocus(info: EngineInfo): void {
    if (capabilitiesOf(info).tellsUntaggedBuilds) return;
    if (this.#options.clock.now() - this.#listedAt >= LONGEST_AGE) this.#refresher.mark(ALL, 0);
  }

  /** Handles an image event. */
  handle(): void {
    this.#areNamesUnsure ||= this.#options.clock.now() < this.#namesSureAt;
    this.#refresher.mark(ALL);
  }

  /** Keeps the images up to date until it is aborted or the engine is gone; rejects with the reason. */
  run(signal: AbortSignal): Promise<never> {
    return this.#refresher.run(signal);
  }

  async #refresh(signal: AbortSignal): Promise<number | undefined> {
    const areNamesUnsure = this.#areNamesUnsure;
    this.#areNamesUnsure = false;
    try {
      const images = await listImages(this.#options.connection, { isPatient: true }, signal);
      signal.throwIfAborted();
      this.#apply(images);
      if (areNamesUnsure) this.#options.onNamesUnsure();
      return undefined;
    } catch (error) {
      const isTheirs = error instanceof EngineError && !isConnectionFailure(error);
      if (signal.aborted || !isTheirs) throw error;
      this.#areNamesUnsure ||= areNamesUnsure;
      return this.#fail(error);
    }
  }

  /**
   * The first list of a session is as new as that of the containers; a later list may have tags that the
   * containers do not have yet.
   */
  #apply(images: readonly Image[]): void {
    const { inventory, clock, phase, onRetagged } = this.#options;
    const isFirst = this.#state === 'awaited';
    const retagged = isFirst ? [] : retaggedImages(inventory.images, images);
    this.#state = undefined;
    this.#failures = 0;
    this.#listedAt = clock.now();
    if (this.#namesSureAt === Infinity) this.#namesSureAt = this.#listedAt + NAMES_UNSURE;
    inventory.replaceImages(images, phase());
    this.#answered.resolve(undefined);
    onRetagged(retagged);
  }

  #fail(error: EngineError): number {
    const { inventory, phase, random } = this.#options;
    this.#state = error;
    inventory.setPhase(phase());
    this.#answered.resolve(undefined);
    return backOff(this.#failures++, 'far', 0, random());
  }
}

interface StaleImagesOptions extends InventorySessionOptions {
  readonly random: () => number;
  /** Returns the phase of the session, once the state of the images is known. */
  readonly phase: () => Phase;
  /** Called with the IDs of images whose tags changed. */
  readonly onRetagged: (ids: readonly string[]) => void;
  /** Called if any image may have another tag than the containers know. */
  readonly onNamesUnsure: () => void;
}

/** Returns the IDs of the images whose tags changed. */
function retaggedImages(
  before: ReadonlyMap<string, Image>,
  next: readonly Image[],
): readonly string[] {
  const tagsOf = (image: Image): string => image.tags.join(' ');
  const after = new Map(next.map((image) => [image.id, tagsOf(image)]));
  const known = [...before.values()].filter((image) => after.get(image.id) !== tagsOf(image));
  const added = next.filter((image) => !before.has(image.id));
  return [...known, ...added].map((image) => image.id);
}
