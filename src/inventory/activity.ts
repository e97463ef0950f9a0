import { Emitter, toDisposable, type Disposable, type Event } from '../lifetime.ts';

/**
 * What we ourselves are doing to a container or an image right now, by id. An engine tells only what is done,
 * so a row that says "stopping…" has it from here.
 */
export class Activity implements Disposable {
  readonly #running = new Map<string, readonly { readonly verb: Verb }[]>();
  readonly #changes = new Emitter<ReadonlySet<string>>();

  /** Fires the ids whose verb is another one, or none any more. */
  readonly onDidChange: Event<ReadonlySet<string>> = this.#changes.event;

  /** The verb that was begun last and has not ended. */
  verbOf(id: string): Verb | undefined {
    return this.#running.get(id)?.at(-1)?.verb;
  }

  /** Says that a verb is under way until what comes back is disposed. */
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

/** What a row can be under way with. */
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
  | 'committing';
