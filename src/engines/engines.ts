import {
  DisposableStore,
  Emitter,
  type Disposable,
  type Event,
  type Memento,
} from '../base/lifetime.ts';
import type { ContainerFailure } from '../inventory/runs/containerFailures.ts';
import type { InventoryChange } from '../inventory/inventory.ts';
import type { EngineUnit } from './engineUnit.ts';

/** The engines of this window. A failure of one engine does not affect the others. */
export class Engines implements Disposable {
  readonly #options: EnginesOptions;
  readonly #store = new DisposableStore();
  readonly #changes = this.#store.add(new Emitter<void>());
  readonly #removals = this.#store.add(new Emitter<EngineUnit>());
  readonly #inventoryChanges = this.#store.add(new Emitter<InventoryChange>());
  readonly #failures = this.#store.add(new Emitter<EngineFailure>());
  #entries: readonly Entry[] = [];
  #isStarted = false;

  /** Fires when an engine was added or removed. */
  readonly onDidChange: Event<void> = this.#changes.event;
  /** Fires when an engine was removed from the settings, or its entry was replaced. */
  readonly onDidRemove: Event<EngineUnit> = this.#removals.event;
  /** Fires when the inventory of any engine changed, after all listeners of that inventory itself. */
  readonly onDidChangeInventory: Event<InventoryChange> = this.#inventoryChanges.event;

  /** Fires when something goes wrong with a container of any engine. */
  readonly onDidFail: Event<EngineFailure> = this.#failures.event;

  constructor(parts: EnginesOptions) {
    this.#options = parts;
    this.#entries = parts.specs().map((spec) => this.#open(spec));
  }

  /** The default engine first, then in the order of the setting. */
  get all(): readonly EngineUnit[] {
    return this.#entries.map(({ unit }) => unit);
  }

  get(id: string): EngineUnit | undefined {
    return this.all.find((unit) => unit.id === id);
  }

  /** Finds an engine by its name or ID. A name takes precedence. */
  named(name: string): EngineUnit | undefined {
    return this.all.find((unit) => unit.name === name) ?? this.get(name);
  }

  /** Whether rows need to show which engine they belong to. */
  get areSeveral(): boolean {
    return this.#entries.length > 1;
  }

  /** Starts watching all engines that are not disconnected, and those added later. */
  start(): void {
    this.#isStarted = true;
    for (const unit of this.all) unit.start();
  }

  /** Applies changed settings. Engines whose entry is unchanged keep running. */
  update(): void {
    const wanted = this.#options.specs();
    const before = this.#entries;
    const kept = (spec: EngineSpec): Entry | undefined =>
      before.find((entry) => isSame(entry.spec, spec));
    const gone = before.filter((entry) => !wanted.some((spec) => isSame(entry.spec, spec)));
    const hasNew = wanted.some((spec) => !kept(spec));
    if (gone.length === 0 && !hasNew) return;
    for (const { unit, subscription } of gone) {
      // An engine that is added again later is connected.
      if (!wanted.some(({ id }) => id === unit.id)) this.#remember(unit.id, false);
      subscription.dispose();
      unit.remove();
      this.#removals.fire(unit);
    }
    this.#entries = wanted.map((spec) => kept(spec) ?? this.#open(spec));
    if (this.#isStarted) for (const unit of this.all) unit.start();
    this.#changes.fire();
  }

  /** Connects a disconnected engine again. */
  connect(unit: EngineUnit): void {
    this.#remember(unit.id, false);
    unit.connect();
  }

  /** Disconnects an engine until {@link connect}. The workspace remembers it. */
  disconnect(unit: EngineUnit): void {
    this.#remember(unit.id, true);
    unit.disconnect();
  }

  dispose(): void {
    for (const { unit, subscription } of this.#entries) {
      subscription.dispose();
      unit.dispose();
    }
    this.#entries = [];
    this.#store.dispose();
  }

  #open(spec: EngineSpec): Entry {
    const unit = this.#options.open(spec);
    if (this.#disconnected().includes(spec.id)) unit.disconnect();
    const subscription = unit.inventory.onDidChange((change) => {
      // Deferred, so that listeners added to this inventory later, such as the rows, are called first: rows
      // are updated before the views around them.
      queueMicrotask(() => this.#inventoryChanges.fire(change));
    });
    unit.onDidFail((failure) => this.#failures.fire({ ...failure, unit }));
    return { spec, unit, subscription };
  }

  /** Returns the IDs of the engines that the user disconnected. */
  #disconnected(): readonly unknown[] {
    const kept = this.#options.memory.get(DISCONNECTED);
    return Array.isArray(kept) ? kept : [];
  }

  #remember(id: string, isDisconnected: boolean): void {
    const others = this.#disconnected().filter((one) => one !== id);
    const ids = isDisconnected ? [...others, id] : others;
    // Fails if the window closes during the write. Then the change is not remembered, which does no harm.
    this.#options.memory.update(DISCONNECTED, ids).then(undefined, () => undefined);
  }
}

export interface EngineSpec {
  readonly id: string;
  readonly name: string;
  /** If it changes, the engine is replaced: closed and opened again. */
  readonly identity: string;
}

const DISCONNECTED = 'gantry.disconnectedEngines';

interface EnginesOptions {
  /** Returns the configured engines, the default one first. */
  readonly specs: () => readonly EngineSpec[];
  readonly open: (spec: EngineSpec) => EngineUnit;
  /** Stores per workspace which engines the user disconnected. */
  readonly memory: Pick<Memento, 'get' | 'update'>;
}

interface Entry {
  readonly spec: EngineSpec;
  readonly unit: EngineUnit;
  readonly subscription: Disposable;
}

function isSame(a: EngineSpec, b: EngineSpec): boolean {
  return a.id === b.id && a.name === b.name && a.identity === b.identity;
}

/** What went wrong with a container, and its engine. */
export type EngineFailure = ContainerFailure & { readonly unit: EngineUnit };
