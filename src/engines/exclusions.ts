import type { Memento } from '../base/lifetime.ts';
import { exactName, type CleanupItem } from '../commands/system/cleanupItem.ts';

const KEY = 'gantry.neverRemove';

/** What the user never wants to remove in a clean-up. Kept by name, so that it outlives a new image or container. */
export class Exclusions {
  readonly #memento: Memento;

  constructor(memento: Memento) {
    this.#memento = memento;
  }

  /** Returns whether an item of an engine is excluded. */
  of(engine: string): (item: CleanupItem) => boolean {
    const names = new Set(this.#all()[engine]);
    return (item) => namesOf(item).some((name) => names.has(name));
  }

  /** Excludes an item, or undoes it. */
  async set(engine: string, item: CleanupItem, isOn: boolean): Promise<void> {
    const all = this.#all();
    const names = namesOf(item);
    const others = (all[engine] ?? []).filter((name) => !names.includes(name));
    const added = isOn ? [`${item.kind} ${exactName(item)}`] : [];
    await this.#memento.update(KEY, { ...all, [engine]: [...others, ...added] });
  }

  #all(): Readonly<Record<string, readonly string[] | undefined>> {
    return this.#memento.get(KEY, {});
  }
}

/** An image may have several tags. */
function namesOf(item: CleanupItem): readonly string[] {
  const names = item.kind === 'images' ? [...item.seen.tags, item.id] : [item.name];
  return names.map((name) => `${item.kind} ${name}`);
}
