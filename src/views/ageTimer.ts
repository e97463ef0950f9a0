import { nextChangeAt, type Age } from '../inventory/age.ts';
import type { Clock } from '../time.ts';
import type { Disposable } from '../lifetime.ts';
import type { TreeNode } from './treeNode.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** A machine that slept does not count it: look again after so long at the latest. */
const LONGEST_NAP = 10 * MINUTE;

/**
 * Keeps the ages in rows fresh, by one timer for all views. It rings when the words of a row that can be
 * seen change, and rows that change at nearly the same time are painted together.
 */
export class AgeTimer implements Disposable {
  readonly #clock: Clock;
  readonly #views = new Set<RelativeTimeRows>();
  #timer: Disposable | undefined;
  #setFor = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The aged rows of one view; `repaint` gets those whose words have changed. */
  addView(repaint: (nodes: readonly TreeNode[]) => void): RelativeTimeRows {
    const view = new RelativeTimeRows(this.#clock, repaint, (moment) => {
      if (moment === undefined) this.#set();
      else if (moment < this.#setFor) this.#setTo(moment);
    });
    this.#views.add(view);
    return view;
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#views.clear();
  }

  #set(): void {
    this.#setTo(Math.min(...[...this.#views].map((view) => view.soonest())));
  }

  #setTo(moment: number): void {
    this.#setFor = moment;
    this.#timer?.dispose();
    if (moment === Infinity) return;
    const wait = Math.max(0, Math.min(LONGEST_NAP, moment - this.#clock.now()));
    this.#timer = this.#clock.after(wait, () => {
      this.#ring();
    });
  }

  #ring(): void {
    // What is painted meanwhile is counted below, all at once.
    this.#setFor = -Infinity;
    for (const view of this.#views) view.repaintDue();
    this.#set();
  }
}

/** When the words of each row of a view change next. */
export class RelativeTimeRows {
  readonly #clock: Clock;
  readonly #repaint: (nodes: readonly TreeNode[]) => void;
  readonly #onDidChange: (soonest?: number) => void;
  readonly #due = new Map<TreeNode, number>();
  #isVisible = false;

  constructor(
    clock: Clock,
    repaint: (nodes: readonly TreeNode[]) => void,
    onDidChange: (soonest?: number) => void,
  ) {
    this.#clock = clock;
    this.#repaint = repaint;
    this.#onDidChange = onDidChange;
  }

  /** Nothing is done for a view that nobody sees. What was missed is painted when it is seen again. */
  setVisible(isVisible: boolean): void {
    if (this.#isVisible === isVisible) return;
    this.#isVisible = isVisible;
    this.#onDidChange();
  }

  /** Says that a row was painted just now, and since when what it shows is so. */
  note(node: TreeNode, age: Age | undefined): void {
    if (!age) {
      this.#due.delete(node);
      return;
    }
    const moment = dueAt(age, this.#clock.now());
    this.#due.set(node, moment);
    if (this.#isVisible) this.#onDidChange(moment);
  }

  /** These rows are no longer there. */
  forget(nodes: Iterable<TreeNode>): void {
    for (const node of nodes) this.#due.delete(node);
  }

  /** When the first of them changes; never while hidden. */
  soonest(): number {
    let soonest = Infinity;
    if (this.#isVisible)
      for (const moment of this.#due.values()) soonest = Math.min(soonest, moment);
    return soonest;
  }

  /** Hands over the rows whose words have changed; they are noted again when they are painted. */
  repaintDue(): void {
    if (!this.#isVisible) return;
    const now = this.#clock.now();
    const due = [...this.#due].flatMap(([node, moment]) => (moment <= now ? [node] : []));
    this.forget(due);
    if (due.length > 0) this.#repaint(due);
  }
}

/**
 * The moment the words change, put off to the next beat, so that many rows change together. The longer the
 * words stay, the less a moment's delay matters.
 */
function dueAt(age: Age, now: number): number {
  const passed = now - age.latest;
  const beat = passed < MINUTE ? SECOND : passed < HOUR ? 5 * SECOND : MINUTE;
  return Math.ceil(nextChangeAt(age, now) / beat) * beat;
}
