import type { Disposable } from '../../base/lifetime.ts';
import type { Activity, Verb } from '../activity.ts';

/** Remembers what Gantry does to containers, so that what comes of it is not taken for a failure. */
export class OwnActs implements Disposable {
  readonly #activity: Pick<Activity, 'verbOf'>;
  readonly #now: () => number;
  readonly #subscription: Disposable;
  /** The last command on each container. */
  readonly #acts = new Map<string, Act>();

  constructor({ activity, now }: OwnActsOptions) {
    this.#activity = activity;
    this.#now = now;
    this.#subscription = activity.onDidChange((ids) => {
      for (const id of ids) this.#record(id);
    });
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  /** Returns the command that ends the container now, or ended it at most this many milliseconds ago. */
  endingOf(id: string, withinMs: number): Verb | undefined {
    return this.recent(id, ENDING, withinMs);
  }

  /** Returns the command on the container if it is one of these and runs now, or has ended recently. */
  recent(id: string, verbs: ReadonlySet<Verb>, withinMs: number): Verb | undefined {
    const running = this.#activity.verbOf(id);
    if (running && verbs.has(running)) return running;
    const act = this.#acts.get(id);
    return act && verbs.has(act.verb) && this.#now() - act.at < withinMs ? act.verb : undefined;
  }

  /** Forgets a command that has done what it was for, but not one that came after this time in milliseconds. */
  forget(id: string, at: number): void {
    const act = this.#acts.get(id);
    if (act && act.at <= at) this.#acts.delete(id);
  }

  #record(id: string): void {
    const verb = this.#activity.verbOf(id) ?? this.#acts.get(id)?.verb;
    if (!verb) return;
    this.#acts.delete(id);
    this.#acts.set(id, { verb, at: this.#now() });
    const [oldest] = this.#acts.keys();
    if (this.#acts.size > MOST_ACTS && oldest !== undefined) this.#acts.delete(oldest);
  }
}

interface OwnActsOptions {
  readonly activity: Pick<Activity, 'verbOf' | 'onDidChange'>;
  readonly now: () => number;
}

/** A command, and when it began or ended. */
interface Act {
  readonly verb: Verb;
  readonly at: number;
}

/** As many containers as a large project has, several times over. */
const MOST_ACTS = 1000;

/** The commands that end a run. */
export const ENDING: ReadonlySet<Verb> = new Set<Verb>([
  'stopping',
  'restarting',
  'recreating',
  'killing',
  'removing',
]);
