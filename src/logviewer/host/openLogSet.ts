import type { Connection } from '../../engine/http/connection.ts';
import type { Inventory } from '../../inventory/inventory.ts';
import { monotonicClock, whenFound } from '../../base/time.ts';
import { LogSet } from '../../logs/follow/logSet.ts';
import type { ViewerSelection } from './viewerState.ts';
import type { StoreFeed } from './storeFeed.ts';
import type { ViewerLog } from './sessionContext.ts';

/** Creates the merged log of the selected containers of an engine. */
export function openLogSet(
  engine: ViewerEngine,
  selection: ViewerSelection,
  options: { readonly tail: number },
  feed: StoreFeed,
): ViewerLog {
  const { connect, watch, inventory } = engine;
  return new LogSet(selection, { tail: options.tail }, feed, {
    connect,
    watch,
    onDidChangeContainers: inventory.onDidChange,
    containers: () => inventory.containers,
    areAllKnown: () => inventory.phase.kind === 'live',
    whenListed: async (signal) => {
      watch();
      const isListed = (): true | undefined =>
        ['live', 'lost'].includes(inventory.phase.kind) || undefined;
      const limits = { clock: monotonicClock, limit: LONGEST_WAIT_MS, signal };
      await whenFound(isListed, inventory.onDidChange, limits);
    },
  });
}

export interface ViewerEngine {
  readonly id: string;
  readonly connect: (signal?: AbortSignal) => Promise<Connection>;
  readonly inventory: Pick<Inventory, 'containers' | 'onDidChange' | 'phase'>;
  /** Keeps the inventory up to date from now on. */
  readonly watch: () => void;
  /** Returns the name, qualified by the engine if there are several. */
  readonly titleOf: (name: string) => string;
}

/** A log does not wait longer than this for the engine's list of containers. */
const LONGEST_WAIT_MS = 5000;
