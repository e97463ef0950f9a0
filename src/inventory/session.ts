import type { Connection } from '../engine/connection.ts';
import { listContainers } from '../engine/containers.ts';
import { EngineError } from '../engine/errors.ts';
import { listImages } from '../engine/images.ts';
import type { Container, EngineEvent, EngineInfo, Image } from '../engine/model.ts';
import { engineTime, followEvents } from '../engine/system.ts';
import { Alarm, type Clock } from './clock.ts';
import { isAboutState, isImagesStale, isTooEarly, staleContainer } from './eventHints.ts';
import type { Inventory } from './inventory.ts';
import { Refresher } from './refresher.ts';

/** Stands for all of them where a key is asked for. */
const ALL = '';
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
/**
 * So many milliseconds after the first lists an event of an image may tell of what happened between them: the
 * containers name it as it was, the images know it already, and nothing shows the difference.
 */
const NAMES_UNSURE = 5000;
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

/**
 * So many seconds before it begins a session hears of, too: what the one before it heard last may not have been in
 * any list yet when the connection broke, and no event follows that would tell.
 */
const REPLAY_SECONDS = 5;
/** So long an engine may take to open its event stream, in milliseconds. */
const OPEN_LIMIT_MS = 30_000;
/** So long an engine may take to say that it is there when a call has just found nobody, in milliseconds. */
const ANSWER_LIMIT_MS = 1500;

/** What an event said that the list has not confirmed yet. */
interface Expectation {
  readonly action: string;
  readonly tries: number;
}

/** One connection's life with the inventory: subscribe, list, replay what came meanwhile, follow. */
export class Session {
  readonly #connection: Connection;
  readonly #inventory: Inventory;
  readonly #clock: Clock;
  readonly #containers: Refresher;
  readonly #images: Refresher;
  readonly #expected = new Map<string, Expectation>();
  readonly #doubt: Alarm;
  /** How often an image was found to have other tags. */
  #renamings = 0;
  /** Not before the first lists are there. */
  #namesSureAt = Infinity;
  #areNamesUnsure = false;

  constructor(connection: Connection, inventory: Inventory, clock: Clock) {
    this.#connection = connection;
    this.#inventory = inventory;
    this.#clock = clock;
    this.#containers = new Refresher(clock, (ids, signal) => this.#refreshContainers(ids, signal));
    this.#images = new Refresher(clock, (_, signal) => this.#refreshImages(signal));
    this.#doubt = new Alarm(clock);
  }

  /** Asks for everything at once. */
  renew(): void {
    this.#containers.mark(ALL, 0);
    this.#images.mark(ALL, 0);
  }

  /** A call has found nobody: asks whether the engine is there, and then for everything. Else the session ends. */
  verify(): void {
    this.#doubt.wake();
  }

