import { randomUUID } from 'node:crypto';
import { STEP_LABEL } from '../engine/images/temporaryMarks.ts';
import type { KnownEngine, KnownEngines } from '../inventory/knownEngine.ts';
import type { Disposable, Memento } from '../base/lifetime.ts';

/**
 * Removes the temporary containers and images that killed windows left behind. Runs once per engine, when its inventory
 * is first live and its images are listed, or refused.
 *
 * @param owner returns the mark of this window, whose containers are kept.
 */
export function sweepLeftovers(engines: KnownEngines, owner: () => string): Disposable {
  const swept = new WeakSet<KnownEngine>();
  return engines.onDidChangeInventory(() => {
    for (const one of engines.all) {
      const { phase } = one.inventory;
      if (phase.kind !== 'live' || phase.images === 'awaited' || swept.has(one)) continue;
      swept.add(one);
      void sweep(one, owner);
    }
  });
}

/** Where a window keeps what it has not finished; see `UnfinishedWork`, which is loaded only if there is something. */
export const UNFINISHED_KEY = 'gantry.unfinishedWork';

const SECRET_KEY = 'gantry.installation';

/** Returns a random secret that is generated once and stored. */
export function installationSecret(memory: Memento): string {
  const known = memory.get(SECRET_KEY);
  if (typeof known === 'string' && known !== '') return known;
  const made = randomUUID();
  void memory.update(SECRET_KEY, made);
  return made;
}

/** Loads what removes leftovers only if there may be some. */
async function sweep(one: KnownEngine, owner: () => string): Promise<void> {
  const { temporaries, containers, temporaryImages } = one.inventory;
  const hasStep = [...containers.values()].some(({ labels }) => Object.hasOwn(labels, STEP_LABEL));
  if (temporaries.size + temporaryImages.size === 0 && !hasStep) return;
  const { removeLeftovers } = await import('./removeLeftovers.ts');
  await removeLeftovers(one, owner());
}
