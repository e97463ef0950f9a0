import type * as vscode from 'vscode';
import { Emitter, type Event } from '../../lifetime.ts';

const KEY = 'gantry.preferredEngine';

/** The engine that commands mean in this workspace where nothing else says which. */
export class PreferredEngine {
  readonly #memory: vscode.Memento;
  readonly #changes = new Emitter<void>();

  /** Fires when it is another one. */
  readonly onDidChange: Event<void> = this.#changes.event;

  constructor(memory: vscode.Memento) {
    this.#memory = memory;
  }

  /** Its id; undefined where the person has chosen none. */
  get id(): string | undefined {
    return this.#memory.get<string>(KEY);
  }

  async set(id: string | undefined): Promise<void> {
    await this.#memory.update(KEY, id);
    this.#changes.fire();
  }
}
