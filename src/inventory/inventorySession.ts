import type { Connection } from '../engine/http/connection.ts';
import { EngineError } from '../engine/errors.ts';
import type { EngineEvent, EngineInfo } from '../engine/model.ts';
import { engineTime, followEvents } from '../engine/system/system.ts';
import { Alarm } from './alarm.ts';
import { settledWithin, type Clock } from '../base/time.ts';
import { isImagesStale, isListStale } from './eventHints.ts';
import type { Inventory } from './inventory.ts';
import type { InventoryRequest } from './inventoryRequests.ts';
import type { Phase } from './phase.ts';
import { StaleContainers, type InventorySessionOptions } from './staleContainers.ts';
import { StaleImages } from './staleImages.ts';

/**
 * Number of seconds of past events that a session requests. The last events of the previous session may not have
 * been in any list when the connection was lost, and no event follows for them.
 */
const REPLAY_SECONDS = 5;
/** Time limit for an engine to open its event stream, in milliseconds. */
const OPEN_LIMIT_MS = 30_000;
/**
 * Time limit for an engine to answer a ping after another request could not reach it: this many
 * milliseconds, or this multiple of the last ping's duration if that is longer, for remote engines.
 */
const ANSWER_LIMIT_MS = 1500;
const ANSWER_LIMIT_FACTOR = 10;
/** A stream without an event for this many milliseconds is silent. */
const SILENT_MS = 5000;
/** After a break of fewer milliseconds, the engine still has all its events. */
const SHORT_BREAK_MS = 1000;

/** Number of milliseconds that the session waits for the first image list before it goes live without images. */
const IMAGES_PATIENCE_MS = 5000;

/** Keeps the inventory up to date over one connection: subscribes to events, lists, replays events, follows. */
export class InventorySession {
  readonly #connection: Connection;
  readonly #inventory: Inventory;
  readonly #clock: Clock;
  readonly #containers: StaleContainers;
  readonly #images: StaleImages;
  readonly #random: () => number;
  readonly #doubt: Alarm;
  readonly #imagesTimer: Alarm;
  #isWaitingForImages = true;
  #areContainersListed = false;
  #info: EngineInfo | undefined;
  /** When the containers were first up to date, and when the last event arrived. */
  #liveSince = Infinity;
  #lastEventAt = -Infinity;
  /** Whether the engine ended the event stream. */
  #hasEnded = false;
  /** Until then, an event may come from the break that this session skipped. */
  #gapUntil = -Infinity;

