import { keyOf, type CleanupItem } from '../commands/system/cleanupItem.ts';
import { imageNames } from '../views/images/imageNames.ts';

/** The most versions of one item that are known. */
const MOST_VERSIONS = 10;

/** The versions of what the page shows: the user may confirm what has changed since. */
export class OfferedItems {
  /** By key, oldest first. */
  readonly #versions = new Map<string, readonly CleanupItem[]>();
  #switches = 0;

  /** Number of times that another engine came into use. */
  get switches(): number {
    return this.#switches;
  }

  /** Forgets everything, because another engine is in use. What was confirmed before does not count for it. */
  clear(): void {
    this.#versions.clear();
    this.#switches += 1;
  }

  /** Returns what identifies an item as it is now on this engine. */
  seenOf(item: CleanupItem): string {
    return `${this.#switches} ${versionOf(item)}`;
  }

  /** Adds what can be confirmed now. What is gone is forgotten when the page no longer shows it. */
  offer(now: readonly CleanupItem[], isShown: (key: string) => boolean): void {
    const items = new Map(now.map((item) => [keyOf(item), item]));
    for (const key of this.#versions.keys())
      if (!items.has(key) && !isShown(key)) this.#versions.delete(key);
    for (const [key, item] of items) {
      const versions = this.#versions.get(key) ?? [];
      const others = versions.filter((one) => versionOf(one) !== versionOf(item));
      this.#versions.set(key, [...others, item].slice(-MOST_VERSIONS));
    }
  }

  /** Returns an item as the user has confirmed it; undefined if that is not known. */
  find(item: CleanupItem, confirmed: ReadonlySet<string>): CleanupItem | undefined {
    return this.#versions.get(keyOf(item))?.find((one) => confirmed.has(this.seenOf(one)));
  }
}

function versionOf(item: CleanupItem): string {
  switch (item.kind) {
    case 'volumes':
      return `${keyOf(item)} ${item.seen.createdAt}`;
    case 'images':
      return `${keyOf(item)} ${imageNames(item.seen).join(' ')}`;
    case 'containers':
    case 'networks':
    case 'buildCache':
      return keyOf(item);
  }
}
