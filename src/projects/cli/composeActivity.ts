import type { Activity, Verb } from '../../inventory/activity.ts';
import type { Inventory } from '../../inventory/inventory.ts';
import type { Disposable } from '../../base/lifetime.ts';
import { containerOf, type ComposeEvent } from './composeProgress.ts';

const VERBS: ReadonlyMap<string, Verb> = new Map([
  ['Starting', 'starting'],
  ['Stopping', 'stopping'],
  ['Restarting', 'restarting'],
  ['Recreate', 'recreating'],
  ['Killing', 'killing'],
  ['Removing', 'removing'],
  ['Pausing', 'pausing'],
  ['Unpausing', 'unpausing'],
]);
/** Containers that are expected to be listed soon. */
const MOST_AWAITED = 1000;

/** Shows in the rows of containers what a run of the compose CLI reports that it does with them. */
export class ComposeActivity implements Disposable {
  readonly #inventory: Pick<Inventory, 'containers' | 'onDidChange'>;
  readonly #activity: Pick<Activity, 'begin'>;
  /** By the name of the container. */
  readonly #running = new Map<string, Disposable>();
  /** Operations on containers that are not listed yet. */
  readonly #awaited = new Map<string, Verb>();
  readonly #listener: Disposable;

  constructor(
    inventory: Pick<Inventory, 'containers' | 'onDidChange'>,
    activity: Pick<Activity, 'begin'>,
  ) {
    this.#inventory = inventory;
    this.#activity = activity;
    this.#listener = inventory.onDidChange(({ containers }) => {
      if (containers.size === 0) return;
      for (const [name, verb] of [...this.#awaited]) this.#begin(name, verb);
    });
  }

  /** Applies a report of the CLI. The next report on a container ends what the last one began. */
  apply(event: ComposeEvent): void {
    const name = containerOf(event);
    if (name === undefined) return;
    this.#end(name);
    const verb = VERBS.get(event.status);
    if (verb) this.#begin(name, verb);
  }

  /** Ends everything: the run is over. */
  dispose(): void {
    this.#listener.dispose();
    this.#awaited.clear();
    for (const one of this.#running.values()) one.dispose();
    this.#running.clear();
  }

  #begin(name: string, verb: Verb): void {
    const container = [...this.#inventory.containers.values()].find((one) => one.name === name);
    if (!container) {
      if (this.#awaited.size < MOST_AWAITED) this.#awaited.set(name, verb);
      return;
    }
    this.#awaited.delete(name);
    this.#running.set(name, this.#activity.begin(container.id, verb));
  }

  #end(name: string): void {
    this.#awaited.delete(name);
    this.#running.get(name)?.dispose();
    this.#running.delete(name);
  }
}
