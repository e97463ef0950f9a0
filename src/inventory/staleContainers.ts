import type { Connection } from '../engine/http/connection.ts';
import { listContainers } from '../engine/containers/containers.ts';
import { isPassing, type Container, type EngineEvent } from '../engine/model.ts';
import type { Clock } from '../time.ts';
import { isAboutState, isTooEarly, staleContainer } from './eventHints.ts';
import type { Inventory } from './inventory.ts';
import { ALL, Refresher } from './refresher.ts';

/** For more ids than this the whole list costs no more, and its request line stays short. */
const MOST_IDS = 100;
/**
 * A pause waits this many milliseconds: the one a commit makes is mostly over then, and its row never
 * flickers.
 */
const PAUSE_GRACE = 75;
/**
 * A death waits this many milliseconds: Docker tells of it some 45 to 80 before its list knows, and a list that
 * comes too early has to be asked for again.
 */
const DEATH_GRACE = 85;
/** How long an event may wait for what usually follows it. */
const GRACES: ReadonlyMap<string, number> = new Map([
  ['pause', PAUSE_GRACE],
  ['die', DEATH_GRACE],
]);
/**
 * How soon a list that came too early is asked for again, doubling up to the longest, and how often at most:
 * where many containers end at once an engine was seen to take four seconds to save the last one's state, and
 * no event follows that would tell.
 */
const AGAIN_AFTER = 25;
const AGAIN_AT_LATEST = 1000;
const MOST_TRIES = 36;
/** How soon a container in a passing state is asked for again, doubling up to the longest. */
const PASSING_AFTER = 1000;
const PASSING_AT_LATEST = 15_000;
/** Of no more containers is remembered what their events said. */
const MOST_REMEMBERED = 10_000;

/** What an event said that the list has not confirmed yet. */
interface Expectation {
  readonly action: string;
  readonly tries: number;
}

/** The containers of a session that may have changed: asks for just those. */
export class StaleContainers {
  readonly #options: InventorySessionOptions;
  readonly #refresher: Refresher;
  readonly #expected = new Map<string, Expectation>();
  /** Whether some of them were too many to remember. */
  #hasForgotten = false;
  /** How often each container in a passing state was found in it. */
  readonly #passing = new Map<string, number>();
  /** What events said of each container's health: not every engine's list does. */
  readonly #health = new Map<string, string>();
  /** How often images were found to have other names. */
  #renamings = 0;

