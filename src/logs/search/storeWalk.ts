import type { IdRange } from './lineQuery.ts';
import type { StoreMirror } from './storeMirror.ts';

/**
 * Walks over all lines of a store while it changes: what is new at its end first, then from the newest backwards.
 * So what has been looked at is always one range.
 */
export class StoreWalk {
  /** How many lines are looked at anew when others are put before them. */
  readonly #overlap: number;
  #generation = -1;
  #firstId = 0;
  #from = 0;
  #to = 0;
  #lines = FIRST_LINES;

  constructor(overlap: number) {
    this.#overlap = overlap;
  }

  /** What has been looked at. */
  get done(): IdRange {
    return { from: this.#from, to: this.#to };
  }

  isDone({ firstId, endId }: StoreMirror): boolean {
    return this.#from <= firstId && this.#to >= endId;
  }

  /** Takes in how the store changed. @returns whether all has to be looked at anew. */
  meet({ generation, firstId, endId }: StoreMirror): boolean {
    const isFresh = generation !== this.#generation;
    if (isFresh) this.#from = this.#to = endId;
    else if (firstId < this.#firstId && this.#from === this.#firstId)
      this.#from = Math.min(this.#to, this.#from + this.#overlap);
    this.#generation = generation;
    this.#firstId = firstId;
    this.#from = Math.max(this.#from, firstId);
    this.#to = Math.max(this.#to, firstId);
    return isFresh;
  }

  /** What to look at next; undefined where there is nothing, or it is not known where it lies. */
  next(mirror: StoreMirror): WalkRange | undefined {
    const isForward = this.#to < mirror.endId;
    if (!isForward && this.#from <= mirror.firstId) return undefined;
    const block = mirror.blockOf(isForward ? this.#to : this.#from - 1);
    if (!block) return undefined;
    const end = Math.min(block.firstId + block.count, mirror.endId);
    return isForward
      ? { isForward, from: this.#to, to: Math.min(end, this.#to + this.#lines) }
      : {
          isForward,
          from: Math.max(mirror.firstId, block.firstId, this.#from - this.#lines),
          to: this.#from,
        };
  }

  /** @param milliseconds it took to look at this stretch. */
  finish(stretch: WalkRange, milliseconds: number): void {
    if (stretch.isForward) this.#to = stretch.to;
    else this.#from = stretch.from;
    if (milliseconds < QUICK) this.#lines = Math.min(MOST_LINES, this.#lines * 2);
    else if (milliseconds > SLOW) this.#lines = Math.max(1, this.#lines >> 1);
  }
}

/** Lines to look at next: all of one block. */
export interface WalkRange extends IdRange {
  readonly isForward: boolean;
}

/** So many lines at first, and at most, at a time. */
const [FIRST_LINES, MOST_LINES] = [512, 65_536];
/** Milliseconds a stretch should take, so that another order is heard soon. */
const [QUICK, SLOW] = [4, 15];
