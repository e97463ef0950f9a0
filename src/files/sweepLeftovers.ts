import { randomUUID } from 'node:crypto';
import type { Connection } from '../engine/http/connection.ts';
import { isLeftBehind, removeLeftBehind } from '../engine/images/withTemporaryContainer.ts';
import type { Inventory } from '../inventory/inventory.ts';
import type { Disposable, Event } from '../lifetime.ts';

/**
 * Removes the temporary containers that windows left behind when they were killed, once for each engine when it is
 * first known what there is.
 *
 * @param owner this window's own mark, whose containers stay.
 */
export function sweepLeftovers(
  engines: {
    readonly all: readonly LeftoverEngine[];
    readonly onDidChangeInventory: Event<unknown>;
  },
  owner: string,
): Disposable {
  const swept = new WeakSet<LeftoverEngine>();
  return engines.onDidChangeInventory(() => {
    for (const one of engines.all) {
      if (one.inventory.phase.kind !== 'live' || swept.has(one)) continue;
      swept.add(one);
      void sweep(one, owner);
    }
  });
}

/** What is swept: an engine as the sweeper needs it. */
export interface LeftoverEngine {
  readonly inventory: Pick<Inventory, 'temporaries' | 'phase'>;
  readonly engine: { connect(): Promise<Connection> };
}

/** Where the editor keeps the secret of this installation. */
interface Memory {
  get(key: string): unknown;
  update(key: string, value: string): PromiseLike<void>;
}

const SECRET_KEY = 'gantry.installation';

/** A random text that is made once and kept. */
export function installationSecret(memory: Memory): string {
  const known = memory.get(SECRET_KEY);
  if (typeof known === 'string' && known !== '') return known;
  const made = randomUUID();
  void memory.update(SECRET_KEY, made);
  return made;
}

/** What cannot be removed now is for the next start. */
async function sweep({ inventory, engine }: LeftoverEngine, owner: string): Promise<void> {
  const now = Date.now();
  const left = [...inventory.temporaries.values()].filter((one) => isLeftBehind(one, owner, now));
  for (const { id } of left) {
    try {
      await removeLeftBehind(await engine.connect(), id);
    } catch {
      // It may be another window that does the same.
    }
  }
}
