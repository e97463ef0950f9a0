import { Emitter, type Event, type Memento } from '../../base/lifetime.ts';
import { asList, asRecord } from '../../engine/wire/wire.ts';

/** The rows that the user has pinned in this workspace. By names, so that they outlive what has the names. */
export class Pins {
  readonly #memory: Memento;
  readonly #keys: Set<string>;
  readonly #changes = new Emitter<void>();

  readonly onDidChange: Event<void> = this.#changes.event;

  constructor(memory: Memento) {
    this.#memory = memory;
    const { version, keys } = asRecord(memory.get(KEY));
    const kept = version === VERSION ? asList(keys) : [];
    this.#keys = new Set(kept.filter((key) => typeof key === 'string').slice(-MOST));
  }

  get isEmpty(): boolean {
    return this.#keys.size === 0;
  }

  has(pin: Pin): boolean {
    return !this.isEmpty && this.#keys.has(JSON.stringify(pin));
  }

  set(pins: readonly Pin[], isPinned: boolean): void {
    for (const key of pins.map((pin) => JSON.stringify(pin))) {
      this.#keys.delete(key);
      if (isPinned) this.#keys.add(key);
    }
    const keys = [...this.#keys].slice(-MOST);
    void this.#memory.update(KEY, { version: VERSION, keys });
    this.#changes.fire();
  }
}

/** What is pinned: a container by its name, or a project, or a service of it. */
export type Pin = readonly [
  engine: string,
  kind: 'container' | 'project' | 'service',
  ...names: string[],
];

const KEY = 'gantry.pins';
const VERSION = 1;
const MOST = 500;
