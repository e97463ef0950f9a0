import { Emitter, type Disposable, type Event } from '../base/lifetime.ts';

/**
 * The sizes of volumes as of the last request, which is expensive. A size is forgotten as
 * soon as the volume or what uses it changes.
 */
export class VolumeSizes implements Disposable {
  #sizes: ReadonlyMap<string, number> = new Map();
  readonly #changes = new Emitter<ReadonlySet<string>>();

  /** Fires with the names of volumes whose size is known, changed, or not known any more. */
  readonly onDidChange: Event<ReadonlySet<string>> = this.#changes.event;

  /** Returns a size in bytes; undefined if it is not known. */
  get(name: string): number | undefined {
    return this.#sizes.get(name);
  }

  /** Applies the sizes of all volumes. */
  replace(sizes: ReadonlyMap<string, number>): void {
    const names = new Set([...this.#sizes.keys(), ...sizes.keys()]);
    this.#sizes = new Map(sizes);
    if (names.size > 0) this.#changes.fire(names);
  }

  /** Forgets the sizes of volumes that may have changed. */
  forget(names: Iterable<string>): void {
    const known = new Set([...names].filter((name) => this.#sizes.has(name)));
    if (known.size === 0) return;
    this.#sizes = new Map([...this.#sizes].filter(([name]) => !known.has(name)));
    this.#changes.fire(known);
  }

  dispose(): void {
    this.#changes.dispose();
  }
}
