import { isLaterStamp } from '../../engine/logs/logStamps.ts';
import type { LogLine } from '../../engine/model.ts';
import type { Disposable } from '../../base/lifetime.ts';
import { delay, EventLoopYielder } from '../../base/time.ts';
import type { LogSetSink, LogMarker } from './logMarker.ts';
import { MemberQueue, type MemberItem } from './memberQueue.ts';

/** Time that a line waits for older lines of other members, in milliseconds. */
const HOLD_MS = 30;
// Limits of waiting items, in lines and in characters: above them nothing is held back.
const FLOOD_LINES = 5000;
const FLOOD_LENGTH = 2 * 1024 * 1024;
// How many times as much may wait before the members wait: once all logs are open, and until then.
const MOST = 2;
const MOST_OPENING = 16;

/**
 * Merges several logs into one, by time if possible: items are held back for a moment, so that older ones
 * that arrive slightly later still come first. Never changes the order within one log.
 */
export class TimeMerge implements Disposable {
  readonly #sink: LogSetSink;
  readonly #queues = new Map<number, MemberQueue>();
  readonly #yielder = new EventLoopYielder();
  readonly #end = new AbortController();
  readonly #waiting: Size = { lines: 0, length: 0 };
  /** The size of the items removed by {@link removeBefore}. */
  #removed: Size = { lines: 0, length: 0 };
  #isOpening = true;
  /** Number of waiting items that are due, whenever they arrived. */
  #overdue = 0;
  readonly #opened = Promise.withResolvers<undefined>();
  #isWriting = false;
  #wakeHold: (() => void) | undefined;
  #wakeMembers: (() => void)[] = [];

  constructor(sink: LogSetSink) {
    this.#sink = sink;
  }

  /** Adds a member, so that the lines of others wait for its older ones. */
  add(member: number): void {
    this.#queues.set(member, this.#queues.get(member) ?? new MemberQueue());
  }

  /** Marks a member as finished. */
  leave(member: number): void {
    const queue = this.#queues.get(member);
    if (queue?.head) queue.isLeaving = true;
    else this.#queues.delete(member);
  }

