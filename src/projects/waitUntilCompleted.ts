import { waitForContainer } from '../engine/containers/waitForContainer.ts';
import { unlessNotFound } from '../engine/errors.ts';
import { settledWithin } from '../time.ts';
import type { WaitEnd, WaitWorld } from './waitUntilHealthy.ts';

/** A job has no limit of its own. */
const LONGEST_MS = 3_600_000;

/**
 * Waits until a container that was started has exited. The engine itself holds the response until then.
 *
 * @returns `completed` only for exit code 0.
 * @throws EngineError; the signal's reason if aborted.
 */
export async function waitUntilCompleted(
  id: string,
  { connection, clock }: WaitWorld,
  signal: AbortSignal,
): Promise<WaitEnd> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  try {
    const waiting = waitForContainer(connection, id, 'not-running', either);
    const exit = unlessNotFound(waiting.then((wait) => wait.exit)).then((status): WaitEnd =>
      status ? endOf(status.exitCode) : { kind: 'gone' },
    );
    const end = await settledWithin(LONGEST_MS, exit, { clock, signal });
    return end ?? { kind: 'late', afterMs: LONGEST_MS };
  } finally {
    over.abort();
  }
}

function endOf(exitCode: number): WaitEnd {
  return exitCode === 0 ? { kind: 'completed' } : { kind: 'exited', exitCode };
}
