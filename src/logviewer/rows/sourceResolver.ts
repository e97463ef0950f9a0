import type { SourceReference } from '../../logs/text/sourcePath.ts';
import { Emitter, type Disposable, type Event } from '../../lifetime.ts';
import type { SourceLookup, SourceLocation } from '../session/sessionContext.ts';

/** Answers that are kept, the oldest go first. */
const MOST_ANSWERS = 5000;
/** Look-ups at the same time. */
const AT_ONCE = 4;
/** Questions that wait; the oldest are of rows that are out of view by now. */
const MOST_WAITING = 500;

/** Looks up what places in rows mean, once each, and says when answers have come. */
export class SourceResolver implements Disposable {
  readonly #lookup: SourceLookup;
  readonly #subscription: Disposable;
  readonly #answers = new Map<string, SourceLocation | undefined>();
  readonly #waiting = new Map<string, { readonly id: string; readonly place: SourceReference }>();
  readonly #found = new Emitter<undefined>();
  readonly #controller = new AbortController();
  /** Keys of what is being looked up. */
  readonly #asked = new Set<string>();

  /** Fires when a place has become a link, or may be one, or none, from now on. */
  readonly onDidFind: Event<undefined> = this.#found.event;

  constructor(lookup: SourceLookup) {
    this.#lookup = lookup;
    this.#subscription = lookup.onDidChange(() => {
      this.#answers.clear();
      this.#found.fire(undefined);
    });
  }

  /** What a place in a container's log means, as far as it is known now; asks for the rest. */
  get(containerId: string, place: SourceReference): SourceLocation | undefined {
    const key = JSON.stringify([
      containerId,
      ...[place.path, place.line, place.column, place.module],
    ]);
    if (this.#answers.has(key)) return this.#answers.get(key);
    if (this.#asked.has(key)) return undefined;
    this.#waiting.set(key, { id: containerId, place });
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
    while (this.#asked.size < AT_ONCE && this.#waiting.size > 0) {
      const key = firstOf(this.#waiting);
      const asked = this.#waiting.get(key);
      this.#waiting.delete(key);
      if (asked) void this.#ask(key, asked.id, asked.place);
    }
  }

  async #ask(key: string, id: string, place: SourceReference): Promise<void> {
    this.#asked.add(key);
    try {
      const answer = await this.#lookup.find(id, place, this.#controller.signal);
      this.#keep(key, answer);
    } catch {
      // No link is made of it now; it is looked for again when its row is shown again.
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
