import { setTimeout as pause } from 'node:timers/promises';

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
  const deadline = Date.now() + limit;
  for (;;) {
    let failure: unknown;
    try {
      const seen = await look();
      if (seen) return seen as Exclude<T, Empty>;
    } catch (error) {
      failure = error;
    }
    if (Date.now() > deadline) {
      throw new Error(`Not within ${limit} ms: ${what}`, { cause: failure });
    }
    await pause(50);
  }
}

/** Returns a regular expression that matches `text` exactly, apart from surrounding whitespace. */
export function exactly(text: string): RegExp {
  return new RegExp(`^\\s*${text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*$`);
}
