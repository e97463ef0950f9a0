import type { BlockLocation, StoreSnapshot } from '../store/storeSnapshot.ts';
import type { StoreChange } from './workerMessages.ts';

/** Tells how a store changed since it was asked last. */
export class StoreChanges {
  #known = new Map<number, BlockLocation>();

  /** All of it, at first. */
  since(snapshot: StoreSnapshot): StoreChange {
    const { generation, firstId, endId, file, blocks } = snapshot;
    const changed = blocks.filter((place) => !isSame(this.#known.get(place.serial), place));
    const now = new Map(blocks.map((place) => [place.serial, place]));
    const gone = [...this.#known.keys()].filter((serial) => !now.has(serial));
    this.#known = now;
    return { generation, firstId, endId, file, changed, gone };
  }
}

function isSame(a: BlockLocation | undefined, b: BlockLocation): boolean {
  return a?.count === b.count && a.memory === b.memory && a.image === b.image;
}
