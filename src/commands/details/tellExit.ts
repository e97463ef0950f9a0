import * as l10n from '@vscode/l10n';
import type { ContainerDetails } from '../../engine/containers/containerDetails.ts';
import { memoryLimitOf } from '../../engine/containers/containerDetails.ts';
import { inspectContainer } from '../../engine/containers/containers.ts';
import { signalName } from '../../engine/containers/signalName.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { InputError, unlessNotFound } from '../../engine/errors.ts';
import type { Probe } from '../../engine/facts/containerFacts.ts';
import { readProbes } from '../../engine/facts/readProbes.ts';
import { readLastLines } from '../../engine/logs/readLastLine.ts';
import { KILLED } from '../../engine/model.ts';
import { asRecord } from '../../engine/wire/wire.ts';
import type { ContainerEvent, EventRing } from '../../inventory/runs/eventRing.ts';
import type { LastRuns } from '../../inventory/runs/lastRuns.ts';
import { runChanges, unknownIn, type RunChange } from '../../inventory/runs/runChanges.ts';
import { oneLine } from '../../base/plainText.ts';
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
): Promise<ExitStory> {
  const details = await unlessNotFound(inspectContainer(connection, id, signal));
  if (details) recordRun(known.runs, details);
  const events = known.events.eventsOf(id);
  const exit = details ? exitOf(details, events) : keptExit(id, known);
  const lastLines = details ? await lastLinesOf(details, connection, signal) : [];
  const limitBytes = details && memoryLimitOf(details);
  return {
    ...withSignal(exit.exitCode),
    oomKilled: exit.oomKilled,
    lastLines,
    probes: details ? readProbes(asRecord(asRecord(details.raw)['State'])).probes : [],
    ...changesOf(id, known),
    events: aroundExit(events),
    isRunning: details?.isRunning ?? false,
    ...(limitBytes === undefined ? {} : { limitBytes }),
  };
}

/** How a container ended, and what is known around it. */
export interface ExitStory {
  /** -1 if the engine does not say. */
  readonly exitCode: number;
  /** The signal that the exit code represents: `SIGKILL`. */
  readonly signal?: string;
  readonly oomKilled: boolean;
  /** One line each, the oldest first. Lines of the run after this one may be among them. */
  readonly lastLines: readonly string[];
  readonly probes: readonly Probe[];
  /** What differs from its last good run. */
  readonly changed: readonly RunChange[];
  /** Whether this window has seen a good run. */
  readonly hasGoodRun: boolean;
  /** What cannot be compared with the good run. */
  readonly unknown: readonly ('environment' | 'limits')[];
  /** The events of the run that ended, the oldest first. */
  readonly events: readonly ContainerEvent[];
  /** Whether it has been started again. */
  readonly isRunning: boolean;
  /** The memory limit, if it has one. */
  readonly limitBytes?: number;
}

/** What this window knows of the containers of an engine. */
export interface KnownRuns {
  readonly events: Pick<EventRing, 'eventsOf'>;
  readonly runs: LastRuns;
}

interface Exit {
  readonly exitCode: number;
  readonly oomKilled: boolean;
}

/** While it is running again, the details are those of the new run: only the events tell how the last one ended. */
function exitOf(details: ContainerDetails, events: readonly ContainerEvent[]): Exit {
  const { name, wasStarted, isRunning, state, wasOutOfMemory, exitCode } = details;
  if (!wasStarted && details.error === '') throw neverEnded(name);
  if (!isRunning || state === 'restarting') {
    // Engines may keep the reason of a run before: an exit code of a program is not a kill.
    return { exitCode, oomKilled: wasOutOfMemory && exitCode === KILLED };
  }
  const last = events.findLast(({ action }) => action === 'die');
  if (!last && restartsOf(details) === 0) throw neverEnded(name);
  return { exitCode: last?.exitCode ?? UNKNOWN, oomKilled: last !== undefined && isOom(events) };
}

/** Whether an event says that the last run that ended had no memory. Not every engine has one. */
function isOom(events: readonly ContainerEvent[]): boolean {
  const around = aroundExit(events);
  return around.some(({ action }) => action === 'oom') && around.at(-1)?.exitCode === KILLED;
}

function keptExit(id: string, { events, runs }: KnownRuns): Exit {
  const seen = events.eventsOf(id);
  const last = seen.findLast(({ action }) => action === 'die');
  const run = runs.find(id);
  if (!last && !run?.hasEnded)
    throw new InputError(l10n.t('The container is gone, and nothing is known of its exit.'));
  return { exitCode: last?.exitCode ?? run?.exitCode ?? UNKNOWN, oomKilled: isOom(seen) };
}

function neverEnded(name: string): InputError {
  return new InputError(l10n.t('{0} has not exited yet.', name));
}

function restartsOf({ raw }: ContainerDetails): number {
  return Number(asRecord(raw)['RestartCount']) || 0;
}

function withSignal(exitCode: number): Pick<ExitStory, 'exitCode' | 'signal'> {
  const signal = signalName(exitCode);
  return signal === undefined ? { exitCode } : { exitCode, signal };
}

function changesOf(
  id: string,
  { runs }: KnownRuns,
): Pick<ExitStory, 'changed' | 'hasGoodRun' | 'unknown'> {
  const run = runs.find(id);
  if (!run?.before) return { changed: [], hasGoodRun: false, unknown: [] };
  const { before, shape } = run;
  const changed = runChanges(before, shape);
  return { changed, hasGoodRun: true, unknown: unknownIn(before, shape) };
}

/** Returns the events from the start of the last run that ended until its end. */
function aroundExit(events: readonly ContainerEvent[]): readonly ContainerEvent[] {
  const end = events.findLastIndex(({ action }) => action === 'die');
  if (end < 0) return events;
  const start = events.findLastIndex(({ action }, index) => action === 'start' && index < end);
  return events.slice(Math.max(start, 0), end + 1);
}

/** The log cannot always be read, and the rest is worth telling. */
async function lastLinesOf(
  { id, hasTty }: ContainerDetails,
  connection: Connection,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const both = AbortSignal.any([signal, AbortSignal.timeout(LOG_MS)]);
  try {
    const lines = await readLastLines(connection, id, { hasTty, count: LAST_LINES }, both);
    return lines.map((line) => oneLine(line, LINE_LENGTH));
  } catch {
    signal.throwIfAborted();
    return [];
  }
}

const UNKNOWN = -1;
const LAST_LINES = 20;
const LINE_LENGTH = 1000;
/** Milliseconds to wait for the log. */
const LOG_MS = 5000;
