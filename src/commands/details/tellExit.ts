import type { ContainerDetails } from '../../engine/containers/containerDetails.ts';
import { inspectContainer } from '../../engine/containers/containers.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { unlessNotFound } from '../../engine/errors.ts';
import { readLastLines } from '../../engine/logs/readLastLine.ts';
import { oneLine } from '../../base/plainText.ts';
import { exitStory, type ExitStory, type KnownRuns } from './exitStory.ts';
import { recordRun } from './recordRun.ts';

/**
 * Tells how the last run of a container ended that is over, and what is known around it. Asks the engine once for its
 * details and once for its log; of a container that is gone, tells what this window has kept.
 *
 * @param id the full ID.
 * @throws InputError if it has not ended, or nothing is known of it; EngineError.
 */
export async function tellExit(
  id: string,
  connection: Connection,
  known: KnownRuns,
  signal: AbortSignal,
): Promise<ToldExit> {
  const details = await unlessNotFound(inspectContainer(connection, id, signal));
  if (details) recordRun(known.runs, details);
  const story = exitStory(id, known, details);
  const lastLines = details && (await exitLines(details, connection, signal));
  return { ...story, lastLines: lastLines ?? [] };
}

/** How a container ended, with the end of its log. */
export interface ToldExit extends ExitStory {
  /** One line each, the oldest first. Lines of the run after this one may be among them. */
  readonly lastLines: readonly string[];
}

/** Returns the last lines of a log, shortened; undefined if it cannot be read: the rest is worth telling. */
export async function exitLines(
  { id, hasTty }: Pick<ContainerDetails, 'id' | 'hasTty'>,
  connection: Connection,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const both = AbortSignal.any([signal, AbortSignal.timeout(LOG_MS)]);
  try {
    const lines = await readLastLines(connection, id, { hasTty, count: LAST_LINES }, both);
    return lines.map((line) => oneLine(line, LINE_LENGTH));
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

const LAST_LINES = 20;
const LINE_LENGTH = 1000;
/** Milliseconds to wait for the log. */
const LOG_MS = 5000;
