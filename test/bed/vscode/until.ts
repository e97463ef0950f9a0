import { setTimeout as pause } from 'node:timers/promises';

/** In milliseconds: a look costs CPU time in the page, so looks are the rarer the longer it takes. */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 150;

/** How long a user action may take on a busy machine before it counts as failed. */
export const PATIENCE_MS = 15_000;

type Empty = undefined | null | false | '' | 0;

/**
 * Polls `look` until it returns a truthy value, and resolves to that value. An exception counts as no value; on
 * timeout, the last one is the cause of the error.
 */
export async function until<T>(
  look: () => T | Promise<T>,
  what: string,
  limit = PATIENCE_MS,
): Promise<Exclude<T, Empty>> {
  const began = Date.now();
  for (;;) {
    let failure: unknown;
    try {
      const seen = await look();
      if (seen) return seen as Exclude<T, Empty>;
    } catch (error) {
      failure = error;
    }
    const elapsed = Date.now() - began;
    if (elapsed > limit) {
      throw new Error(`Not within ${limit} ms: ${what}`, { cause: failure });
    }
    await pause(Math.min(LONGEST_PAUSE, Math.max(FIRST_PAUSE, elapsed / 10)));
  }
}

/** Returns a regular expression that matches `text` exactly, apart from surrounding whitespace. */
export function exactly(text: string): RegExp {
  return new RegExp(`^\\s*${text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*$`);
}