  constructor(parts: InventorySessionOptions & { readonly random: () => number }) {
    const { connection, inventory, clock, random } = parts;
    this.#random = random;
    this.#connection = connection;
    this.#inventory = inventory;
    this.#clock = clock;
    this.#containers = new StaleContainers(parts);
    this.#images = new StaleImages({
      ...parts,
      phase: () => this.#phase(),
      onRetagged: (ids) => this.#containers.relistUsers(ids),
      onNamesUnsure: () => this.#containers.relistAll(),
    });
    this.#doubt = new Alarm(clock);
    this.#imagesTimer = new Alarm(clock);
  }

  /** Does what is requested besides the events. */
  serve(request: InventoryRequest): void {
    switch (request.kind) {
      case 'renew':
        this.#containers.renew();
        this.#images.renew();
        this.#inventory.volumes.renew();
        this.#inventory.networks.renew();
        return;
      case 'refocus':
        if (this.#info) this.#images.refocus(this.#info);
        return;
      case 'recheck':
        this.#containers.recheck(request.id);
        return;
      case 'verify':
        this.#doubt.wake();
    }
  }

  /** For how many milliseconds the session has been live. */
  get liveFor(): number {
    return this.#clock.now() - this.#liveSince;
  }

  /**
   * Returns the break that begins now if the stream was silent and no list is pending; else undefined. Also
   * undefined if the stream broke without an end: such a connection may have been dead for long, and its
   * missed events are unknown.
   */
  breakIfSilent(): SessionBreak | undefined {
    if (!this.#hasEnded) return undefined;
    const now = this.#clock.now();
    const isSilent = now - Math.max(this.#lastEventAt, this.#liveSince) >= SILENT_MS;
    if (!isSilent || this.#containers.isBusy || this.#images.isBusy) return undefined;
    return { at: now, imagesListedAt: this.#images.listedAt };
  }

  /**
   * Runs until it is aborted, the event stream ends or a request fails; rejects with the reason.
   *
   * @param onLive called when the containers are up to date.
   * @param before the break after a silent session. If it has only just begun, nothing is listed, because its
   * events are replayed.
   * @throws EngineError `cut` if the engine ends the event stream.
   */
  async run(signal: AbortSignal, onLive: () => void, before?: SessionBreak): Promise<never> {
    // The event stream and the requests end together, whichever fails first.
    const ending = new AbortController();
    const ours = AbortSignal.any([signal, ending.signal]);
    try {
      const info = await this.#connection.info(ours);
      // Engines respond before the subscription is in force. The replay has the events in between.
      const now = await engineTime(this.#connection, ours);
      const replay = now === undefined ? {} : { since: String(Number(now) - REPLAY_SECONDS) };
      const opening = followEvents(this.#connection, replay, ours);
      const events = await this.#within(OPEN_LIMIT_MS, 'GET /events', opening, ours);
      const [ended] = await Promise.all([
        this.#drain(events, info),
        this.#keepCurrent(info, onLive, ours, before),
        this.#settleDoubts(ours),
      ]);
      return ended;
    } finally {
      ending.abort();
    }
  }

  /** Only records what is stale, because an engine drops events for a slow reader. */
  async #drain(events: AsyncIterable<EngineEvent>, info: EngineInfo): Promise<never> {
    for await (const event of events) this.#handle(event, info);
    this.#hasEnded = true;
    const endpoint = this.#connection.endpoint.url;
    throw new EngineError('cut', { endpoint, operation: 'GET /events' });
  }

  /** Handles one doubt at a time; those that come in the meantime are settled by the same ping. */
  async #settleDoubts(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.#doubt.sleep(Infinity, signal);
      const limit = Math.max(ANSWER_LIMIT_MS, ANSWER_LIMIT_FACTOR * this.#connection.lastPingMs);
      const answer = this.#connection.renew(signal);
      await this.#within(limit, 'GET /_ping', answer, signal);
      this.#relist();
    }
  }

  /** @throws EngineError `timeout` after the limit. The pending work is then aborted with the session. */
  async #within<T extends object>(
    limitMs: number,
    operation: string,
    work: Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const result = await settledWithin(limitMs, work, { clock: this.#clock, signal });
    if (result) return result;
    const endpoint = this.#connection.endpoint.url;
    throw new EngineError('timeout', { endpoint, operation, limitSeconds: limitMs / 1000 });
  }

  #handle(event: EngineEvent, info: EngineInfo): void {
    this.#lastEventAt = this.#clock.now();
    // The engine may have dropped events before this one.
    if (this.#lastEventAt < this.#gapUntil) this.#relist();
    if (isImagesStale(event)) this.#images.handle();
    if (isListStale('volume', event)) this.#inventory.volumes.markStale();
    if (isListStale('network', event)) this.#inventory.networks.markStale();
    this.#containers.handle(event, info);
    if (event.type !== 'container') return;
    this.#inventory.recordEvent(event);
    // An exit code does not tell that a client stopped the container.
    if (event.action === 'stop') this.#inventory.recordStop(event.id);
    if (event.action === 'start') this.#inventory.recordStart(event.id);
  }

  /** Skips images that the engine is known to refuse: the doubt may come from that very request. */
  #relist(): void {
    this.#containers.renew();
    this.#images.recheck();
    this.#inventory.volumes.markStale();
    this.#inventory.networks.markStale();
  }

  async #keepCurrent(
    info: EngineInfo,
    onLive: () => void,
    signal: AbortSignal,
    before: SessionBreak | undefined,
  ): Promise<never> {
    this.#info = info;
    const now = this.#clock.now();
    const isResumed = before !== undefined && now - before.at < SHORT_BREAK_MS;
    if (isResumed) this.#resume(before, now);
    else {
      this.#images.renew();
      this.#inventory.volumes.markStale();
      this.#inventory.networks.markStale();
    }
    const listed = isResumed ? Promise.resolve() : this.#containers.listAll(signal);
    const [ended] = await Promise.all([
      this.#images.run(signal),
      this.#keepContainersTrue(listed, onLive, signal),
    ]);
    return ended;
  }

  #resume({ imagesListedAt }: SessionBreak, now: number): void {
    this.#gapUntil = now + SHORT_BREAK_MS;
    this.#containers.resume();
    this.#images.resume(imagesListedAt);
  }

  /** Containers do not wait for the images, because an engine with many images is slow to list them. */
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
    const options = { clock: this.#clock, random: this.#random };
    const [ended] = await Promise.all([
      this.#containers.run(signal),
      this.#waitForImages(signal),
      this.#inventory.volumes.run(this.#connection, options, signal),
      this.#inventory.networks.run(this.#connection, options, signal),
    ]);
    return ended;
  }

  async #waitForImages(signal: AbortSignal): Promise<void> {
    void this.#images.answered.then(() => this.#imagesTimer.wake());
    await this.#imagesTimer.sleep(IMAGES_PATIENCE_MS, signal);
    this.#isWaitingForImages = false;
    this.#inventory.setPhase(this.#phase());
  }

  /** Live with both lists, or with the containers alone and the reason why the images are missing. */
  #phase(): Phase {
    const images = this.#images.state;
    const isComplete =
      this.#areContainersListed && (images !== 'awaited' || !this.#isWaitingForImages);
    if (!isComplete || !this.#info) return this.#inventory.phase;
    return { kind: 'live', info: this.#info, ...(images && { images }) };
  }
}

/** When a session without pending work was cut, and when it last listed the images. */
export interface SessionBreak {
  readonly at: number;
  readonly imagesListedAt: number;
}
