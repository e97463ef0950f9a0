import type { Connection } from '../engine/http/connection.ts';
import { EngineError } from '../engine/errors.ts';
import type { EngineEvent, EngineInfo } from '../engine/model.ts';
import { engineTime, followEvents } from '../engine/system/system.ts';
import { Alarm } from './alarm.ts';
import type { Clock } from '../time.ts';
import { isImagesStale } from './eventHints.ts';
import type { Inventory, Phase } from './inventory.ts';
import { StaleContainers, type InventorySessionOptions } from './staleContainers.ts';
import { StaleImages } from './staleImages.ts';

/**
 * So many seconds before it begins a session hears of, too: what the one before it heard last may not have been in
 * any list yet when the connection broke, and no event follows that would tell.
 */
const REPLAY_SECONDS = 5;
/** So long an engine may take to open its event stream, in milliseconds. */
const OPEN_LIMIT_MS = 30_000;
/**
 * So long an engine may take to say that it is there when a call has just found nobody, in milliseconds; and so many
 * times as long as it took the last time, where it is far away.
 */
const ANSWER_LIMIT_MS = 1500;
const ANSWER_LIMIT_FACTOR = 10;
/** In milliseconds: a stream in which nothing was told for so long is silent. */
const SILENT_MS = 5000;
/** In milliseconds: of a shorter break the engine still has all events. */
const SHORT_BREAK_MS = 1000;

/** So long the first list of the images may take before it goes on without them, in milliseconds. */
const IMAGES_PATIENCE_MS = 5000;

/** One connection's life with the inventory: subscribe, list, replay what came meanwhile, follow. */
export class InventorySession {
  readonly #connection: Connection;
  readonly #inventory: Inventory;
  readonly #clock: Clock;
  readonly #containers: StaleContainers;
  readonly #images: StaleImages;
  readonly #doubt: Alarm;
  readonly #imagesTimer: Alarm;
  #isWaitingForImages = true;
  #areContainersListed = false;
  #info: EngineInfo | undefined;
  /** When the containers were true for the first time, and when the last event came. */
  #liveSince = Infinity;
  #heardAt = -Infinity;
  /** Whether the other side ended the stream of events. */
  #hasEnded = false;
  /** Until then an event may be of the break that this session has skipped. */
  #gapUntil = -Infinity;

