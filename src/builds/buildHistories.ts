import { DisposableStore, type Disposable } from '../base/lifetime.ts';
import type { Clock } from '../base/time.ts';
import type { BuildHistorySource } from './buildHistorySource.ts';
import { RecordedBuilds } from './recordedBuilds.ts';

/** The histories of several engines. Each is made when it is first asked for. */
export class BuildHistories implements Disposable {
  readonly #sourceOf: (engine: string) => BuildHistorySource | undefined;
  readonly #clock: Clock;
  readonly #store = new DisposableStore();
  readonly #histories = new Map<string, RecordedBuilds>();

  /** @param sourceOf returns how the history of an engine is read; undefined if it has none as far as is known. */
  constructor(sourceOf: (engine: string) => BuildHistorySource | undefined, clock: Clock) {
    this.#sourceOf = sourceOf;
    this.#clock = clock;
  }

  /** Returns the history of an engine; undefined if it has none. */
  of(engine: string): RecordedBuilds | undefined {
    const source = this.#sourceOf(engine);
    if (!source) return undefined;
    const known = this.#histories.get(engine);
    if (known) return known;
    const made = this.#store.add(new RecordedBuilds(engine, source, this.#clock));
    this.#histories.set(engine, made);
    return made;
  }

  /** Drops the history of a removed engine. */
  drop(engine: string): void {
    this.#histories.get(engine)?.dispose();
    this.#histories.delete(engine);
  }

  dispose(): void {
    this.#store.dispose();
  }
}
