import { type Memento, Emitter, type Event } from '../base/lifetime.ts';

const KEY = 'gantry.preferredEngine';

/** The workspace default: the engine of commands that do not specify one. */
export class PreferredEngine {
  readonly #memory: Memento;
  readonly #changes = new Emitter<void>();

  /** Fires when the workspace default changes. */
  readonly onDidChange: Event<void> = this.#changes.event;

  constructor(memory: Memento) {
    this.#memory = memory;
  }

  /** The ID of the engine; undefined if none is set. */
  get id(): string | undefined {
    return this.#memory.get(KEY) as string | undefined;
  }

  async set(id: string | undefined): Promise<void> {
    await this.#memory.update(KEY, id);
    this.#changes.fire();
  }
}
