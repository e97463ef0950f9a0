import { nextChangeAt, type Age } from '../inventory/age.ts';
import type { Clock } from '../base/time.ts';
import type { Disposable } from '../base/lifetime.ts';
import type { TreeNode } from './treeNode.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Longest timer. A timer does not count the time during which the computer sleeps, so check again after this time. */
const LONGEST_NAP = 10 * MINUTE;

/**
 * Keeps the ages in the rows of one view up to date. Fires only when a visible text changes. Rows that change
 * at nearly the same time are repainted together.
 */
export class AgeTimer implements Disposable {
  readonly #clock: Clock;
  readonly #repaint: (nodes: readonly TreeNode[]) => void;
  readonly #due = new Map<TreeNode, number>();
  #isVisible = false;
  #timer: Disposable | undefined;
  #setFor = Infinity;

  /** @param repaint receives the rows whose text has changed. Repainting a row calls {@link record} again. */
  constructor(clock: Clock, repaint: (nodes: readonly TreeNode[]) => void) {
    this.#clock = clock;
    this.#repaint = repaint;
  }

  /** A hidden view is not repainted. Changes in the meantime are painted when the view is shown again. */
  setVisible(isVisible: boolean): void {
    if (this.#isVisible === isVisible) return;
    this.#isVisible = isVisible;
    this.#set();
  }

  /** Records that a row was painted just now, and the age it shows. */
  record(node: TreeNode, age: Age | undefined): void {
    if (!age) {
      this.#due.delete(node);
      return;
    }
    const moment = dueAt(age, this.#clock.now());
    this.#due.set(node, moment);
    if (this.#isVisible && moment < this.#setFor) this.#setTo(moment);
  }

  /** Forgets rows that no longer exist. */
  forget(nodes: Iterable<TreeNode>): void {
    for (const node of nodes) this.#due.delete(node);
  }

  dispose(): void {
    this.#timer?.dispose();
  }

  #set(): void {
    let soonest = Infinity;
    if (this.#isVisible)
      for (const moment of this.#due.values()) soonest = Math.min(soonest, moment);
    this.#setTo(soonest);
  }

  #setTo(moment: number): void {
    this.#setFor = moment;
    this.#timer?.dispose();
    if (moment === Infinity) return;
    const wait = Math.max(0, Math.min(LONGEST_NAP, moment - this.#clock.now()));
    this.#timer = this.#clock.after(wait, this.#ring);
  }

  readonly #ring = (): void => {
    // Rows painted in the meantime call `record`; one timer for all of them is set below.
    this.#setFor = -Infinity;
    const now = this.#clock.now();
    const due = [...this.#due].flatMap(([node, moment]) => (moment <= now ? [node] : []));
    this.forget(due);
    if (due.length > 0) this.#repaint(due);
    this.#set();
  };
}

/**
 * Returns when the text changes, rounded up to the next beat, so that many rows change together. The longer a
 * text stays the same, the less a delay matters. Seconds change every 5 seconds only, because VS Code hides the
 * tooltip of a row that is repainted.
 */
function dueAt(age: Age, now: number): number {
  const passed = now - age.latest;
  const beat = passed < MINUTE ? 5 * SECOND : passed < HOUR ? 15 * SECOND : MINUTE;
  return Math.ceil(nextChangeAt(age, now) / beat) * beat;
}
