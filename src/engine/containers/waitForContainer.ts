import { tryParseJson } from '../wire/parseJson.ts';
import { delay, nextPause, settledWithin } from '../../base/time.ts';
import { plainText } from '../../base/plainText.ts';
import { capabilitiesOf } from '../capabilities/capabilities.ts';
import type { Connection } from '../http/connection.ts';
import type { ContainerDetails } from './containerDetails.ts';
import { inspectContainer } from './containers.ts';
import { containerPath, asNumber, asRecord, asText } from '../wire/wire.ts';
import { EngineError, isLost, needsUser } from '../errors.ts';
import { badAnswer, readBody, SHORT_BODY_LIMIT } from '../http/readReply.ts';
import { ExitTracker } from './exitTracker.ts';

/**
 * Waits for the exit of a container: `POST /containers/{id}/wait`. Resolves once the engine has registered the
 * wait, so that the exit after a later start cannot be missed; `exit` settles with the exit itself. If an engine
 * may miss a run of some milliseconds, the container is inspected in addition.
 */
export async function waitForContainer(
  connection: Connection,
  id: string,
  condition: WaitCondition,
  signal?: AbortSignal,
): Promise<RegisteredWait> {
  if (condition !== 'next-exit' || capabilitiesOf(await connection.info(signal)).waitsForShortRuns)
    return register(connection, id, condition, signal);
  const over = new AbortController();
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  const { exit: reported } = await register(connection, id, condition, either);
  // The caller does not start the container before this function has resolved.
  const before = await inspectContainer(connection, id, either).catch(() => undefined);
  const looks = before ? [shortRun(connection, before, either)] : [];
  const exit = Promise.race([reported, ...looks]).finally(() => over.abort());
  return awaitable(exit);
}

export interface RegisteredWait {
  readonly exit: Promise<ExitStatus>;
}

/** Wraps `exit` so that a failure is not an unhandled rejection if the caller does not await it. */
export function awaitable(exit: Promise<ExitStatus>): RegisteredWait {
  exit.catch(() => undefined);
  return { exit };
}

export type WaitCondition = 'not-running' | 'next-exit' | 'removed';

/** Exit of a container. `error` is the message of the engine. */
export interface ExitStatus {
  readonly exitCode: number;
  readonly error?: string;
}

// Milliseconds between two inspects for a short run: at first, and at most.
const FIRST_LOOK_MS = 500;
const LONGEST_LOOK_MS = 5000;
/** A run that lasts this long is also noticed by the wait of the engine. */
const SEEN_MS = 1000;

/**
 * Resolves to the exit of a run that started after `before` and that the wait of the engine may have missed.
 * Never rejects.
 */
async function shortRun(
  connection: Connection,
  before: ContainerDetails,
  signal: AbortSignal,
): Promise<ExitStatus> {
  const end = new ExitTracker();
  end.see(before);
  let wasRunning = before.isRunning;
  try {
    for (let pause = FIRST_LOOK_MS; ; pause = nextPause(pause, FIRST_LOOK_MS, LONGEST_LOOK_MS)) {
      await delay(pause, signal);
      const now = await inspectContainer(connection, before.id, signal).catch(undefinedIfLost);
      if (!now) continue;
      const isOver = end.isKnown(now);
      if (isOver && now.startedAt !== before.startedAt) return { exitCode: now.exitCode };
      if (wasRunning && now.isRunning && pause >= SEEN_MS) break;
      wasRunning = now.isRunning;
    }
  } catch {
    // The wait of the engine reports what is wrong.
  }
  return new Promise<never>(() => undefined);
}

/** A lost connection says nothing about the container. */
function undefinedIfLost(error: unknown): undefined {
  if (!isLost(error) || needsUser(error)) throw error;
}

async function register(
  connection: Connection,
  id: string,
  condition: WaitCondition,
  signal: AbortSignal | undefined,
): Promise<RegisteredWait> {
  const path = containerPath(id, 'wait');
  const reply = await connection.stream({ method: 'POST', path, query: { condition }, signal });
  return awaitable(readExit(connection, reply.body, path));
}

async function readExit(
  connection: Connection,
  body: AsyncIterable<Uint8Array>,
  path: string,
): Promise<ExitStatus> {
  const operation = `POST ${path}`;
  const where = { endpoint: connection.endpoint.url, operation };
  const answer = await readBody(body, SHORT_BODY_LIMIT, where);
  // Both engines always send a body, so the connection was lost.
  if (answer.length === 0) throw new EngineError('cut', where);
  const wire = asRecord(tryParseJson(answer.toString('utf8')));
  const exitCode = asNumber(wire['StatusCode']);
  if (exitCode === undefined) throw badAnswer(connection, operation);
  const error = plainText(asText(asRecord(wire['Error'])['Message']));
  return error === '' ? { exitCode } : { exitCode, error };
}
/** Time after a removal in which Podman may report the exit before it: it polls four times a second. */
const LATE_MS = 1000;

/**
 * Waits until a container is removed. Resolves once the engine has registered the wait; `exit` settles with the
 * removal and has the exit code of the container.
 *
 * Podman 4 reports exit code 0 for every removed container, so there the exit itself is awaited, too.
 */
export async function waitForRemoval(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<RegisteredWait> {
  const { tellsExitAtRemoval } = capabilitiesOf(await connection.info(signal));
  if (tellsExitAtRemoval) return waitForContainer(connection, id, 'removed', signal);
  const { exitCode } = await inspectContainer(connection, id, signal);
  const over = new AbortController();
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  const [removal, next] = await Promise.all([
    waitForContainer(connection, id, 'removed', signal),
    // If it has exited already, its exit code is known.
    waitForContainer(connection, id, 'next-exit', either).catch(() => undefined),
  ]).catch((error: unknown) => {
    over.abort();
    throw error;
  });
  const exit = afterRemoval(removal.exit, next?.exit, { exitCode }).finally(() => over.abort());
  return awaitable(exit);
}

/** @param before how the container exited before the wait, in case it has not run since. */
async function afterRemoval(
  removal: Promise<ExitStatus>,
  next: Promise<ExitStatus> | undefined,
  before: ExitStatus,
): Promise<ExitStatus> {
  const status = await removal;
  const late = next?.catch(() => before);
  const exit = late && (await settledWithin(LATE_MS, late));
  return { ...status, exitCode: (exit ?? before).exitCode };
}
