import * as l10n from '@vscode/l10n';
import { formatElapsedTime } from '../../commands/containers/exitMessage.ts';
import type { ExitStory } from '../../commands/details/exitStory.ts';
import type { Reading } from '../../statistics/reading.ts';
import type { PageHead } from '../protocol.ts';
import type { ShownExit } from '../keptExits.ts';
import { changedRows } from './changedRows.ts';
import { exitText } from './containerHead.ts';
import { eventLine } from './eventLine.ts';
import { exitMeaning } from './exitMeaning.ts';
import { formatLimit, formatMemoryUse } from '../../views/formatMeasure.ts';
import { probeRow } from './healthRows.ts';
import type { SourceRow, SourceSection } from './sourceRow.ts';

/** Returns why a container ended that failed. @param readings what it used, the oldest first, if that was measured. */
export function exitSection(exit: ShownExit, readings: readonly Reading[]): SourceSection {
  const { story } = exit;
  const rows = [
    exitRow(story),
    ...childRow(story),
    ...memoryRow(story, readings),
    ...lastProbeRow(story),
    ...lineRow(exit),
    ...eventRow(story),
    ...changedRows(story),
  ];
  return { id: 'exit', title: l10n.t('Why did it die?'), rows };
}

/** Returns the head of a container that is gone and failed. */
export function exitHead({ story }: ShownExit): PageHead {
  const meaning = meaningOf(story);
  return { tone: 'bad', sentence: sentenceOf(story), why: meaning === '' ? [] : [meaning] };
}

function exitRow(story: ExitStory): SourceRow {
  const { isRunning } = story;
  const note = isRunning ? l10n.t('It was started again.') : meaningOf(story);
  return { label: l10n.t('Exit'), value: sentenceOf(story), note, isBad: true };
}

function sentenceOf(story: ExitStory): string {
  const { oomKilled, limitBytes, exitCode } = story;
  if (oomKilled && limitBytes !== undefined)
    return l10n.t('Killed: out of memory at its limit of {0}.', formatLimit(limitBytes));
  if (oomKilled) return l10n.t('Killed: out of memory.');
  return exitCode < 0
    ? l10n.t('Exited with an unknown code.')
    : l10n.t('Exited with code {0}.', exitText(story));
}

/** What is already known needs no guess. */
function meaningOf(story: ExitStory): string {
  if (story.oomKilled) return '';
  return wasSignaled(story) ? l10n.t('A client sent this signal.') : exitMeaning(story.exitCode);
}

/** Whether the exit code represents a signal that a client sent: a number, or a name with or without `SIG`. */
function wasSignaled({ exitCode, signal: name = '', events }: ExitStory): boolean {
  return events.some(({ action, signal = '' }) => {
    if (action !== 'kill' || name === '') return false;
    return Number(signal) === exitCode - 128 || `SIG${signal.replace(/^SIG/, '')}` === name;
  });
}

/** The kill of another process in the container does not end it, but may be why it ended. */
function childRow({ oomKilled, events }: ExitStory): readonly SourceRow[] {
  if (oomKilled || !events.some(({ action }) => action === 'oom')) return [];
  const value = l10n.t('A process in the container was killed.');
  return [{ label: l10n.t('Out of memory'), value, isBad: true }];
}

/** The last reading of the run that ended. */
function memoryRow(story: ExitStory, readings: readonly Reading[]): readonly SourceRow[] {
  const end = story.events.findLast(({ action }) => action === 'die')?.at;
  const start = story.events.findLast(({ action }) => action === 'start')?.at ?? 0;
  if (end === undefined) return [];
  const last = readings.findLast(({ at }) => at <= end && at >= start);
  if (!last) return [];
  // Without a limit, an engine reports the memory of the host as one.
  const value = formatMemoryUse(last.memoryBytes, story.limitBytes);
  const note = l10n.t('{0} before the exit', formatElapsedTime(end - last.at));
  return [{ label: l10n.t('Memory before it'), value, note }];
}

/** The health checks of a run that has begun since tell nothing of this one. */
function lastProbeRow({ probes, isRunning }: ExitStory): readonly SourceRow[] {
  const last = isRunning ? undefined : probes.at(-1);
  return last ? [{ ...probeRow(last), label: l10n.t('Last health check') }] : [];
}

function lineRow({ lastLines, owner }: ShownExit): readonly SourceRow[] {
  const label = l10n.t('Last lines');
  const block = lastLines?.join('\n') ?? '';
  const lines = block === '' ? {} : { block, isTail: true as const, copied: block };
  const empty = lastLines?.length === 0 ? { note: l10n.t('The log is empty.') } : {};
  if (owner) {
    const { finishedAt } = owner;
    const at = finishedAt === '' ? undefined : Date.parse(finishedAt);
    const act = { kind: 'logs', owner, at } as const;
    return [{ label, value: l10n.t('Show Logs'), act, ...lines, ...empty }];
  }
  return [{ label, value: lastLines ? '' : l10n.t('unknown'), ...lines, ...empty }];
}

function eventRow({ events }: ExitStory): readonly SourceRow[] {
  if (events.length === 0) return [];
  const block = events.slice(-MOST_EVENTS).map(eventLine).join('\n');
  return [{ label: l10n.t('Events'), value: '', block, copied: block }];
}

/** More than a user reads. */
const MOST_EVENTS = 20;
