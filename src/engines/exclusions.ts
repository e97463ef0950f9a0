import type { Memento } from '../base/lifetime.ts';

const KEY = 'gantry.neverRemove';

/**
 * Items that the user never wants to remove in a clean-up. Kept by name, so that it outlives a new image or container.
 */
export class Exclusions {
  readonly #memento: Memento;

  constructor(memento: Memento) {
    this.#memento = memento;
  }

  /** Returns the names of what is excluded on an engine. */
  of(engine: string): ReadonlySet<string> {
    return new Set(this.#all()[engine]);
  }

  /**
   * Excludes something.
   *
   * @param names all names that it has; none of them stays.
   * @param added the name by which it is excluded; undefined to undo it.
   */
  async set(engine: string, names: readonly string[], added: string | undefined): Promise<void> {
    const all = this.#all();
    const others = (all[engine] ?? []).filter((name) => !names.includes(name));
    await this.#memento.update(KEY, {
      ...all,
      [engine]: [...others, ...(added === undefined ? [] : [added])],
    });
  }

  #all(): Readonly<Record<string, readonly string[] | undefined>> {
    return this.#memento.get(KEY, {});
  }
}
