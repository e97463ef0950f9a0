import { settledWithin } from '../../base/time.ts';

/** Milliseconds that terminals of a closing window have to end. */
const LAST_CALL_MS = 2500;

/** Closes terminals as the user does. Resolves when what runs in them has ended, or after a short time. */
export async function closeAll<T extends { close(): void }>(
  terminals: Iterable<T>,
  endOf: (terminal: T) => Promise<unknown>,
): Promise<void> {
  const all = [...terminals];
  if (all.length === 0) return;
  for (const terminal of all) terminal.close();
  await settledWithin(LAST_CALL_MS, Promise.all(all.map(endOf)));
}
