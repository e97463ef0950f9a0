import { removeLeftImage } from '../engine/images/removeLeftImage.ts';
import { isLeftStep, removeLeftStep } from '../engine/containers/stepContainer.ts';
import {
  isLeftBehind,
  isLeftImage,
  removeLeftBehind,
} from '../engine/containers/openTemporaryContainer.ts';
import type { KnownEngine } from '../inventory/knownEngine.ts';

/**
 * Removes what killed windows left behind on an engine. Never rejects: what cannot be removed now is left for the next
 * start.
 */
export async function removeLeftovers(
  { inventory, engine }: KnownEngine,
  owner: string,
): Promise<void> {
  const now = Date.now();
  const left = [...inventory.temporaries.values()].filter((one) => isLeftBehind(one, owner, now));
  for (const { id } of left)
    await attempt(async () => removeLeftBehind(await engine.connect(), id));
  const steps = [...inventory.containers.values()].filter((one) => isLeftStep(one, owner));
  for (const { id } of steps)
    await attempt(async () => removeLeftStep(await engine.connect(), id, owner));
  const images = [...inventory.temporaryImages.values()];
  for (const image of images.filter((one) => isLeftImage(one, owner, now)))
    await attempt(async () => removeLeftImage(await engine.connect(), image));
}

async function attempt(remove: () => Promise<void>): Promise<void> {
  try {
    await remove();
  } catch {
    // Another window may be removing the same container or image.
  }
}
