import { capabilitiesOf } from '../engine/capabilities/capabilities.ts';
import type { Connection } from '../engine/http/connection.ts';
import { listContainers } from '../engine/containers/containers.ts';
import { withPods } from '../engine/containers/listContainersInPods.ts';
import { isPassing, type Container, type EngineEvent, type EngineInfo } from '../engine/model.ts';
import type { Clock } from '../base/time.ts';
import { isAboutState, isTooEarly, staleContainer } from './eventHints.ts';
import type { Inventory } from './inventory.ts';
import { ALL, Refresher } from './refresher.ts';

/** For more IDs the complete list costs no more, and this keeps the request line short. */
const MOST_IDS = 100;
/**
 * Delay after a `pause` event in milliseconds. The pause of a commit is usually over by then, so its row does
 * not flicker.
 */
const PAUSE_GRACE = 75;
/**
 * Delay after a `die` event in milliseconds, for an engine that sends it about 45 to 80 ms before its list shows the
 * exit: a list that is too early must be requested again.
 */
const DEATH_GRACE = 85;
/** Delay after a network was connected or disconnected, in milliseconds. */
const CONNECTION_GRACE = 100;
/** Time to wait for the event that usually follows, in milliseconds. */
const GRACES: ReadonlyMap<string, number> = new Map([
  ['pause', PAUSE_GRACE],
  ['die', DEATH_GRACE],
  // Comes before the `start` or after the `die` of a container, which is requested then.
  ['connect', CONNECTION_GRACE],
  ['disconnect', CONNECTION_GRACE],
]);
/**
 * First and longest delay, in milliseconds, before a list that was too early is requested again, doubling
 * each time, and the maximum number of tries. When many containers exit together, an engine was seen to take
 * four seconds to save the last one's state, and no event follows.
 */
const AGAIN_AFTER = 25;
const AGAIN_AT_LATEST = 1000;
const MOST_TRIES = 36;
/**
 * First and longest delay, in milliseconds, before a container in a transitional state is requested again,
 * doubling each time.
 */
const PASSING_AFTER = 1000;
const PASSING_AT_LATEST = 15_000;
/** Limit of the containers whose events are remembered. */
const MOST_REMEMBERED = 10_000;

/** The last event of a container that the list does not confirm yet. */
interface Expectation {
  readonly action: string;
  readonly tries: number;
}

/** Keeps the containers of a session up to date: requests only those that may have changed. */
export class StaleContainers {
  readonly #options: InventorySessionOptions;
  readonly #refresher: Refresher;
  readonly #expected = new Map<string, Expectation>();
  /** Whether expectations were dropped because there were too many. */
  #hasForgotten = false;
  /** Number of times that each container was found in its transitional state. */
  readonly #passing = new Map<string, number>();
  /** The last health event of each container, because not every engine's list has the health. */
  readonly #health = new Map<string, string>();
  /** Number of times that image tags were found to have changed. */
  #tagChanges = 0;

  constructor(parts: InventorySessionOptions) {
    this.#options = parts;
    this.#refresher = new Refresher(parts.clock, async (ids, signal) => {
      await this.#refresh(ids, signal);
      return undefined;
    });
  }

  /** Whether a request is in flight or pending. */
  get isBusy(): boolean {
    return this.#refresher.isBusy;
  }

  /** Requests all containers now. */
  renew(): void {
    this.#refresher.renew();
  }

  /** Requests all containers soon, because the tags of their images may have changed. */
  relistAll(): void {
    this.#refresher.mark(ALL);
  }

  /** Requests a container whose state may have changed without an event. */
  recheck(id: string): void {
    this.#passing.delete(id);
    this.#refresher.mark(id);
  }

  handle(event: EngineEvent, info: EngineInfo): void {
    const id = staleContainer(event);
    if (id === undefined || this.#isKnownHealth(id, event)) return;
    if (isAboutState(event.action)) this.#expect(id, event.action);
    this.#refresher.mark(id, graceAfter(event, info));
  }

  /**
   * Requests the containers of images whose tags changed: the list names a container's image by tag while the
   * tag points to it.
   */
  relistUsers(imageIds: readonly string[]): void {
    if (imageIds.length > 0) this.#tagChanges++;
    for (const id of imageIds) {
      for (const user of this.#options.inventory.containersOf(id)) this.#refresher.mark(user);
    }
  }

  /**
   * Accepts the containers in the inventory as up to date, except those in transitional states that end
   * without an event.
   */
  resume(): void {
    for (const container of this.#options.inventory.containers.values())
      if (isPassing(container)) this.#refresher.mark(container.id);
  }

  async listAll(signal: AbortSignal): Promise<void> {
    const found = await this.#list(undefined, signal);
    this.#options.inventory.replaceContainers('all', found, this.#options.clock.now());
    this.#askWhilePassing('all', found);
  }

  /** Keeps the containers up to date until it is aborted or a list fails; rejects with the reason. */
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

  /**
   * Whether a health event is already known or about to be listed. Podman sends an event for each health
   * check, whatever its result.
   */
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
    const expected = this.#consumeExpected(stale);
    const tagChanges = this.#tagChanges;
    const found = await this.#list(ids, signal);
    const { inventory, clock } = this.#options;
    inventory.replaceContainers(ids ?? 'all', found, clock.now());
    this.#askAgain(expected, found);
    this.#askWhilePassing(ids ?? 'all', found);
    // For any of the dropped expectations, the list may have been too early.
    if (ids === undefined && this.#hasForgotten) this.#refresher.mark(ALL, AGAIN_AT_LATEST);
    if (ids === undefined) this.#hasForgotten = false;
    // The list may still have the old tags.
    if (tagChanges !== this.#tagChanges) for (const id of stale) this.#refresher.mark(id);
  }

  async #list(
    ids: readonly string[] | undefined,
    signal: AbortSignal,
  ): Promise<readonly Container[]> {
    const options = { all: true, isPatient: true, ids };
    const { connection, inventory } = this.#options;
    const found = await listContainers(connection, options, signal);
    const complete = await withPods(
      connection,
      found,
      inventory.containers,
      signal,
      ids === undefined,
    );
    signal.throwIfAborted();
    return complete;
  }

  /**
   * Returns the expectations that this request can confirm. A request for all also confirms the keys that
   * were too many to mark one by one.
   */
  #consumeExpected(stale: readonly string[]): ReadonlyMap<string, Expectation> {
    const confirmed = new Map<string, Expectation>();
    const unmarked = stale.includes(ALL)
      ? [...this.#expected.keys()].filter((id) => !this.#refresher.isMarked(id))
      : stale;
    for (const id of unmarked) {
      const expectation = this.#expected.get(id);
      if (expectation) confirmed.set(id, expectation);
      this.#expected.delete(id);
    }
    return confirmed;
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
    for (const id of asked === 'all' ? this.#passing.keys() : asked)
      if (!passing.has(id)) this.#passing.delete(id);
    for (const id of passing) {
      const tries = this.#passing.get(id) ?? 0;
      this.#passing.set(id, tries + 1);
      this.#refresher.mark(id, Math.min(PASSING_AFTER * 2 ** tries, PASSING_AT_LATEST));
    }
  }
}

/** Returns how long to wait for the event that usually follows, in milliseconds; undefined for the usual delay. */
function graceAfter({ action }: EngineEvent, info: EngineInfo): number | undefined {
  if (action === 'die' && capabilitiesOf(info).savesExitFirst) return undefined;
  return GRACES.get(action);
}

export interface InventorySessionOptions {
  readonly connection: Connection;
  readonly inventory: Inventory;
  readonly clock: Clock;
}
