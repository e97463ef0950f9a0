/** A wait for the exit of a container that survives a lost connection. */

import { delay, nextPause } from '../../base/time.ts';
import type { Connection } from '../http/connection.ts';
import type { ContainerDetails } from './containerDetails.ts';
import { inspectContainer } from './containers.ts';
import {
  waitForContainer,
  waitForRemoval,
  awaitable,
  type ExitStatus,
  type RegisteredWait,
  type WaitCondition,
} from './waitForContainer.ts';
import { failedWith, isConnectionFailure, needsUser } from '../errors.ts';
import { sameEngineOnly, type Connect } from '../http/sameEngineOnly.ts';

/** Options of a wait that survives a lost connection. */
interface ReconnectingWait {
  readonly connect: Connect;
  readonly id: string;
  readonly condition: WaitCondition;
  /** Whether the container was never started, so that its first run is the one to wait for. */
  readonly isNew?: boolean;
  readonly signal?: AbortSignal;
  /** Called once per outage, when the first attempt to reconnect has failed, with its error. */
  readonly onLost?: (error: unknown) => void;
  /** Waits for this many milliseconds. Replaced in tests. */
  readonly pause?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/** The fields that distinguish one run from another. */
type Run = Pick<ContainerDetails, 'isRunning' | 'startedAt'>;

/** The state of a container that was never started. */
const NO_RUN: Run = { isRunning: false, startedAt: '' };

/** Milliseconds between two attempts: at first, and at most. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;
/** After a wait that lasted at least this long, the next attempt follows immediately. */
const STOOD_MS = 1000;

/**
 * Waits for the exit of a container. Resolves once the engine has registered the wait. If the connection is lost,
 * which is unrelated to the container, the wait is registered again. `exit` rejects only if the engine itself
 * ends the wait, for example because the container is gone, if another engine is in use (`engineReplaced`), if it
 * is unknown which run has exited, or with the abort reason of the signal.
 *
 * @throws EngineError of the first registration.
 */
export async function waitAcrossReconnects(lasting: ReconnectingWait): Promise<RegisteredWait> {
  const { id, condition, signal } = lasting;
  const connection = await lasting.connect(signal);
  const wait = { ...lasting, connect: sameEngineOnly(connection, lasting.connect) };
  const first = await register(connection, id, condition, signal);
  const before = await runBefore(connection, lasting);
  return awaitable(waitForExit(wait, before, first));
}

/**
 * Returns whether a failure is unrelated to the container, so that the engine may be asked again. That is harmless
 * after a final failure, too: a refused SSH login is not repeated until the user retries.
 */
export function isInterruption(error: unknown): boolean {
  if (isConnectionFailure(error)) return !needsUser({ reason: error.reason, isFinal: false });
  return failedWith(error, 'cut', 'timeout', 'unauthorized', 'failed', 'sshFull');
}

async function waitForExit(
  wait: ReconnectingWait,
  before: Run | undefined,
  first: RegisteredWait,
): Promise<ExitStatus> {
  const { pause = delay, signal, onLost } = wait;
  let registering = Promise.resolve(first);
  let pauseMs = 0;
  for (let stoodSince: number | undefined = -Infinity; ; stoodSince = undefined) {
    let broken: unknown;
    try {
      const { exit } = await registering;
      stoodSince ??= performance.now();
      return await exit;
    } catch (error) {
      if (error instanceof UnknownRun) throw error.cause;
      if (signal?.aborted || !isInterruption(error)) throw error;
      broken = error;
    }
    if (stoodSince === undefined && pauseMs === 0) onLost?.(broken);
    const hasStood = performance.now() - (stoodSince ?? Infinity) >= STOOD_MS;
    pauseMs = hasStood ? 0 : nextPause(pauseMs, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    if (pauseMs > 0) await pause(pauseMs, signal);
    registering = again(wait, before, broken);
  }
}

/** It is unknown whether the exit was missed. The cause is the error that ended the wait. */
class UnknownRun extends Error {
  override readonly name = 'UnknownRun';
}

/** Registers the wait again. @param broken the error that ended the previous wait. */
async function again(
  { connect, id, condition, signal }: ReconnectingWait,
  before: Run | undefined,
  broken: unknown,
): Promise<RegisteredWait> {
  const connection = await connect(signal);
  if (condition !== 'next-exit') return register(connection, id, condition, signal);
  const over = new AbortController();
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  const next = await register(connection, id, 'next-exit', either);
  try {
    const now = await inspectContainer(connection, id, signal);
    if (!hasBegun(now, before, broken)) return next;
  } catch (error) {
    over.abort();
    throw error;
  }
  // The run to wait for may have exited already.
  over.abort();
  return register(connection, id, 'not-running', signal);
}

/**
 * Returns whether the run to wait for has started since `before`.
 *
 * @throws UnknownRun if the container is not running and `before` is unknown: the last exit may be that of an
 *   earlier run.
 */
function hasBegun(now: Run, before: Run | undefined, broken: unknown): boolean {
  if (now.isRunning || before?.isRunning === true) return true;
  if (!before && now.startedAt !== '')
    throw new UnknownRun('The last run may be an earlier one', { cause: broken });
  return now.startedAt !== (before?.startedAt ?? '');
}

function register(
  connection: Connection,
  id: string,
  condition: WaitCondition,
  signal: AbortSignal | undefined,
): Promise<RegisteredWait> {
  return condition === 'removed'
    ? waitForRemoval(connection, id, signal)
    : waitForContainer(connection, id, condition, signal);
}

/** Returns the run before the one to wait for; undefined if it is unknown. The wait works without it. */
async function runBefore(
  connection: Connection,
  { id, condition, isNew, signal }: ReconnectingWait,
): Promise<Run | undefined> {
  if (isNew === true) return NO_RUN;
  if (condition !== 'next-exit') return undefined;
  return inspectContainer(connection, id, signal).catch(() => undefined);
}
