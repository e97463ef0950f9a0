import type { Connection } from '../../engine/http/connection.ts';
import type { Inventory } from '../../inventory/inventory.ts';
import type { L10n } from '../../l10n.ts';
import { monotonicClock, whenFound } from '../../time.ts';
import { LogSet } from '../../logs/follow/logSet.ts';
import type { ViewerSelection } from './viewerState.ts';
import type { StoreFeed } from './storeFeed.ts';
import type { ViewerLog } from './viewerContent.ts';

/** The log of a selection of an engine's containers. */
export function openLogSet(
  engine: ViewerEngine,
  selection: ViewerSelection,
  options: { readonly tail: number; readonly l10n: L10n },
  feed: StoreFeed,
): ViewerLog {
  const { connect, watch, inventory } = engine;
  const set = new LogSet(selection, { tail: options.tail }, feed, {
    ...{ connect, watch, l10n: options.l10n },
    onDidChangeContainers: inventory.onDidChange,
    containers: () => inventory.containers,
    areAllKnown: () => inventory.phase.kind === 'live',
  });
  const end = new AbortController();
  return {
    get members() {
      return set.members;
    },
    onDidChangeMembers: set.onDidChangeMembers,
    open: async () => {
      watch();
      // By the list it is known who is in a project now; who comes later is new.
      const isListed = (): true | undefined =>
        ['live', 'lost'].includes(inventory.phase.kind) || undefined;
      const limits = { clock: monotonicClock, limit: LONGEST_WAIT_MS, signal: end.signal };
      await whenFound(isListed, inventory.onDidChange, limits);
      if (!end.signal.aborted) await set.open();
    },
    older: (count, signal) => set.older(count, signal),
    dispose: () => {
      end.abort();
      set.dispose();
    },
  };
}

/** An engine as a viewer needs it. */
export interface ViewerEngine {
  readonly id: string;
  readonly connect: (signal?: AbortSignal) => Promise<Connection>;
  readonly inventory: Pick<Inventory, 'containers' | 'onDidChange' | 'phase'>;
  /** Has the inventory kept true from now on. */
  readonly watch: () => void;
  /** A name with what tells it from those of other engines, where there are several. */
  readonly titleOf: (name: string) => string;
}

/** An engine that takes longer to list its containers keeps a log waiting no longer. */
const LONGEST_WAIT_MS = 5000;
