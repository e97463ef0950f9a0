import type { CommandContext } from '../commands/frame/commandContext.ts';
import type { EngineContents } from '../commands/system/cleanupItem.ts';
import type { CleanupKind } from '../engine/system/cleanupKinds.ts';
import { DisposableStore, type Disposable } from '../base/lifetime.ts';

/** Lists of an inventory since the clean-up page listed everything itself. */
export class NewerLists implements Disposable {
  readonly #inventory: Inventory;
  readonly #store = new DisposableStore();
  readonly #relisted = new Set<CleanupKind>();
  #looks: Disposable | undefined;
  #hasChanged = false;

  /** @param onChange called after every change of the inventory. */
  constructor(inventory: Inventory, onChange: () => void) {
    this.#inventory = inventory;
    this.#store.listen(inventory.onDidChange, ({ images }) => {
      if (images.size > 0) this.#relisted.add('images');
      this.#hasChanged = true;
      onChange();
    });
    for (const kind of ['volumes', 'networks'] as const)
      this.#store.listen(inventory[kind].onDidChange, () => {
        this.#relisted.add(kind);
        this.#hasChanged = true;
        onChange();
      });
  }

  /** Volumes and networks are kept up to date only while the page shows them. */
  look(isVisible: boolean): void {
    const { volumes, networks } = this.#inventory;
    this.#looks?.dispose();
    this.#looks = undefined;
    if (!isVisible) return;
    const looks = new DisposableStore();
    looks.add(volumes.look());
    looks.add(networks.look());
    this.#looks = looks;
  }

  /** Forgets what was listed until now, because the page is about to list everything. */
  clear(): void {
    this.#relisted.clear();
    this.#hasChanged = false;
  }

  /** Returns what the page has listed, with what is known to be there now. Copies nothing unless that has changed. */
  update(found: EngineContents): EngineContents {
    const { phase, containers, temporaries, images, temporaryImages } = this.#inventory;
    if (phase.kind !== 'live' || !this.#hasChanged) return found;
    this.#hasChanged = false;
    const { volumes, networks } = this.#inventory;
    const areImagesNewer = this.#relisted.has('images') && phase.images === undefined;
    return {
      ...found,
      // The events of every engine report these.
      containers: [...containers.values(), ...temporaries.values()],
      ...(areImagesNewer && { images: [...images.values(), ...temporaryImages.values()] }),
      ...(this.#isNewer('volumes') && { volumes: [...volumes.entries.values()] }),
      ...(this.#isNewer('networks') && { networks: [...networks.entries.values()] }),
    };
  }

  dispose(): void {
    this.#looks?.dispose();
    this.#store.dispose();
  }

  #isNewer(kind: 'volumes' | 'networks'): boolean {
    const isKept = this.#looks !== undefined && this.#inventory[kind].state === 'listed';
    return isKept && this.#relisted.has(kind);
  }
}

type Inventory = CommandContext['inventory'];
