import type { SourceReference } from '../../logs/text/sourcePath.ts';
import { Emitter, type Disposable, type Event } from '../../base/lifetime.ts';
import type { SourceLookup, SourceLocation } from '../../logs/sources/sourceLookup.ts';

/** Maximum number of cached results. The oldest are dropped first. */
const MOST_ANSWERS = 5000;
/** Maximum number of concurrent lookups. */
const AT_ONCE = 4;
/** Maximum number of waiting lookups. The oldest are dropped, because their rows are out of view. */
const MOST_WAITING = 500;

/** Resolves source references in rows, each once, and fires when results arrive. */
export class SourceResolver implements Disposable {
  readonly #lookup: SourceLookup;
  readonly #subscription: Disposable;
  readonly #answers = new Map<string, SourceLocation | undefined>();
  readonly #waiting = new Map<
    string,
    { readonly id: string; readonly reference: SourceReference }
  >();
  readonly #found = new Emitter<undefined>();
  readonly #controller = new AbortController();
  /** Keys of the running lookups. */
  readonly #asked = new Set<string>();

  /** Fires when a source reference was resolved, or when all results are out of date. */
  readonly onDidFind: Event<undefined> = this.#found.event;

  constructor(lookup: SourceLookup) {
    this.#lookup = lookup;
    this.#subscription = lookup.onDidChange(() => {
      this.#answers.clear();
      this.#found.fire(undefined);
    });
  }

  /**
   * Returns the source location of a reference in a container's log if it is already known. Otherwise starts a
   * lookup and returns undefined.
   */
  get(containerId: string, reference: SourceReference): SourceLocation | undefined {
    const key = JSON.stringify([
      containerId,
      ...[reference.path, reference.line, reference.column, reference.module],
    ]);
    if (this.#answers.has(key)) return this.#answers.get(key);
    if (this.#asked.has(key)) return undefined;
    this.#waiting.set(key, { id: containerId, reference });
    if (this.#waiting.size > MOST_WAITING) this.#waiting.delete(firstOf(this.#waiting));
    this.#work();
    return undefined;
  }

  dispose(): void {
    this.#controller.abort();
    this.#subscription.dispose();
    this.#waiting.clear();
    this.#found.dispose();
  }

  #work(): void {
    for (const [key, { id, reference }] of this.#waiting) {
      if (this.#asked.size >= AT_ONCE) return;
      this.#waiting.delete(key);
      void this.#ask(key, id, reference);
    }
  }

  async #ask(key: string, id: string, reference: SourceReference): Promise<void> {
    this.#asked.add(key);
    try {
      const answer = await this.#lookup.find(id, reference, this.#controller.signal);
      this.#keep(key, answer);
    } catch {
      // No link for now. The lookup is repeated when the row is shown again.
    } finally {
      this.#asked.delete(key);
    }
    if (!this.#controller.signal.aborted) this.#work();
  }

  #keep(key: string, answer: SourceLocation | undefined): void {
    this.#answers.set(key, answer);
    if (this.#answers.size > MOST_ANSWERS) this.#answers.delete(firstOf(this.#answers));
    if (answer) this.#found.fire(undefined);
  }
}

function firstOf(map: ReadonlyMap<string, unknown>): string {
  for (const key of map.keys()) return key;
  return '';
}
