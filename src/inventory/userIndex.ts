import { isDeepStrictEqual } from 'node:util';
import { isUp, type Container } from '../engine/model.ts';

/** Which containers use an image, a volume or a network, by its key. The cost of a change is that of one container. */
export class UserIndex {
  readonly #usesOf: UsesOf;
  readonly #users = new Map<string, Set<string>>();

  constructor(usesOf: UsesOf) {
    this.#usesOf = usesOf;
  }

  /** Returns the IDs of the containers that use `key`. */
  of(key: string): ReadonlySet<string> {
    return this.#users.get(key) ?? NOBODY;
  }

  /** Replaces a container. Adds the keys for which it shows differently to `changed`. */
  replace(before: Container | undefined, after: Container | undefined, changed: Set<string>): void {
    const old = new Map(before && this.#usesOf(before));
    const next = new Map(after && this.#usesOf(after));
    const id = (after ?? before)?.id ?? '';
    for (const [key, look] of old) {
      if (isDeepStrictEqual(next.get(key), look)) next.delete(key);
      else {
        changed.add(key);
        if (!next.has(key)) this.#remove(key, id);
      }
    }
    for (const key of next.keys()) {
      changed.add(key);
      this.#users.set(key, (this.#users.get(key) ?? new Set()).add(id));
    }
  }

  #remove(key: string, id: string): void {
    const users = this.#users.get(key);
    users?.delete(id);
    if (users?.size === 0) this.#users.delete(key);
  }
}

/** Returns what a container uses, by key: what a row of that image, volume or network shows of the container. */
type UsesOf = (container: Container) => readonly (readonly [key: string, look: unknown])[];

const NOBODY: ReadonlySet<string> = new Set<string>();

/** An image shows the names of its containers. */
export const imageUses: UsesOf = ({ imageId, name }) => [[imageId, name]];

/** A volume shows the names of its containers, whether they are up, and where they mount it. */
export const volumeUses: UsesOf = (container) => {
  const mounted = container.mounts.filter(({ volume }) => volume !== undefined);
  const byVolume = Map.groupBy(mounted, ({ volume = '' }) => volume);
  return [...byVolume].map(([name, mounts]) => [name, [container.name, isUp(container), mounts]]);
};

/** A network shows the names, addresses, and states of its containers. */
export const networkUses: UsesOf = ({ networks, name, state, health, exitCode }) =>
  networks.map((one) => [one.name, [name, state, health, exitCode, one]]);

/** Part of a change to containers that concerns other rows. */
export interface UsedChange {
  readonly usedImages: Set<string>;
  readonly volumes: Set<string>;
  readonly usedNetworks: Set<string>;
}

export function noneUsed(): UsedChange {
  return { usedImages: new Set(), volumes: new Set(), usedNetworks: new Set() };
}
