/** Work that ends with its object and not with its connection: waits, and operations whose answer was lost. */

import type { ContainerDetails } from '../engine/containers/containerDetails.ts';
import { inspectContainer } from '../engine/containers/containers.ts';
import { isInterruption } from '../engine/containers/reconnectingWait.ts';
import { failedWith, unlessNotFound } from '../engine/errors.ts';
import type { Connection } from '../engine/http/connection.ts';
import type { Container } from '../engine/model.ts';
import type { Connect } from '../engine/http/sameEngineOnly.ts';
import { nextPause, type Clock } from '../base/time.ts';
import type { ContainerOutcome, ProjectVerb } from './operations.ts';

/** The engine that a run works on. */
export interface EngineAccess {
  readonly connection: Connection;
  /** Resolves to a new connection to the same engine if the last was lost; by default it stays. */
  readonly connect?: Connect;
  readonly clock: Clock;
}

/** Milliseconds between two attempts: at first, and at most. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;

/** Returns the connection to use now. @throws EngineError. */
export function connectionOf(
  { connection, connect }: EngineAccess,
  signal: AbortSignal,
): Promise<Connection> {
  return connect ? connect(signal) : Promise.resolve(connection);
}

/**
 * Asks the engine, and again while it cannot be reached, until `limitMs` is over.
 *
 * @throws EngineError of the last attempt, or that the engine itself answers; the signal's reason if aborted.
 */
export async function askUntilReached<T>(
  access: EngineAccess,
  limitMs: () => number,
  signal: AbortSignal,
  ask: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { clock } = access;
  const since = clock.now();
  for (let pause = FIRST_PAUSE_MS; ; pause = nextPause(pause, FIRST_PAUSE_MS, LONGEST_PAUSE_MS)) {
    try {
      return await ask(await connectionOf(access, signal));
    } catch (error) {
      signal.throwIfAborted();
      // An answer of the engine is one, even if it says that it failed.
      const isLost = isInterruption(error) && !failedWith(error, 'failed', 'unauthorized');
      if (!isLost || clock.now() - since >= limitMs()) throw error;
    }
    await clock.delay(pause, signal);
  }
}

/** Whether it is unknown what became of a request: the engine may have got it. */
export function isUnanswered(error: unknown): boolean {
  return failedWith(error, 'cut', 'timeout');
}

/** Time limit for an engine to stop a container after the connection was lost, and to be reached again. */
const LONGEST_LOOK_MS = 15_000;

/**
 * Looks whether the engine has done an operation whose answer was lost. Resolves to undefined if it has not, or if that
 * cannot be told.
 *
 * @throws the signal's reason if aborted.
 */
export async function outcomeAfterLoss(
  verb: ProjectVerb,
  { id }: Container,
  access: EngineAccess,
  signal: AbortSignal,
): Promise<ContainerOutcome | undefined> {
  const { clock } = access;
  const since = clock.now();
  const left = (): number => since + LONGEST_LOOK_MS - clock.now();
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    const look = (connection: Connection) =>
      unlessNotFound(inspectContainer(connection, id, signal));
    const now = await askUntilReached(access, left, signal, look).catch(() => null);
    signal.throwIfAborted();
    if (now === null) return undefined;
    const outcome = OUTCOMES[verb](now);
    const isStill = now !== undefined && (verb === 'stop' || now.state === 'removing');
    if (outcome || !isStill || left() <= 0) return outcome;
    await clock.delay(Math.min(pause, Math.max(left(), 0)), signal);
  }
}

type Look = (now: ContainerDetails | undefined) => ContainerOutcome | undefined;

function outcomeIf(outcome: ContainerOutcome, isDone: (now: ContainerDetails) => boolean): Look {
  return (now) => (now && isDone(now) ? outcome : undefined);
}

/** A container that runs may not have been restarted. */
const OUTCOMES: Readonly<Record<ProjectVerb, Look>> = {
  start: outcomeIf('started', ({ state }) => state === 'running'),
  stop: outcomeIf('stopped', ({ isRunning }) => !isRunning),
  restart: () => undefined,
  pause: outcomeIf('paused', ({ state }) => state === 'paused'),
  unpause: outcomeIf('unpaused', ({ state }) => state === 'running'),
  kill: outcomeIf('killed', ({ isRunning }) => !isRunning),
  remove: (now) => (now ? undefined : 'removed'),
};
