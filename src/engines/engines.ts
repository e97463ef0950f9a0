import { DisposableStore, Emitter, type Disposable, type Event } from '../lifetime.ts';
import type { InventoryChange } from '../inventory/inventory.ts';
import type { EngineUnit } from './engineUnit.ts';

/** The engines this window works with. One's trouble never touches another's. */
export class Engines implements Disposable {
  readonly #options: EnginesOptions;
  readonly #store = new DisposableStore();
  readonly #changes = this.#store.add(new Emitter<void>());
  readonly #removals = this.#store.add(new Emitter<EngineUnit>());
  readonly #inventoryChanges = this.#store.add(new Emitter<InventoryChange>());
  #entries: readonly Entry[] = [];
  #isStarted = false;

  /** Fires when an engine came or went. */
  readonly onDidChange: Event<void> = this.#changes.event;
  /** Fires for an engine that is no longer in the settings, or is another one there. */
  readonly onDidRemove: Event<EngineUnit> = this.#removals.event;
  /** Fires when what is known of any of them changed, after all who listen to that one alone have heard. */
  readonly onDidChangeInventory: Event<InventoryChange> = this.#inventoryChanges.event;

  constructor(parts: EnginesOptions) {
    this.#options = parts;
    this.#entries = parts.specs().map((spec) => this.#open(spec));
  }

  /** The default one first, then in the order of the setting. */
  get all(): readonly EngineUnit[] {
    return this.#entries.map(({ unit }) => unit);
  }

  /** The one of this id. */
  get(id: string): EngineUnit | undefined {
    return this.all.find((unit) => unit.id === id);
  }

  /** The one a person calls so, by its name or id. */
  named(name: string): EngineUnit | undefined {
    return this.all.find((unit) => unit.name === name) ?? this.get(name);
  }

  /** Whether rows need to say which engine they are of. */
  get areSeveral(): boolean {
    return this.#entries.length > 1;
  }

  /** Begins to watch all that are not disconnected, and those that come. */
  start(): void {
    this.#isStarted = true;
    for (const unit of this.all) unit.start();
  }

  /** Asks everything anew. */
  renew(): void {
    for (const unit of this.all) unit.renew();
  }

  /** The window has the focus again. */
  refocus(): void {
    for (const unit of this.all) unit.refocus();
  }

  /** Takes the wanted ones anew: those that are wanted as before go on undisturbed. */
  update(): void {
    const wanted = this.#options.specs();
    const before = this.#entries;
    const kept = (spec: EngineSpec): Entry | undefined =>
      before.find((entry) => isSame(entry.spec, spec));
    const gone = before.filter((entry) => !wanted.some((spec) => isSame(entry.spec, spec)));
    const hasNew = wanted.some((spec) => !kept(spec));
    if (gone.length === 0 && !hasNew) return;
    for (const { unit, subscriptions } of gone) {
      subscriptions.dispose();
      unit.remove();
      this.#removals.fire(unit);
    }
    this.#entries = wanted.map((spec) => kept(spec) ?? this.#open(spec));
    if (this.#isStarted) for (const unit of this.all) unit.start();
    this.#changes.fire();
  }

  /** Works with an engine again that was disconnected. */
  connect(unit: EngineUnit): void {
    this.#options.disconnected.set(unit.id, false);
    unit.connect();
  }

  /** Works with an engine no more, until {@link connect}; this workspace remembers it. */
  disconnect(unit: EngineUnit): void {
    this.#options.disconnected.set(unit.id, true);
    unit.disconnect();
  }

  dispose(): void {
    for (const entry of this.#entries) close(entry);
    this.#entries = [];
    this.#store.dispose();
  }

  #open(spec: EngineSpec): Entry {
    const unit = this.#options.open(spec);
    if (this.#options.disconnected.has(spec.id)) unit.disconnect();
    const subscriptions = new DisposableStore();
    subscriptions.add(
      unit.inventory.onDidChange((change) => {
        // This is the first listener, and is to be the last: rows come before what is said around them.
        queueMicrotask(() => {
          this.#inventoryChanges.fire(change);
        });
      }),
    );
    return { spec, unit, subscriptions };
  }
}

/** The id of the engine that the person's own command line would use. */
export const DEFAULT_ENGINE = 'default';

/** One engine that is wanted. */
export interface EngineSpec {
  readonly id: string;
  readonly name: string;
  /** Another word makes it another engine: it is closed and opened anew. */
  readonly identity: string;
}

/** Remembers for the workspace which engines the person disconnected. Saving never rejects. */
export interface DisconnectedEngines {
  has(id: string): boolean;
  set(id: string, isLeft: boolean): void;
}

/** What the engines of a window are made by. */
export interface EnginesOptions {
  /** The engines wanted now, the default one first. */
  readonly specs: () => readonly EngineSpec[];
  readonly open: (spec: EngineSpec) => EngineUnit;
  readonly disconnected: DisconnectedEngines;
}

interface Entry {
  readonly spec: EngineSpec;
  readonly unit: EngineUnit;
  readonly subscriptions: DisposableStore;
}

function isSame(a: EngineSpec, b: EngineSpec): boolean {
  return a.id === b.id && a.name === b.name && a.identity === b.identity;
}

function close({ unit, subscriptions }: Entry): void {
  subscriptions.dispose();
  unit.dispose();
}
