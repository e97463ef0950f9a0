import { randomUUID } from 'node:crypto';
import { removeLeftImage } from '../engine/images/removeLeftImage.ts';
import { isLeftStep, removeLeftStep } from '../engine/images/stepContainer.ts';
import {
  isLeftBehind,
  isLeftImage,
  removeLeftBehind,
} from '../engine/images/withTemporaryContainer.ts';
import type { KnownEngine, KnownEngines } from '../inventory/knownEngine.ts';
import type { Disposable, Memento } from '../lifetime.ts';

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

/** What cannot be removed now is left for the next start. */
async function sweep({ inventory, engine }: KnownEngine, owner: () => string): Promise<void> {
  const now = Date.now();
  const left = [...inventory.temporaries.values()].filter((one) => isLeftBehind(one, owner(), now));
  for (const { id } of left)
    await attempt(async () => removeLeftBehind(await engine.connect(), id));
  const steps = [...inventory.containers.values()].filter((one) => isLeftStep(one, owner()));
  for (const { id } of steps)
    await attempt(async () => removeLeftStep(await engine.connect(), id, owner()));
  const images = [...inventory.temporaryImages.values()];
  for (const image of images.filter((one) => isLeftImage(one, owner(), now)))
    await attempt(async () => removeLeftImage(await engine.connect(), image));
}

async function attempt(remove: () => Promise<void>): Promise<void> {
  try {
    await remove();
  } catch {
    // Another window may be removing the same container or image.
  }
}
