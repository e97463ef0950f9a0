/** A wait for a container's end that outlives the connections it goes over. */

import { delay, nextPause } from '../../time.ts';
import type { Connection } from '../http/connection.ts';
import type { ContainerDetails } from './containerDetails.ts';
import { inspectContainer } from './containers.ts';
import {
  waitForContainer,
  waitForRemoval,
  type ExitStatus,
  type WaitCondition,
} from './waitForContainer.ts';
import { failedWith, isConnectionFailure, needsUser } from '../errors.ts';
import { sameEngineOnly, type Connect } from '../sameEngineOnly.ts';

/** What is waited for, and how the engine is reached again. */
export interface ReconnectingWait {
  readonly connect: Connect;
  readonly id: string;
  readonly condition: WaitCondition;
  /** The container was never started, so that any run of it is the one that is waited for. */
  readonly isNew?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called once for each outage: the engine could not be reached again at once. */
  readonly onLost?: () => void;
  /** Waits so many milliseconds; tests have their own. */
  readonly pause?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/** What tells one run from another. */
type Run = Pick<ContainerDetails, 'isRunning' | 'startedAt'>;

/** Of a container that was never started. */
const NO_RUN: Run = { isRunning: false, startedAt: '' };

/** A wait that the engine has registered. */
interface Registered {
  readonly exit: Promise<ExitStatus>;
}

/** Milliseconds between two tries: at first, and at most. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;
/** A wait that stood for so long was no failed try: the next one follows at once. */
const STOOD_MS = 1000;

/**
 * Waits for a container's end. Resolves once the engine has registered the wait. When the connection breaks, which
 * says nothing about the container, the wait is registered again: `exit` rejects only where the engine itself ends
 * the wait, as for a container that is gone, where another engine is in use (`engineReplaced`), where it cannot be told
 * which run has ended, or with the signal's reason.
 *
 * @throws EngineError of the first registration.
 */
export async function waitAcrossReconnects(lasting: ReconnectingWait): Promise<Registered> {
  const { id, condition, signal } = lasting;
  const connection = await lasting.connect(signal);
  const wait = { ...lasting, connect: sameEngineOnly(connection, lasting.connect) };
  const first = await register(connection, id, condition, signal);
  const before = await runBefore(connection, lasting);
  const exit = waitForExit(wait, before, first);
  // Whoever wants the status awaits `exit`; a failure nobody awaits is no unhandled one.
  exit.catch(() => undefined);
  return { exit };
}

/** Whether a failure says nothing about the container, and the engine may be asked again. */
export function isInterruption(error: unknown): boolean {
  if (isConnectionFailure(error)) return !needsUser(error);
  return failedWith(error, 'cut', 'timeout', 'unauthorized', 'failed', 'sshFull');
}

async function waitForExit(
  wait: ReconnectingWait,
  before: Run | undefined,
  first: Registered,
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
    if (stoodSince === undefined && pauseMs === 0) onLost?.();
    const hasStood = performance.now() - (stoodSince ?? Infinity) >= STOOD_MS;
    pauseMs = hasStood ? 0 : nextPause(pauseMs, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    if (pauseMs > 0) await pause(pauseMs, signal);
    registering = again(wait, before, broken);
  }
}

/** Whether a wait was missed cannot be told. The cause is what broke the wait. */
class UnknownRun extends Error {
  override readonly name = 'UnknownRun';
}

/** Registers the wait again. @param broken what ended the one before. */
async function again(
  { connect, id, condition, signal }: ReconnectingWait,
  before: Run | undefined,
  broken: unknown,
): Promise<Registered> {
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
  // The run that is waited for may be over already.
  over.abort();
  return register(connection, id, 'not-running', signal);
}

/**
 * Whether the run whose end is waited for has begun since `before`.
 *
 * @throws UnknownRun where it has ended if it has: the last end may be that of an earlier run.
 */
function hasBegun(now: Run, before: Run | undefined, broken: unknown): boolean {
  if (now.isRunning || before?.isRunning === true) return true;
  if (!before && now.startedAt !== '') {
    throw new UnknownRun('The last run may be an earlier one', { cause: broken });
  }
  return now.startedAt !== (before?.startedAt ?? '');
}

function register(
  connection: Connection,
  id: string,
  condition: WaitCondition,
  signal: AbortSignal | undefined,
): Promise<Registered> {
  return condition === 'removed'
    ? waitForRemoval(connection, id, signal)
    : waitForContainer(connection, id, condition, signal);
}

/** The run before the one that is waited for; undefined where it is not known. The wait stands without it. */
async function runBefore(
  connection: Connection,
  { id, condition, isNew, signal }: ReconnectingWait,
): Promise<Run | undefined> {
  if (isNew === true) return NO_RUN;
  if (condition !== 'next-exit') return undefined;
  return inspectContainer(connection, id, signal).catch(() => undefined);
}