  /** Runs until it is aborted, the stream ends or a request fails; rejects with the reason. */
  async run(signal: AbortSignal, onLive: () => void): Promise<never> {
    // The stream and the requests end together, whichever of them was the first.
    const ending = new AbortController();
    const ours = AbortSignal.any([signal, ending.signal]);
    try {
      const info = await this.#connection.info(ours);
      // Engines answer before the subscription is in force. What happens between is in the replay.
      const now = await engineTime(this.#connection, ours);
      const replay = now === undefined ? {} : { since: String(Number(now) - REPLAY_SECONDS) };
      const opening = followEvents(this.#connection, replay, ours);
      const events = await this.#within(OPEN_LIMIT_MS, 'GET /events', opening, ours);
      const [ended] = await Promise.all([
        this.#drain(events),
        this.#keepTrue(info, onLive, ours),
        this.#settleDoubts(ours),
      ]);
      return ended;
    } finally {
      ending.abort();
    }
  }

  /** Only takes notes: an engine drops events for a reader that is not there at once. */
  async #drain(events: AsyncIterable<EngineEvent>): Promise<never> {
    for await (const event of events) this.#hear(event);
    const endpoint = this.#connection.endpoint.url;
    throw new EngineError('cut', { endpoint, operation: 'GET /events' });
  }

  /** One doubt at a time; those that come meanwhile are settled with it. */
  async #settleDoubts(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.#doubt.sleep(Infinity, signal);
      const answer = this.#connection.renew(signal);
      await this.#within(ANSWER_LIMIT_MS, 'GET /_ping', answer, signal);
      this.renew();
    }
  }

  /** @throws EngineError `timeout` after so many milliseconds; what was begun ends with the session then. */
  async #within<T>(
    limitMs: number,
    operation: string,
    work: Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const done = new AbortController();
    const limit = this.#clock.delay(limitMs, AbortSignal.any([signal, done.signal]));
    const endpoint = this.#connection.endpoint.url;
    const late = limit.then(() => {
      throw new EngineError('timeout', { endpoint, operation, limitSeconds: limitMs / 1000 });
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      done.abort();
    }
  }

  #hear(event: EngineEvent): void {
    if (isImagesStale(event)) this.#hearOfImages();
    const id = staleContainer(event);
    if (id === undefined) return;
    if (isAboutState(event.action)) this.#expected.set(id, { action: event.action, tries: 0 });
    this.#containers.mark(id, GRACES.get(event.action));
  }

  #hearOfImages(): void {
    this.#areNamesUnsure ||= this.#clock.now() < this.#namesSureAt;
    this.#images.mark(ALL);
  }

  async #keepTrue(info: EngineInfo, onLive: () => void, signal: AbortSignal): Promise<never> {
    const [, images] = await Promise.all([
      this.#takeContainers(signal),
      listImages(this.#connection, {}, signal),
    ]);
    signal.throwIfAborted();
    this.#inventory.replaceImages(images, { kind: 'live', info });
    this.#namesSureAt = this.#clock.now() + NAMES_UNSURE;
    onLive();
    const [ended] = await Promise.all([this.#containers.run(signal), this.#images.run(signal)]);
    return ended;
  }

  /** As soon as they are there: where images are many, an engine takes long to list these. */
  async #takeContainers(signal: AbortSignal): Promise<void> {
    const containers = await listContainers(this.#connection, { all: true }, signal);
    signal.throwIfAborted();
    this.#inventory.replaceContainers('all', containers, this.#clock.now());
  }

  async #refreshContainers(stale: readonly string[], signal: AbortSignal): Promise<void> {
    const isAll = stale.includes(ALL) || stale.length > MOST_IDS;
    const filter = isAll ? {} : { ids: stale };
    const expected = this.#takeExpected(stale);
    const renamings = this.#renamings;
    const found = await listContainers(this.#connection, { all: true, ...filter }, signal);
    signal.throwIfAborted();
    this.#inventory.replaceContainers(isAll ? 'all' : stale, found, this.#clock.now());
    this.#askAgain(expected, found);
    // These may still have the names of before.
    if (renamings !== this.#renamings) for (const id of stale) this.#containers.mark(id);
  }

  #takeExpected(stale: readonly string[]): ReadonlyMap<string, Expectation> {
    const taken = new Map<string, Expectation>();
    for (const id of stale) {
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
      this.#containers.mark(id, Math.min(AGAIN_AFTER * 2 ** tries, AGAIN_AT_LATEST));
    }
  }

  async #refreshImages(signal: AbortSignal): Promise<void> {
    const areNamesUnsure = this.#areNamesUnsure;
    this.#areNamesUnsure = false;
    const images = await listImages(this.#connection, {}, signal);
    signal.throwIfAborted();
    // A container's list names its image by the tag as long as that still leads to it.
    const renamed = renamedImages(this.#inventory.images, images);
    this.#inventory.replaceImages(images);
    if (renamed.length > 0) this.#renamings++;
    if (areNamesUnsure) this.#containers.mark(ALL);
    for (const id of renamed) {
      for (const user of this.#inventory.containersOf(id)) this.#containers.mark(user);
    }
  }
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
