import { isLaterStamp } from '../../engine/logs/logStamps.ts';
import type { LogLine } from '../../engine/model.ts';
import type { LogMarker } from './logMarker.ts';

export class MemberQueue {
  /** Whether no more items will come. */
  isLeaving = false;
  readonly #batches: Batch[] = [];
  #at = 0;
  /** The timestamp of the last item removed. Applies to items without one. */
  #stamp = '';

  get head(): MemberItem | undefined {
    return this.#batches[0]?.items[this.#at];
  }

  /** When the head arrived, in milliseconds. */
  get arrivedAt(): number {
    return this.#batches[0]?.arrivedAt ?? Infinity;
  }

  get stamp(): string {
    const { head } = this;
    const stamp = head ? stampOf(head) : '';
    return stamp === '' ? this.#stamp : stamp;
  }

  /** Returns the first items as far as they are from before a time. Only until the first item is removed. */
  itemsBefore(stamp: string): readonly MemberItem[] {
    if (stamp === '') return [];
    const items = this.#batches.flatMap((batch) => batch.items);
    const end = items.findIndex((item) => !isBefore(item, stamp));
    return end < 0 ? items : items.slice(0, end);
  }

  push(batch: Batch): void {
    if (batch.items.length > 0) this.#batches.push(batch);
  }

  shift(): MemberItem | undefined {
    const { head, stamp } = this;
    if (!head) return undefined;
    this.#stamp = stamp;
    this.#at++;
    if (this.#at === this.#batches[0]?.items.length) {
      this.#batches.shift();
      this.#at = 0;
    }
    return head;
  }
}

export type MemberItem =
  | { readonly line: LogLine }
  | { readonly marker: LogMarker; readonly at: string };

/** Items that arrived together from one member, in order. */
interface Batch {
  readonly arrivedAt: number;
  readonly items: readonly MemberItem[];
}

function stampOf(item: MemberItem): string {
  return 'line' in item ? item.line.timestamp : item.at;
}

function isBefore(item: MemberItem, stamp: string): boolean {
  // The time of other markers may be that of another clock.
  const isOfEngine = 'line' in item || item.marker.kind === 'exited';
  return isOfEngine && stampOf(item) !== '' && isLaterStamp(stamp, stampOf(item));
}
