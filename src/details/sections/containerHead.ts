import * as l10n from '@vscode/l10n';
import { formatElapsedTime } from '../../commands/containers/exitMessage.ts';
import type { DescribedContainer } from '../../commands/details/describeContainer.ts';
import { isFailure } from '../../commands/details/exitStory.ts';
import { oneLine } from '../../base/plainText.ts';
import { formatDateTime, formatLine } from '../../views/format.ts';
import { exitMeaning } from './exitMeaning.ts';
import { formatLimit } from '../../views/formatMeasure.ts';
import type { PageHead, Tone } from '../protocol.ts';

/** Returns the state of a container in a sentence, and if it is not well, why. */
export function containerHead(facts: DescribedContainer): PageHead {
  const why = [
    waitLine(facts),
    startFailure(facts),
    meaningLine(facts),
    failedProbe(facts),
    restartLine(facts),
  ];
  return {
    tone: toneOf(facts),
    sentence: sentenceOf(facts),
    why: why.filter((line) => line !== ''),
  };
}

function toneOf(facts: DescribedContainer): Tone {
  const { state, health } = facts;
  switch (state) {
    case 'running':
      return health === 'unhealthy' ? 'warning' : health === 'starting' ? 'busy' : 'good';
    case 'exited':
      return isFailure(facts) ? 'bad' : 'plain';
    case 'restarting':
      return 'warning';
    case 'dead':
      return 'bad';
    case 'created':
    case 'paused':
    case 'removing':
    case 'unknown':
      return 'plain';
  }
}

function sentenceOf(facts: DescribedContainer): string {
  const { state, health, startedAt } = facts;
  const since = formatDateTime(startedAt);
  switch (state) {
    case 'running':
      return runningSentence(health, since, facts.failingStreak);
    case 'paused':
      return l10n.t('Paused. Started on {0}.', since);
    case 'created':
      return l10n.t('Created on {0}, never started.', formatDateTime(facts.createdAt));
    case 'exited':
      return exitSentence(facts);
    case 'restarting':
      return l10n.t('Restarting again and again. {0}', exitSentence(facts));
    case 'removing':
      return l10n.t('The engine is removing it.');
    case 'dead':
      return l10n.t('Dead: the engine could not remove it completely.');
    case 'unknown':
      return l10n.t('Unknown state');
  }
}

function runningSentence(
  health: DescribedContainer['health'],
  since: string,
  streak: number,
): string {
  switch (health) {
    case 'healthy':
      return l10n.t('Running and healthy since {0}.', since);
    case 'starting':
      return l10n.t('Running since {0}. The health check has not succeeded yet.', since);
    case 'unhealthy':
      return streak > 1
        ? l10n.t('Unhealthy: the health check failed {0} times in a row.', streak)
        : l10n.t('Unhealthy: the health check failed.');
    case undefined:
      return l10n.t('Running since {0}.', since);
  }
}

function exitSentence(facts: DescribedContainer): string {
  const { exitCode, oomKilled, finishedAt, wasStopped, limits } = facts;
  const when = formatDateTime(finishedAt);
  const limit = limits.find(({ what }) => what === 'memory')?.value;
  if (oomKilled && limit !== undefined)
    return l10n.t('Killed on {0}: out of memory at its limit of {1}.', when, formatLimit(limit));
  if (oomKilled) return l10n.t('Killed on {0}: out of memory.', when);
  if (exitCode === undefined) return l10n.t('Exited on {0}.', when);
  const code = exitText(facts);
  if (wasStopped) return l10n.t('Stopped on {0}, with exit code {1}.', when, code);
  const duration = durationOf(facts);
  return duration === ''
    ? l10n.t('Exited on {0} with code {1}.', when, code)
    : l10n.t('Exited on {0} with code {1}, after {2}.', when, code, duration);
}

/** Formats the exit code of the last run with its signal: `137 (SIGKILL)`; empty if it has not ended. */
export function exitText({
  exitCode,
  signal,
}: Pick<DescribedContainer, 'exitCode' | 'signal'>): string {
  if (exitCode === undefined) return '';
  return signal === undefined ? String(exitCode) : `${exitCode} (${signal})`;
}

function durationOf({ startedAt, finishedAt }: DescribedContainer): string {
  const milliseconds = Date.parse(finishedAt) - Date.parse(startedAt);
  return milliseconds >= 0 ? formatElapsedTime(milliseconds) : '';
}

function waitLine({ waitsFor }: DescribedContainer): string {
  if (!waitsFor) return '';
  const name = formatLine(waitsFor.service);
  if (waitsFor.condition === 'healthy') return l10n.t('It waits for {0} to be healthy.', name);
  return waitsFor.condition === 'completed'
    ? l10n.t('It waits for {0} to complete.', name)
    : l10n.t('It waits for {0} to start.', name);
}

function startFailure({ error }: DescribedContainer): string {
  return error === '' ? '' : l10n.t('The engine could not start it: {0}', oneLine(error));
}

/** What is already known needs no guess. */
function meaningLine({ state, exitCode, oomKilled, wasStopped }: DescribedContainer): string {
  const isEnd = state === 'exited' || state === 'restarting';
  return isEnd && !oomKilled && !wasStopped ? exitMeaning(exitCode) : '';
}

function failedProbe({ state, health, probes }: DescribedContainer): string {
  const isUnhealthy = state === 'running' && health !== 'healthy';
  const last = isUnhealthy ? probes.findLast(({ exitCode }) => exitCode !== 0) : undefined;
  if (!last) return '';
  const output = oneLine(last.output);
  return output === ''
    ? l10n.t('The last failed health check exited with code {0} without output.', last.exitCode)
    : l10n.t('The last failed health check exited with code {0}: {1}', last.exitCode, output);
}

function restartLine({ restartCount, restartPolicy, state }: DescribedContainer): string {
  if (restartCount === 0 || state === 'created') return '';
  const policy = restartPolicy === '' ? l10n.t('none') : restartPolicy;
  return restartCount === 1
    ? l10n.t('It was restarted once (restart policy: {0}).', policy)
    : l10n.t('It was restarted {0} times (restart policy: {1}).', restartCount, policy);
}
