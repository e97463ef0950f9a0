import type { DisconnectedEngines } from './engines.ts';

/** Remembers in `memory` which engines the person disconnected. */
export function disconnectedEngines(memory: EngineMemento): DisconnectedEngines {
  const all = (): readonly unknown[] => {
    const kept = memory.get(KEY);
    return Array.isArray(kept) ? kept : [];
  };
  return {
    has: (id) => all().includes(id),
    set: (id, isLeft) => {
      const others = all().filter((one) => one !== id);
      // A window that closes meanwhile refuses; then nothing is remembered, and nothing is lost.
      memory.update(KEY, isLeft ? [...others, id] : others).then(undefined, () => undefined);
    },
  };
}

/** The part of an editor's memory that is used here. */
export interface EngineMemento {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const KEY = 'gantry.disconnectedEngines';
