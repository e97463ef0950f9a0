import { parseJson } from '../parseJson.ts';
import { delay, nextPause, settledWithin } from '../../time.ts';
import { plainText } from '../../plainText.ts';
import { capabilitiesOf } from '../capabilities.ts';
import type { Connection } from '../http/connection.ts';
import type { ContainerDetails } from './containerDetails.ts';
import { containerPath, inspectContainer } from './containers.ts';
import { EngineError } from '../errors.ts';
import { badAnswer, readBody } from '../http/readReply.ts';
import { ExitTracker } from './exitTracker.ts';
import { asNumber, asRecord, asText } from '../wire.ts';

/**
 * Waits for a container's end: `POST /containers/{id}/wait`. Resolves once the engine has registered the
 * wait, so that a start sent afterwards cannot be missed; `exit` settles with the end itself. Where an engine may miss
 * a run that is over in milliseconds, it is looked for.
 */
export async function waitForContainer(
  connection: Connection,
  id: string,
  condition: WaitCondition,
  signal?: AbortSignal,
): Promise<{ readonly exit: Promise<ExitStatus> }> {
  if (condition !== 'next-exit' || capabilitiesOf(await connection.info(signal)).waitsForShortRuns)
    return register(connection, id, condition, signal);
  const over = new AbortController();
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  const { exit: told } = await register(connection, id, condition, either);
  // Nobody starts it before this has resolved.
  const before = await inspectContainer(connection, id, either).catch(() => undefined);
  const looks = before ? [shortRun(connection, before, either)] : [];
  const exit = Promise.race([told, ...looks]).finally(() => {
    over.abort();
  });
  exit.catch(() => undefined);
  return { exit };
}

/** Which end to wait for. */
export type WaitCondition = 'not-running' | 'next-exit' | 'removed';

/** How a container ended. `error` is what the engine says went wrong with it. */
export interface ExitStatus {
  readonly exitCode: number;
  readonly error?: string;
}

/** Bytes of what an engine says about an end: a number and a sentence. */
const ANSWER_LIMIT = 1024 * 1024;

/** Milliseconds between two looks for a short run: at first, and at most. */
const [FIRST_LOOK_MS, LONGEST_LOOK_MS] = [500, 5000];
/** What is seen to run for so long is seen by the engine's own wait, too. */
const SEEN_MS = 1000;

/** The end of a run that began after `before` and that the engine's wait may have missed. Never rejects. */
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
      const now = await inspectContainer(connection, before.id, signal);
      const isOver = end.isKnown(now);
      if (isOver && now.startedAt !== before.startedAt) return { exitCode: now.exitCode };
      if (wasRunning && now.isRunning && pause >= SEEN_MS) break;
      wasRunning = now.isRunning;
    }
  } catch {
    // The wait itself tells what is wrong.
  }
  return new Promise<never>(() => undefined);
}

async function register(
  connection: Connection,
  id: string,
  condition: WaitCondition,
  signal: AbortSignal | undefined,
): Promise<{ readonly exit: Promise<ExitStatus> }> {
  const path = containerPath(id, 'wait');
  const reply = await connection.stream({ method: 'POST', path, query: { condition }, signal });
  const exit = readExit(connection, reply.body, path);
  // Whoever wants the status awaits `exit`; a failure nobody awaits is no unhandled one.
  exit.catch(() => undefined);
  return { exit };
}

async function readExit(
  connection: Connection,
  body: AsyncIterable<Uint8Array>,
  path: string,
): Promise<ExitStatus> {
  const operation = `POST ${path}`;
  const where = { endpoint: connection.endpoint.url, operation };
  const answer = await readBody(body, ANSWER_LIMIT, where);
  // Both engines always tell something: this end is that of a connection.
  if (answer.length === 0) throw new EngineError('cut', where);
  const wire = asRecord(parse(answer.toString('utf8')));
  const exitCode = asNumber(wire['StatusCode']);
  if (exitCode === undefined) throw badAnswer(connection, operation);
  const error = plainText(asText(asRecord(wire['Error'])['Message']));
  return error === '' ? { exitCode } : { exitCode, error };
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

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
  const { tellsExitAtRemoval } = capabilitiesOf(await connection.info(signal));
  if (tellsExitAtRemoval) return waitForContainer(connection, id, 'removed', signal);
  const { exitCode } = await inspectContainer(connection, id, signal);
  const over = new AbortController();
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  const [removal, next] = await Promise.all([
    waitForContainer(connection, id, 'removed', signal),
    // Gone already: what it ended with is known.
    waitForContainer(connection, id, 'next-exit', either).catch(() => undefined),
  ]).catch((error: unknown) => {
    over.abort();
    throw error;
  });
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
  const exit =
    next &&
    (await settledWithin(
      LATE_MS,
      next.catch(() => before),
    ));
  return { ...status, exitCode: (exit ?? before).exitCode };
}
