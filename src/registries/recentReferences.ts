import type { Memento } from '../base/lifetime.ts';

const KEY = 'gantry.recentReferences';
const KEPT = 20;

/** The image references that the user pulled recently, newest first. */
export class RecentReferences {
  readonly #memory: Memento;

  constructor(memory: Memento) {
    this.#memory = memory;
  }

  all(): readonly string[] {
    return this.#memory.get<readonly string[]>(KEY, []);
  }

  async add(reference: string): Promise<void> {
    const others = this.all().filter((one) => one !== reference);
    await this.#memory.update(KEY, [reference, ...others].slice(0, KEPT));
  }
}
