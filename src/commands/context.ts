import type { Engine } from '../engine/engine.ts';
import type { Activity } from '../inventory/activity.ts';
import type { Inventory } from '../inventory/inventory.ts';
import type { LogChannels } from '../output/logChannels.ts';
import type { PullProgress } from '../output/pullProgress.ts';
import type { TreeNode } from '../views/nodes.ts';
import type { Consent } from './consent.ts';
import type { Exits } from './exits.ts';
import type { RecentReferences } from './recentReferences.ts';

/** What commands stand on. They change the engine and never a view: the engine's events return by themselves. */
export interface CommandContext {
  readonly engine: Engine;
  readonly inventory: Inventory;
  readonly activity: Activity;
  readonly exits: Exits;
  readonly logs: LogChannels;
  readonly pulls: PullProgress;
  readonly consent: Consent;
  readonly recent: RecentReferences;
  /**
   * What is selected in the view of containers or of images: where that is visible and was used last, or is
   * known to have the focus.
   */
  readonly selection: (kind: 'container' | 'image', isFocused: boolean) => readonly TreeNode[];
  /** Shows and selects a container, or an image under this name, once the inventory has it. */
  readonly reveal: (id: string, reference?: string) => void;
  /** Lists anew; only for when the event stream is down, or when the person asks. */
  readonly renew: () => void;
}