  /** Adds lines of a member. Resolves when more may come. */
  async lines(member: number, lines: readonly LogLine[]): Promise<void> {
    // The opening waits for the tail of each log, which is one batch.
    const isTail = this.#isOpening && !this.#queues.get(member)?.head;
    this.#accept(
      member,
      lines.map((line) => ({ line })),
    );
    if (!isTail) await this.#room();
  }

  /** @param at when it happened, RFC 3339. */
  async marker(member: number, marker: LogMarker, at: string): Promise<void> {
    this.#accept(member, [{ marker, at }]);
    if (!this.#isOpening) await this.#room();
  }

  /**
   * Removes the first items of a member, as far as they are from before a time, so that they are not written. Removes
   * none of them if, with those of other members, they are too many to keep in memory. Call it before {@link open}.
   */
  removeBefore(member: number, stamp: string): readonly MemberItem[] {
    const queue = this.#queues.get(member);
    const items = queue?.itemsBefore(stamp) ?? [];
    const removed = {
      lines: this.#removed.lines + items.length,
      length: items.reduce((sum, item) => sum + lengthOf(item), this.#removed.length),
    };
    if (exceeds(removed, MOST_OPENING)) return [];
    this.#removed = removed;
    for (const item of items) {
      queue?.shift();
      this.#count(item);
    }
    return items;
  }

  /** Writes everything that has arrived so far as one merge, then switches to live. */
  async open(): Promise<void> {
    this.#isOpening = false;
    this.#overdue = this.#waiting.lines;
    // The first ends only in a pause of the logs.
    await Promise.race([this.#write(), this.#opened.promise]);
  }

  dispose(): void {
    this.#end.abort();
    this.#wakeHold?.();
    this.#wake();
  }

  #accept(member: number, items: readonly MemberItem[]): void {
    if (this.#isEnded) return;
    this.add(member);
    this.#queues.get(member)?.push({ arrivedAt: performance.now(), items });
    this.#waiting.lines += items.length;
    for (const one of items) this.#waiting.length += lengthOf(one);
    if (this.#isOpening) return;
    if (this.#isFlood(1)) this.#wakeHold?.();
    void this.#write();
  }

  /** Resolves when more items may come. */
  async #room(): Promise<void> {
    // Loops, because the sink may be slow.
    while (this.#isFlood(this.#isOpening ? MOST_OPENING : MOST) && !this.#isEnded)
      await new Promise<void>((resolve) => this.#wakeMembers.push(resolve));
  }

  get #isEnded(): boolean {
    return this.#end.signal.aborted;
  }

  #isFlood(times: number): boolean {
    return exceeds(this.#waiting, times);
  }

  #wake(): void {
    for (const wake of this.#wakeMembers.splice(0)) wake();
  }

  /** Writes all waiting items when they are due. Runs once at a time. */
  async #write(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    try {
      while (this.#waiting.lines > 0 && !this.#isEnded) {
        if (!this.#isDue()) await this.#hold();
        else await this.#writeRun();
        if (this.#overdue === 0) this.#opened.resolve(undefined);
        if (!this.#isFlood(1)) this.#wake();
        await this.#yielder.yieldIfDue();
      }
    } finally {
      this.#isWriting = false;
      this.#wake();
    }
  }

  /** Whether an item has waited long enough. A single log does not wait. */
  #isDue(): boolean {
    if (this.#overdue > 0 || this.#queues.size === 1 || this.#isFlood(1)) return true;
    return this.#oldest() + HOLD_MS <= performance.now();
  }

  #oldest(): number {
    let oldest = Infinity;
    for (const { arrivedAt } of this.#queues.values()) oldest = Math.min(oldest, arrivedAt);
    return oldest;
  }

  async #hold(): Promise<void> {
    const early = new AbortController();
    this.#wakeHold = () => early.abort();
    const wait = Math.max(1, this.#oldest() + HOLD_MS - performance.now());
    await delay(wait, early.signal).catch(() => undefined);
    this.#wakeHold = undefined;
  }

  /** Writes the items of one member up to the next item of another. */
  async #writeRun(): Promise<void> {
    const [member, queue, next] = this.#first();
    if (!queue) return;
    await this.#writeItems(member, queue, next);
    if (queue.isLeaving && !queue.head) this.#queues.delete(member);
  }

  async #writeItems(member: number, queue: MemberQueue, next: string | undefined): Promise<void> {
    const lines: LogLine[] = [];
    for (let item = queue.shift(); item; item = queue.shift()) {
      this.#count(item);
      if ('marker' in item) {
        await this.#sendLines(member, lines);
        await this.#send(() => this.#sink.marker(member, item.marker, item.at));
        return;
      }
      lines.push(item.line);
      if (lines.length === FLOOD_LINES || !this.#isDue()) break;
      if (next !== undefined && isLaterStamp(queue.stamp, next)) break;
    }
    await this.#sendLines(member, lines);
  }

  #count(item: MemberItem): void {
    this.#waiting.lines--;
    this.#waiting.length -= lengthOf(item);
    if (this.#overdue > 0) this.#overdue--;
  }

  async #sendLines(member: number, lines: readonly LogLine[]): Promise<void> {
    if (lines.length > 0) await this.#send(() => this.#sink.lines(member, lines));
  }

  async #send(write: () => Promise<void>): Promise<void> {
    if (!this.#end.signal.aborted) await write();
  }

  /** Returns the member with the oldest head, and the next oldest timestamp of another member. */
  #first(): [member: number, queue: MemberQueue | undefined, next: string | undefined] {
    let member = -1;
    let first: MemberQueue | undefined;
    let next: string | undefined;
    for (const [index, queue] of this.#queues) {
      if (!queue.head) continue;
      if (!first || isLaterStamp(first.stamp, queue.stamp)) {
        if (first) next = first.stamp;
        member = index;
        first = queue;
      } else if (next === undefined || isLaterStamp(next, queue.stamp)) next = queue.stamp;
    }
    return [member, first, next];
  }
}

/** The size of some items: how many they are, and their characters. */
interface Size {
  lines: number;
  length: number;
}

function exceeds({ lines, length }: Size, times: number): boolean {
  return lines > times * FLOOD_LINES || length > times * FLOOD_LENGTH;
}

function lengthOf(item: MemberItem): number {
  return 'line' in item ? item.line.text.length : 0;
}
