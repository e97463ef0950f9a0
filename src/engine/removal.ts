import { delay } from '../lifetime.ts';
import type { Connection } from './connection.ts';
import { inspectContainer, waitForContainer, type ExitStatus } from './containers.ts';

/** How long after a removal Podman may take to tell of the exit before it: it looks four times a second. */
const LATE_MS = 1000;

/**
 * Waits until a container is removed, and tells how it ended. Resolves once the engine has registered the
 * wait; `exit` settles with the removal.
 *
 * Podman 4 says of everything removed that it ended with 0. There the exit itself is waited for, too.
 */
export async function waitForRemoval(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<{ readonly exit: Promise<ExitStatus> }> {
  const { product } = await connection.info(signal);
  if (product !== 'podman') return waitForContainer(connection, id, 'removed', signal);
  const { exitCode } = await inspectContainer(connection, id, signal);
  const over = new AbortController();
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  const [removal, next] = await Promise.all([
    waitForContainer(connection, id, 'removed', signal),
    // Gone already: what it ended with is known.
    waitForContainer(connection, id, 'next-exit', either).catch(() => undefined),
  ]);
  const exit = afterRemoval(removal.exit, next?.exit, { exitCode }).finally(() => {
    over.abort();
  });
  // Whoever wants the status awaits `exit`; a failure nobody awaits is no unhandled one.
  exit.catch(() => undefined);
  return { exit };
}

/** @param before how it had ended before the wait, should it not have run since. */
async function afterRemoval(
  removal: Promise<ExitStatus>,
  next: Promise<ExitStatus> | undefined,
  before: ExitStatus,
): Promise<ExitStatus> {
  const status = await removal;
  const late = new AbortController();
  const nothing = delay(LATE_MS, late.signal).then(() => before);
  nothing.catch(() => undefined);
  try {
    const { exitCode } = await Promise.race([next?.catch(() => before) ?? before, nothing]);
    return { ...status, exitCode };
  } finally {
    late.abort();
  }
}
