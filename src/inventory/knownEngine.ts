import type { Engine } from '../engine/engine.ts';
import type { Event } from '../base/lifetime.ts';
import type { Activity } from './activity.ts';
import type { Inventory, InventoryChange } from './inventory.ts';

/** One engine of this window, as seen by the views. */
export interface KnownEngine {
  readonly id: string;
  readonly name: string;
  /** Whether it comes from the setting `gantry.engines` and can be removed from there. */
  readonly isAdded: boolean;
  /** Whether its TLS certificate is not verified, so that another host can impersonate it. */
  readonly isUnchecked: boolean;
  readonly engine: Pick<Engine, 'endpoint' | 'origin' | 'attempts' | 'connect'>;
  readonly inventory: Inventory;
  readonly activity: Activity;
}

export interface KnownEngines {
  readonly all: readonly KnownEngine[];
  readonly areSeveral: boolean;
  get(id: string): KnownEngine | undefined;
  /** Fires when an engine was added or removed. */
  readonly onDidChange: Event<void>;
  /** Fires when the inventory of any engine changed. */
  readonly onDidChangeInventory: Event<InventoryChange>;
}