  constructor(parts: InventorySessionOptions & { readonly random: () => number }) {
    const { connection, inventory, clock } = parts;
    this.#connection = connection;
    this.#inventory = inventory;
    this.#clock = clock;
    this.#containers = new StaleContainers(parts);
    this.#images = new StaleImages({
      ...parts,
      phase: () => this.#phase(),
      onRenamed: (ids) => {
        this.#containers.rename(ids);
      },
      onNamesUnsure: () => {
        this.#containers.renameAll();
      },
    });
    this.#doubt = new Alarm(clock);
    this.#imagesTimer = new Alarm(clock);
  }

  /** Asks for everything at once. */
  renew(): void {
    this.#containers.renew();
    this.#images.renew();
  }

  /** The user is back: asks for what no event of this engine tells. */
  refocus(): void {
    if (this.#info) this.#images.refocus(this.#info);
  }

  /** Asks for a container whose state may have changed without an event. */
  recheck(id: string): void {
    this.#containers.recheck(id);
  }

  /** A call has found nobody: asks whether the engine is there, and then for everything. Else the session ends. */
  verify(): void {
    this.#doubt.wake();
  }

  /** For how many milliseconds it has been live. */
  get liveFor(): number {
    return this.#clock.now() - this.#liveSince;
  }

  /**
   * The break that begins now, if nothing was told for a while and nothing is on its way into the inventory. A stream
   * that broke without an end may have been dead for long: what it should have told is not known.
   */
  breakIfSilent(): SessionBreak | undefined {
    if (!this.#hasEnded) return undefined;
    const now = this.#clock.now();
    const isSilent = now - Math.max(this.#heardAt, this.#liveSince) >= SILENT_MS;
    if (!isSilent || this.#containers.isBusy || this.#images.isBusy) return undefined;
    return { at: now, imagesListedAt: this.#images.listedAt };
  }

  /**
   * Runs until it is aborted, the stream ends or a request fails; rejects with the reason.
   *
   * @param before the break of a silent session before this one: if that is only a moment ago, nothing has to be
   *   listed, because the events of the break are replayed.
   */
  async run(signal: AbortSignal, onLive: () => void, before?: SessionBreak): Promise<never> {
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
        this.#keepTrue(info, onLive, ours, before),
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
    this.#hasEnded = true;
    const endpoint = this.#connection.endpoint.url;
    throw new EngineError('cut', { endpoint, operation: 'GET /events' });
  }

  /** One doubt at a time; those that come meanwhile are settled with it. */
  async #settleDoubts(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.#doubt.sleep(Infinity, signal);
      const limit = Math.max(ANSWER_LIMIT_MS, ANSWER_LIMIT_FACTOR * this.#connection.lastPingMs);
      const answer = this.#connection.renew(signal);
      await this.#within(limit, 'GET /_ping', answer, signal);
      this.#relist();
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
    this.#heardAt = this.#clock.now();
    // The engine may have forgotten what came before this one.
    if (this.#heardAt < this.#gapUntil) this.#relist();
    if (isImagesStale(event)) this.#images.hear();
    this.#containers.hear(event);
  }

  /** Not what is known to be refused: the doubt may be about that very list. */
  #relist(): void {
    this.#containers.renew();
    this.#images.recheck();
  }

  async #keepTrue(
    info: EngineInfo,
    onLive: () => void,
    signal: AbortSignal,
    before: SessionBreak | undefined,
  ): Promise<never> {
    this.#info = info;
    const now = this.#clock.now();
    const isTrue = before !== undefined && now - before.at < SHORT_BREAK_MS;
    if (isTrue) this.#goOn(before, now);
    else this.#images.renew();
    const listed = isTrue ? Promise.resolve() : this.#containers.listAll(signal);
    const [ended] = await Promise.all([
      this.#images.run(signal),
      this.#keepContainersTrue(listed, onLive, signal),
    ]);
    return ended;
  }

  #goOn({ imagesListedAt }: SessionBreak, now: number): void {
    this.#gapUntil = now + SHORT_BREAK_MS;
    this.#containers.goOn();
    this.#images.goOn(imagesListedAt);
  }

  /** Where images are many, an engine takes long to list these: containers do not wait for them. */
  async #keepContainersTrue(
    listed: Promise<void>,
    onLive: () => void,
    signal: AbortSignal,
  ): Promise<never> {
    await listed;
    this.#areContainersListed = true;
    this.#liveSince = this.#clock.now();
    this.#inventory.setPhase(this.#phase());
    onLive();
    const [ended] = await Promise.all([this.#containers.run(signal), this.#waitForImages(signal)]);
    return ended;
  }

  async #waitForImages(signal: AbortSignal): Promise<void> {
    void this.#images.answered.then(() => {
      this.#imagesTimer.wake();
    });
    await this.#imagesTimer.sleep(IMAGES_PATIENCE_MS, signal);
    this.#isWaitingForImages = false;
    this.#inventory.setPhase(this.#phase());
  }

  /** Live with both lists, or with a reason for having one alone. */
  #phase(): Phase {
    const images = this.#images.state;
    const isEnough =
      this.#areContainersListed && (images !== 'awaited' || !this.#isWaitingForImages);
    if (!isEnough || !this.#info) return this.#inventory.phase;
    return { kind: 'live', info: this.#info, ...(images && { images }) };
  }
}

/** When a session was cut that had nothing left to do, and of when it had the images. */
export interface SessionBreak {
  readonly at: number;
  readonly imagesListedAt: number;
}