  constructor(parts: InventorySessionOptions) {
    this.#options = parts;
    this.#refresher = new Refresher(parts.clock, async (ids, signal) => {
      await this.#refresh(ids, signal);
      return undefined;
    });
  }

  /** Whether any is being asked for, or will be. */
  get isBusy(): boolean {
    return this.#refresher.isBusy;
  }

  /** Asks for all of them at once. */
  renew(): void {
    this.#refresher.renew();
  }

  /** Asks for all of them in a moment: their images may have other names. */
  renameAll(): void {
    this.#refresher.mark(ALL);
  }

  /** Asks for one whose state may have changed without an event. */
  recheck(id: string): void {
    this.#passing.delete(id);
    this.#refresher.mark(id);
  }

  hear(event: EngineEvent): void {
    const id = staleContainer(event);
    if (id === undefined || this.#isKnownHealth(id, event)) return;
    if (isAboutState(event.action)) this.#expect(id, event.action);
    this.#refresher.mark(id, GRACES.get(event.action));
  }

  /** These images have other names: a container's list names its image by the tag as long as that leads to it. */
  rename(imageIds: readonly string[]): void {
    if (imageIds.length > 0) this.#renamings++;
    for (const id of imageIds) {
      for (const user of this.#options.inventory.containersOf(id)) this.#refresher.mark(user);
    }
  }

  /** They are what the inventory has, but for what passes without an event. */
  goOn(): void {
    for (const container of this.#options.inventory.containers.values()) {
      if (isPassing(container)) this.#refresher.mark(container.id);
    }
  }

  /** Lists all of them, and hands over what it found. */
  async listAll(signal: AbortSignal): Promise<void> {
    const found = await this.#list(undefined, signal);
    this.#options.inventory.replaceContainers('all', found, this.#options.clock.now());
    this.#askWhilePassing('all', found);
  }

  /** Keeps them true until it is aborted or a list fails, and rejects with the reason. */
  run(signal: AbortSignal): Promise<never> {
    return this.#refresher.run(signal);
  }

  #expect(id: string, action: string): void {
    this.#health.delete(id);
    if (this.#expected.size >= MOST_REMEMBERED) {
      this.#expected.clear();
      this.#hasForgotten = true;
    }
    this.#expected.set(id, { action, tries: 0 });
  }

  /** Podman tells of each probe, whatever it finds: what is known, or is about to be, needs no list. */
  #isKnownHealth(id: string, { health }: EngineEvent): boolean {
    if (health === undefined || this.#refresher.isStale(id)) return false;
    const known = this.#options.inventory.containers.get(id)?.health ?? this.#health.get(id);
    if (known === health) return true;
    if (this.#health.size >= MOST_REMEMBERED) this.#health.clear();
    this.#health.set(id, health);
    return false;
  }

  async #refresh(stale: readonly string[], signal: AbortSignal): Promise<void> {
    const ids = stale.includes(ALL) || stale.length > MOST_IDS ? undefined : stale;
    const expected = this.#takeExpected(stale);
    const renamings = this.#renamings;
    const found = await this.#list(ids, signal);
    const { inventory, clock } = this.#options;
    inventory.replaceContainers(ids ?? 'all', found, clock.now());
    this.#askAgain(expected, found);
    this.#askWhilePassing(ids ?? 'all', found);
    // The list may have been too early for any of them.
    if (ids === undefined && this.#hasForgotten) this.#refresher.mark(ALL, AGAIN_AT_LATEST);
    if (ids === undefined) this.#hasForgotten = false;
    // These may still have the names of before.
    if (renamings !== this.#renamings) for (const id of stale) this.#refresher.mark(id);
  }

  async #list(
    ids: readonly string[] | undefined,
    signal: AbortSignal,
  ): Promise<readonly Container[]> {
    const options = { all: true, isPatient: true, ...(ids === undefined ? {} : { ids }) };
    const found = await listContainers(this.#options.connection, options, signal);
    signal.throwIfAborted();
    return found;
  }

  /** With a list of all go those that were too many to be asked for one by one. */
  #takeExpected(stale: readonly string[]): ReadonlyMap<string, Expectation> {
    const taken = new Map<string, Expectation>();
    const unmarked = stale.includes(ALL)
      ? [...this.#expected.keys()].filter((id) => !this.#refresher.isMarked(id))
      : stale;
    for (const id of unmarked) {
      const expectation = this.#expected.get(id);
      if (expectation) taken.set(id, expectation);
      this.#expected.delete(id);
    }
    return taken;
  }

  #askAgain(expected: ReadonlyMap<string, Expectation>, found: readonly Container[]): void {
    const states = new Map(found.map((container) => [container.id, container.state]));
    for (const [id, { action, tries }] of expected) {
      const isOutdated = this.#expected.has(id) || tries >= MOST_TRIES;
      if (isOutdated || !isTooEarly(action, states.get(id))) continue;
      this.#expected.set(id, { action, tries: tries + 1 });
      this.#refresher.mark(id, Math.min(AGAIN_AFTER * 2 ** tries, AGAIN_AT_LATEST));
    }
  }

  #askWhilePassing(asked: 'all' | readonly string[], found: readonly Container[]): void {
    const passing = new Set(found.filter(isPassing).map(({ id }) => id));
    for (const id of asked === 'all' ? this.#passing.keys() : asked) {
      if (!passing.has(id)) this.#passing.delete(id);
    }
    for (const id of passing) {
      const tries = this.#passing.get(id) ?? 0;
      this.#passing.set(id, tries + 1);
      this.#refresher.mark(id, Math.min(PASSING_AFTER * 2 ** tries, PASSING_AT_LATEST));
    }
  }
}

/** What a session keeps true, and how it asks. */
export interface InventorySessionOptions {
  readonly connection: Connection;
  readonly inventory: Inventory;
  readonly clock: Clock;
}
