import type { Memento } from './lifetime.ts';

/** Maximum number of entries to remember; the most recent ones. */
const KEPT = 30;

/** Values by key, in storage of VS Code. */
export class RecentEntries<Value> {
  readonly #memory: Memento;
  readonly #name: string;

  /** @param name the key of the storage. */
  constructor(memory: Memento, name: string) {
    this.#memory = memory;
    this.#name = name;
  }

  get(key: string): Value | undefined {
    return this.#all().find(([known]) => known === key)?.[1];
  }

  async put(key: string, value: Value): Promise<void> {
    const others = this.#all().filter(([known]) => known !== key);
    const entry = [key, value] as const;
    await this.#memory.update(this.#name, [entry, ...others].slice(0, KEPT));
  }

  #all(): readonly (readonly [key: string, value: Value])[] {
    const kept = this.#memory.get(this.#name);
    return Array.isArray(kept) ? (kept as readonly (readonly [string, Value])[]) : [];
  }
}
