import { Emitter, toDisposable, type Disposable, type Event } from '../base/lifetime.ts';

/**
 * The commands that Gantry is running on containers and images, by ID. An engine reports only completed
 * actions, so rows get states such as "stopping…" from here.
 */
export class Activity implements Disposable {
  readonly #running = new Map<string, readonly Entry[]>();
  readonly #changes = new Emitter<ReadonlySet<string>>();

  /** Fires with the IDs whose verb changed or ended. */
  readonly onDidChange: Event<ReadonlySet<string>> = this.#changes.event;

  /** Returns the verb of the most recent command that is still running. */
  verbOf(id: string): Verb | undefined {
    return this.#running.get(id)?.at(-1)?.verb;
  }

  /** Returns what the most recent command waits for; undefined if it does not wait. */
  waitOf(id: string): ServiceWait | undefined {
    return this.#running.get(id)?.at(-1)?.wait;
  }

  /**
   * Marks a command as running until the returned disposable is disposed.
   *
   * @param wait for the verb `waiting`: what it waits for.
   */
  begin(id: string, verb: Verb, wait?: ServiceWait): Disposable {
    const entry = { verb, wait };
    this.#change(id, (entries) => [...entries, entry]);
    return toDisposable(() => {
      this.#change(id, (entries) => entries.filter((one) => one !== entry));
    });
  }

  dispose(): void {
    this.#changes.dispose();
  }

  #change(id: string, edit: (entries: readonly Entry[]) => readonly Entry[]): void {
    const before = this.verbOf(id);
    const waitBefore = this.waitOf(id);
    const entries = edit(this.#running.get(id) ?? []);
    if (entries.length > 0) this.#running.set(id, entries);
    else this.#running.delete(id);
    const isSame = this.verbOf(id) === before && this.waitOf(id) === waitBefore;
    if (!isSame) this.#changes.fire(new Set([id]));
  }
}

interface Entry {
  readonly verb: Verb;
  readonly wait: ServiceWait | undefined;
}

/** Service that a container waits for before it is started. */
export interface ServiceWait {
  /** A service of the same project. */
  readonly service: string;
  readonly condition: 'started' | 'healthy' | 'completed';
}

/** The commands that a row can show as running. */
export type Verb =
  | 'starting'
  | 'waiting'
  | 'stopping'
  | 'restarting'
  | 'recreating'
  | 'killing'
  | 'pausing'
  | 'unpausing'
  | 'renaming'
  | 'removing'
  | 'saving'
  | 'committing'
  | 'importing'
  | 'copying'
  | 'emptying';
