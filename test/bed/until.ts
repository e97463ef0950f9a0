import { setTimeout as pause } from 'node:timers/promises';

/** How long an engine or a window may take for something on a busy machine before it counts as failed. */
export const PATIENCE_MS = 20_000;

/** In milliseconds. A look takes CPU time from what it waits for: the longer that takes, the longer the pauses. */
const LEAST_PAUSE = 50;
const LONGEST_PAUSE = 150;
/** After an expensive look. */
const MOST_PAUSE = 500;

type Empty = undefined | null | false | '' | 0;

/**
 * Polls `look` until it returns a truthy value, and resolves to that value. An exception counts as no value; on
 * timeout, the error quotes the last one, its cause.
 *
 * @param what names the condition in the error.
 * @param limit in milliseconds.
 */
export async function until<T>(
  look: () => T | Promise<T>,
  what: string,
  limit = PATIENCE_MS,
): Promise<Exclude<T, Empty>> {
  const began = performance.now();
  for (;;) {
    const lookedAt = performance.now();
    let failure: unknown;
    try {
      const seen = await look();
      if (seen) return seen as Exclude<T, Empty>;
    } catch (error) {
      failure = error;
    }
    const now = performance.now();
    const elapsed = now - began;
    if (elapsed > limit) {
      const [why = ''] = failure instanceof Error ? failure.message.split('\n') : [];
      const words = `Not within ${limit} ms: ${what}${why === '' ? '' : ` (${why})`}`;
      throw new Error(words, { cause: failure });
    }
    const patient = Math.min(LONGEST_PAUSE, elapsed / 10);
    await pause(Math.max(LEAST_PAUSE, patient, Math.min(MOST_PAUSE, 4 * (now - lookedAt))));
  }
}
