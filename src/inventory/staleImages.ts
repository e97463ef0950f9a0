import { capabilitiesOf } from '../engine/capabilities.ts';
import { EngineError, isConnectionFailure } from '../engine/errors.ts';
import { listImages } from '../engine/images/images.ts';
import type { EngineInfo, Image } from '../engine/model.ts';
import { backOff } from './backOff.ts';
import type { Phase, UnlistedImages } from './inventory.ts';
import { ALL, Refresher } from './refresher.ts';
import type { InventorySessionOptions } from './staleContainers.ts';

/**
 * So many milliseconds after the first lists an event of an image may tell of what happened between them: the
 * containers name it as it was, the images know it already, and nothing shows the difference.
 */
const NAMES_UNSURE = 5000;
/** A list is no older than this, in milliseconds, where events may be missing. */
const LONGEST_AGE = 300_000;

/** The images of a session: lists them when any may have changed. What fails here is the matter of images alone. */
export class StaleImages {
  readonly #options: StaleImagesOptions;
  readonly #refresher: Refresher;
  #state: UnlistedImages | undefined = 'awaited';
  #failures = 0;
  #listedAt = Infinity;
  #namesSureAt = Infinity;
  #areNamesUnsure = false;
  readonly #answered = Promise.withResolvers<undefined>();

  constructor(parts: StaleImagesOptions) {
    this.#options = parts;
    this.#refresher = new Refresher(parts.clock, (_, signal) => this.#refresh(signal));
  }

  /** Why they are not known; undefined if they are. */
  get state(): UnlistedImages | undefined {
    return this.#state;
  }

  /** Resolves once they were listed or refused. */
  get answered(): Promise<unknown> {
    return this.#answered.promise;
  }

  /** When they were listed last; Infinity before. */
  get listedAt(): number {
    return this.#listedAt;
  }

  /** They are what the inventory has, from a list of then. */
  goOn(listedAt: number): void {
    this.#state = undefined;
    this.#listedAt = listedAt;
    this.#namesSureAt = this.#options.clock.now() + NAMES_UNSURE;
    this.#answered.resolve(undefined);
  }

  /** Whether they are being asked for, or will be. */
  get isBusy(): boolean {
    return this.#refresher.isBusy;
  }

  /** Asks for them at once. */
  renew(): void {
    this.#refresher.renew();
  }

  /** Asks for them as soon as they are not known to be refused. */
  recheck(): void {
    this.#refresher.mark(ALL, 0);
  }

  /** The user is back: asks for them if the list is old, and events do not tell all. */
  refocus(info: EngineInfo): void {
    if (capabilitiesOf(info).tellsUntaggedBuilds) return;
    if (this.#options.clock.now() - this.#listedAt >= LONGEST_AGE) this.#refresher.mark(ALL, 0);
  }

  /** An event told of one. */
  hear(): void {
    this.#areNamesUnsure ||= this.#options.clock.now() < this.#namesSureAt;
    this.#refresher.mark(ALL);
  }

  /** Lists them, and keeps them true until it is aborted or the engine is gone; rejects with the reason. */
  run(signal: AbortSignal): Promise<never> {
    return this.#refresher.run(signal);
  }

  async #refresh(signal: AbortSignal): Promise<number | undefined> {
    const areNamesUnsure = this.#areNamesUnsure;
    this.#areNamesUnsure = false;
    try {
      const images = await listImages(this.#options.connection, { isPatient: true }, signal);
      signal.throwIfAborted();
      this.#take(images);
      if (areNamesUnsure) this.#options.onNamesUnsure();
      return undefined;
    } catch (error) {
      const isTheirs = error instanceof EngineError && !isConnectionFailure(error);
      if (signal.aborted || !isTheirs) throw error;
      this.#areNamesUnsure ||= areNamesUnsure;
      return this.#fail(error);
    }
  }

  /** The first list of a session is as new as that of the containers; any other may have names that they have not. */
  #take(images: readonly Image[]): void {
    const { inventory, clock, phase, onRenamed } = this.#options;
    const isFirst = this.#state === 'awaited';
    const renamed = isFirst ? [] : renamedImages(inventory.images, images);
    this.#state = undefined;
    this.#failures = 0;
    this.#listedAt = clock.now();
    if (this.#namesSureAt === Infinity) this.#namesSureAt = this.#listedAt + NAMES_UNSURE;
    inventory.replaceImages(images, phase());
    this.#answered.resolve(undefined);
    onRenamed(renamed);
  }

  #fail(error: EngineError): number {
    const { inventory, phase, random } = this.#options;
    this.#state = error;
    inventory.setPhase(phase());
    this.#answered.resolve(undefined);
    return backOff(this.#failures++, 'far', 0, random());
  }
}

/** What the images of a session stand on, and whom they tell. */
export interface StaleImagesOptions extends InventorySessionOptions {
  readonly random: () => number;
  /** How we stand with the engine, once it is known how we stand with the images. */
  readonly phase: () => Phase;
  /** These have other names now. */
  readonly onRenamed: (ids: readonly string[]) => void;
  /** Any of them may have another name than the containers know. */
  readonly onNamesUnsure: () => void;
}

/** The images whose tags are not what they were. */
function renamedImages(
  before: ReadonlyMap<string, Image>,
  next: readonly Image[],
): readonly string[] {
  const tagsOf = (image: Image): string => image.tags.join(' ');
  const after = new Map(next.map((image) => [image.id, tagsOf(image)]));
  const known = [...before.values()].filter((image) => after.get(image.id) !== tagsOf(image));
  const added = next.filter((image) => !before.has(image.id));
  return [...known, ...added].map((image) => image.id);
}
