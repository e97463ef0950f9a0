/** Checks Dockerfiles that are saved, silently: what is found is in Problems. */

import type { Disposable } from '../base/lifetime.ts';

/** Runs one check at a time. A file that is saved again is checked again, and its running check is stopped. */
export class SavedChecks implements Disposable {
  readonly #check: (dockerfile: string, signal: AbortSignal) => Promise<unknown>;
  readonly #waiting = new Set<string>();
  #current: { readonly dockerfile: string; readonly stop: AbortController } | undefined;

  /** @param check checks a Dockerfile; may reject, which is not shown. */
  constructor(check: (dockerfile: string, signal: AbortSignal) => Promise<unknown>) {
    this.#check = check;
  }

  /** @param dockerfile absolute path of the file that was saved. */
  saved(dockerfile: string): void {
    // The last one that was saved is the last one in the queue.
    this.#waiting.delete(dockerfile);
    this.#waiting.add(dockerfile);
    if (this.#current?.dockerfile === dockerfile) this.#current.stop.abort();
    if (!this.#current) void this.#work();
  }

  dispose(): void {
    this.#waiting.clear();
    this.#current?.stop.abort();
  }

  async #work(): Promise<void> {
    for (let next = this.#pop(); next !== undefined; next = this.#pop()) {
      const current = (this.#current = { dockerfile: next, stop: new AbortController() });
      // The user did not ask for it. The check command reports what is wrong.
      await this.#check(next, current.stop.signal).catch(() => undefined);
    }
    this.#current = undefined;
  }

  /** Newest first. */
  #pop(): string | undefined {
    const next = [...this.#waiting].at(-1);
    if (next !== undefined) this.#waiting.delete(next);
    return next;
  }
}
