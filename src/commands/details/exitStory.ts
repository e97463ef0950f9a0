import * as l10n from '@vscode/l10n';
import {
  lastExit,
  memoryLimitOf,
  type ContainerDetails,
  type LastExit,
} from '../../engine/containers/containerDetails.ts';
import { signalName } from '../../engine/containers/signalName.ts';
import { InputError } from '../../engine/errors.ts';
import type { Probe } from '../../engine/facts/containerFacts.ts';
import { readProbes } from '../../engine/facts/readProbes.ts';
import { KILLED } from '../../engine/model.ts';
import { asRecord } from '../../engine/wire/wire.ts';
import type { ContainerEvent, EventRing } from '../../inventory/runs/eventRing.ts';
import type { LastRuns } from '../../inventory/runs/lastRuns.ts';
import { runChanges, unknownIn, type RunChange } from '../../inventory/runs/runChanges.ts';

/**
 * Returns how the last run of a container ended that is over, and what is known around it, without a request.
 *
 * @param id the full ID.
 * @param details undefined if it is gone: then the story is what this window has kept.
 * @throws InputError if it has not ended, or nothing is known of it.
 */
export function exitStory(
  id: string,
  known: KnownRuns,
  details: ContainerDetails | undefined,
): ExitStory {
  const events = known.events.eventsOf(id);
  const exit = details ? exitOf(details, events) : keptExit(id, known);
  const limitBytes = details
    ? memoryLimitOf(details)
    : known.runs.find(id)?.shape.limits?.['memory'];
  const signal = signalName(exit.exitCode);
  return {
    exitCode: exit.exitCode,
    ...(signal === undefined ? {} : { signal }),
    oomKilled: exit.oomKilled,
    probes: details ? readProbes(asRecord(asRecord(details.raw)['State'])).probes : [],
    ...changesOf(id, known),
    events: aroundExit(events),
    isRunning: details?.isRunning ?? false,
    ...(limitBytes === undefined ? {} : { limitBytes }),
  };
}

/** How a container ended, and what is known around it. */
export interface ExitStory extends LastExit {
  /** The signal that the exit code represents: `SIGKILL`. */
  readonly signal?: string;
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

/** Whether an exit is a failure. One that a client asked for is not, whatever its code. */
export function isFailure({
  exitCode,
  oomKilled,
  wasStopped,
}: Partial<LastExit> & { readonly wasStopped: boolean }): boolean {
  return oomKilled === true || (exitCode !== 0 && !wasStopped);
}

/** While it is running again, the details are those of the new run: only the events tell how the last one ended. */
function exitOf(details: ContainerDetails, events: readonly ContainerEvent[]): LastExit {
  const { name, wasStarted, exitCode } = details;
  if (!wasStarted && details.error === '') throw neverEnded(name);
  // One that the engine could not start has an exit code, too.
  if (!wasStarted) return { exitCode, oomKilled: false };
  const exit = lastExit(details);
  if (exit) return { ...exit, oomKilled: exit.oomKilled && !wasKilledByClient(events) };
  const last = events.findLast(({ action }) => action === 'die');
  if (!last && restartsOf(details) === 0) throw neverEnded(name);
  return { exitCode: last?.exitCode ?? UNKNOWN, oomKilled: last !== undefined && isOom(events) };
}

/** Whether an event says that the last run that ended had no memory. Not every engine has one. */
function isOom(events: readonly ContainerEvent[]): boolean {
  const around = aroundExit(events);
  const isKilled = around.at(-1)?.exitCode === KILLED && !wasKilledByClient(around);
  return isKilled && around.some(({ action }) => action === 'oom');
}

/** Whether a client killed the last run that ended: what had no memory before that was another process. */
export function wasKilledByClient(events: readonly ContainerEvent[]): boolean {
  const isKill = ({ action, signal = '' }: ContainerEvent): boolean =>
    action === 'kill' && KILL_SIGNAL.test(signal);
  return (
    aroundExit(events).findLast((one) => one.action === 'oom' || isKill(one))?.action === 'kill'
  );
}

const KILL_SIGNAL = /^(?:9|(?:SIG)?KILL)$/;

function keptExit(id: string, { events, runs }: KnownRuns): LastExit {
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

const UNKNOWN = -1;
