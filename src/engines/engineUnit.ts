import type { Engine } from '../engine/engine.ts';
import { Activity } from '../inventory/activity.ts';
import { Inventory } from '../inventory/inventory.ts';
import type { Watcher } from '../inventory/watcher.ts';
import { DisposableStore, type Disposable } from '../lifetime.ts';

/** One engine of this window with all that is known of it. Nothing of it is shared with another engine. */
export class EngineUnit implements Disposable {
  readonly id: string;
  readonly name: string;
  readonly engine: Engine;
  readonly inventory: Inventory;
  readonly activity: Activity;
  readonly #watcher: Watcher;
  readonly #store = new DisposableStore();

  constructor({ id, name, engine, watch }: EngineUnitOptions) {
    this.id = id;
    this.name = name;
    this.engine = this.#store.add(engine);
    this.inventory = this.#store.add(new Inventory());
    this.activity = this.#store.add(new Activity());
    this.#watcher = this.#store.add(watch(this.engine, this.inventory));
    this.#store.add(
      engine.onDidChangeEndpoint(() => {
        this.#watcher.reconnect();
      }),
    );
    this.#store.add(
      engine.onDidDoubt(() => {
        this.#watcher.verify();
      }),
    );
  }

  /** Whether the person disconnected it. */
  get isOff(): boolean {
    return this.inventory.phase.kind === 'off';
  }

  /** Begins to watch, unless it is disconnected. Later calls do nothing. */
  start(): void {
    if (!this.isOff) this.#watcher.start();
  }

  /** Asks for everything anew, at once: the machine slept. */
  renew(): void {
    if (!this.isOff) this.#watcher.renew();
  }

  /** The window has the focus again: asks for what events do not tell. */
  refocus(): void {
    if (!this.isOff) this.#watcher.refocus();
  }

  /** A verb of ours failed on a container, which the engine may have changed without an event. */
  recheck(id: string): void {
    if (!this.isOff) this.#watcher.recheck(id);
  }

  /** The person wants it tried now, whatever failed before. */
  retry(): void {
    if (this.isOff) return;
    this.engine.retry();
    this.#watcher.renew();
  }

  /** Watches it again after {@link disconnect}. */
  connect(): void {
    this.engine.allow();
    this.#watcher.start();
  }

  /** Closes the connection and forgets what it had, until {@link connect}. */
  disconnect(): void {
    this.#watcher.suspend();
    this.engine.disconnect();
  }

  /** It is no longer in the settings: whoever still reads from it hears so. Ends with {@link dispose}. */
  remove(): void {
    this.engine.remove();
    // Logs that wait for a container look again, and are told why.
    this.#watcher.suspend();
    this.dispose();
  }

  dispose(): void {
    this.#store.dispose();
  }
}

/** What a unit is made of, besides its inventory. */
export interface EngineUnitOptions {
  /** Stands in the ids of rows; never changes. */
  readonly id: string;
  /** What a person calls it. */
  readonly name: string;
  readonly engine: Engine;
  readonly watch: (engine: Engine, inventory: Inventory) => Watcher;
}
