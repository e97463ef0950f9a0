import type { LogLine } from '../../engine/model.ts';
import { isLaterStamp } from '../../engine/logs/logStamps.ts';
import { markerMessage, type LogMarker } from '../../logs/follow/logMarker.ts';
import type { MergedPage } from '../../logs/follow/olderMerge.ts';
import type { LineStore } from '../../logs/store/lineStore.ts';
import { EventLoopYielder, type Clock } from '../../base/time.ts';

/** Time slice in milliseconds before yielding. */
const SLICE_MS = 12;

/** Appends container output to a store. Yields to the event loop in between, which puts backpressure on the engine. */
export class StoreFeed {
  readonly #parts: StoreFeedDependencies;
  readonly #yielder: EventLoopYielder;
  #clearedAt: string;
  #newest = '';
  /** The members that have written a line that is not cleared. All that follows it is new, whatever its timestamp. */
  readonly #continued = new Set<number>();

  /** @param clearedAt timestamp up to which lines were cleared; empty if none were. */
  constructor(parts: StoreFeedDependencies, clearedAt: string) {
    this.#parts = parts;
    this.#clearedAt = clearedAt;
    this.#yielder = new EventLoopYielder(SLICE_MS, parts.clock);
  }

  /** Timestamp up to which lines were cleared. */
  get clearedAt(): string {
    return this.#clearedAt;
  }

  /** Marks the newest line as the last cleared one. Later lines are read after a reload. */
  clear(): void {
    if (isLaterStamp(this.#newest, this.#clearedAt)) this.#clearedAt = this.#newest;
  }

  /**
   * Removes the cleared lines of a page of older lines. If there are any, the page begins where the log was cleared.
   */
  withoutCleared({ lines, isStart, horizon }: MergedPage): MergedPage {
    const kept = lines.filter(({ line }) => this.#isWanted(line.timestamp));
    return { lines: kept, isStart: isStart || kept.length < lines.length, horizon };
  }

  async lines(member: number, lines: readonly LogLine[]): Promise<void> {
    const fresh = this.#sinceCleared(member, lines);
    const last = fresh.at(-1)?.timestamp ?? '';
    if (isLaterStamp(last, this.#newest)) this.#newest = last;
    if (fresh.length > 0) this.#parts.store.appendLines(member, fresh);
    await this.#yielder.yieldIfDue();
  }

  async marker(member: number, marker: LogMarker, at: string): Promise<void> {
    if (!this.#continued.has(member) && !this.#isWanted(at)) return;
    const text = markerMessage(marker);
    const kind = marker.kind === 'gap' ? 'gap' : 'marker';
    this.#parts.store.append([{ member, kind, timestamp: at, text }]);
    await this.#yielder.yieldIfDue();
  }

  caughtUp(): void {
    this.#parts.onCaughtUp();
  }

  #sinceCleared(member: number, lines: readonly LogLine[]): readonly LogLine[] {
    if (this.#continued.has(member)) return lines;
    const first = lines.findIndex(({ timestamp }) => this.#isWanted(timestamp));
    if (first < 0) return [];
    this.#continued.add(member);
    return lines.slice(first);
  }

  #isWanted(timestamp: string): boolean {
    return this.#clearedAt === '' || timestamp === '' || isLaterStamp(timestamp, this.#clearedAt);
  }
}

interface StoreFeedDependencies {
  readonly store: LineStore;
  readonly clock: Clock;
  readonly onCaughtUp: () => void;
}
