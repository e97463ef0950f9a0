import { Emitter, toDisposable, type Disposable, type Event } from '../lifetime.ts';

/**
 * The commands that Gantry is running on containers and images, by ID. An engine reports only completed
 * actions, so rows get states such as "stopping…" from here.
 */
export class Activity implements Disposable {
  readonly #running = new Map<string, readonly { readonly verb: Verb }[]>();
  readonly #changes = new Emitter<ReadonlySet<string>>();

  /** Fires with the IDs whose verb changed or ended. */
  readonly onDidChange: Event<ReadonlySet<string>> = this.#changes.event;

  /** Returns the verb of the most recent command that is still running. */
  verbOf(id: string): Verb | undefined {
    return this.#running.get(id)?.at(-1)?.verb;
  }

  /** Marks a command as running until the returned disposable is disposed. */
  begin(id: string, verb: Verb): Disposable {
    const entry = { verb };
    this.#change(id, (entries) => [...entries, entry]);
    return toDisposable(() => {
      this.#change(id, (entries) => entries.filter((one) => one !== entry));
    });
  }

  dispose(): void {
    this.#changes.dispose();
  }

  #change(
    id: string,
    edit: (entries: readonly { readonly verb: Verb }[]) => readonly { readonly verb: Verb }[],
  ): void {
    const before = this.verbOf(id);
    const entries = edit(this.#running.get(id) ?? []);
    if (entries.length > 0) this.#running.set(id, entries);
    else this.#running.delete(id);
    if (this.verbOf(id) !== before) this.#changes.fire(new Set([id]));
  }
}

/** The commands that a row can show as running. */
export type Verb =
  | 'starting'
  | 'stopping'
  | 'restarting'
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
