import { setTimeout as pause } from 'node:timers/promises';

/** How long a gesture may take on a busy machine before it counts as failed. */
export const PATIENCE_MS = 15_000;

type Empty = undefined | null | false | '' | 0;

/**
 * Looks again and again until there is something to see. A look that throws counts as one that saw
 * nothing; the last error is told when time is up.
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
      throw new Error(`Waited ${limit} ms in vain: ${what}`, { cause: failure });
    }
    await pause(50);
  }
}

/** A regular expression that fits `text` and nothing around it. */
export function exactly(text: string): RegExp {
  return new RegExp(`^\\s*${text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*$`);
}
