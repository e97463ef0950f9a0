import { isUp, type Container } from '../../engine/model.ts';
import type { Verb } from '../../inventory/activity.ts';
import { formatShortAge, type Age } from '../../inventory/age.ts';
import { STOP_EXIT_CODES } from '../../inventory/failedExits.ts';
import type { L10n } from '../../l10n.ts';
import type { Icon } from '../rowPresentation.ts';
import { joinParts, formatLine, formatVerb } from '../format.ts';

/** What a person tells apart at a glance. */
export type ContainerCondition =
  | 'running'
  | 'healthy'
  | 'starting'
  | 'unhealthy'
  | 'paused'
  | 'restarting'
  | 'created'
  | 'succeeded'
  | 'stopped'
  | 'failed'
  | 'outOfMemory'
  | 'removing'
  | 'dead'
  | 'unknown';

/** Different shapes, for colours alone are not seen by everyone. */
const ICONS: Readonly<Record<ContainerCondition, Icon>> = {
  running: { id: 'play-circle', color: 'charts.green' },
  healthy: { id: 'pass-filled', color: 'testing.iconPassed' },
  starting: { id: 'pulse', color: 'charts.blue' },
  unhealthy: { id: 'warning', color: 'problemsWarningIcon.foreground' },
  paused: { id: 'debug-pause', color: 'charts.yellow' },
  restarting: { id: 'debug-restart', color: 'charts.purple' },
  created: { id: 'circle-outline', color: 'charts.blue' },
  succeeded: { id: 'debug-stop', color: 'disabledForeground' },
  stopped: { id: 'debug-stop', color: 'disabledForeground' },
  failed: { id: 'error', color: 'problemsErrorIcon.foreground' },
  outOfMemory: { id: 'error', color: 'problemsErrorIcon.foreground' },
  removing: { id: 'trash', color: 'disabledForeground' },
  dead: { id: 'circle-slash', color: 'problemsErrorIcon.foreground' },
  unknown: { id: 'question', color: 'disabledForeground' },
};

/** The icon of a row something is being done to. */
export const BUSY_ICON: Icon = { id: 'loading~spin' };

/**
 * What a user sees of a container's state, health and exit code, in one word.
 *
 * @param wasOutOfMemory whether its last run is known to have been killed for that.
 */
export function conditionOf(container: Container, wasOutOfMemory = false): ContainerCondition {
  switch (container.state) {
    case 'running':
      return container.health ?? 'running';
    case 'exited':
      return wasOutOfMemory ? 'outOfMemory' : endOf(container.exitCode);
    case 'paused':
    case 'restarting':
    case 'created':
    case 'removing':
    case 'dead':
    case 'unknown':
      return container.state;
  }
}

/** Without an exit code nothing is known to have gone wrong; that of a stop or a kill is what was asked for. */
function endOf(exitCode = 0): ContainerCondition {
  if (exitCode === 0) return 'succeeded';
  return STOP_EXIT_CODES.has(exitCode) ? 'stopped' : 'failed';
}

/** Whether it has run and is over: what "hide stopped" hides. What was only created is still to come. */
export function hasExited(container: Container): boolean {
  return container.state === 'exited' || container.state === 'dead';
}

/** The states in which a verb has nothing more to do, although the engine has not answered yet. */
const GOALS: Readonly<Partial<Record<Verb, readonly Container['state'][]>>> = {
  starting: ['running'],
  stopping: ['exited', 'dead'],
  killing: ['exited', 'dead'],
  pausing: ['paused'],
  unpausing: ['running'],
};

/** What is being done to a container, as long as it is not done. */
export function pendingVerb(container: Container, verb: Verb | undefined): Verb | undefined {
  return verb !== undefined && GOALS[verb]?.includes(container.state) ? undefined : verb;
}

/** The icon of a row; without its color if the engine is lost and the row may be out of date. */
export function containerIcon({ container, verb, wasOutOfMemory, isLost }: StateFacts): Icon {
  if (verb !== undefined) return BUSY_ICON;
  const icon = ICONS[conditionOf(container, wasOutOfMemory)];
  return isLost ? { id: icon.id, color: 'disabledForeground' } : icon;
}

/** What the words of a state are made of. */
export interface StateFacts {
  readonly container: Container;
  readonly age: Age | undefined;
  readonly verb: Verb | undefined;
  readonly wasOutOfMemory: boolean;
  /** Whether the engine is not there: what is shown is as it was then. */
  readonly isLost: boolean;
  readonly now: number;
}

/** The state in few words, the telling one first. */
export function formatContainerState(facts: StateFacts, l10n: L10n): string {
  const { container, verb, wasOutOfMemory } = facts;
  if (verb !== undefined) return formatVerb(verb, l10n);
  switch (conditionOf(container, wasOutOfMemory)) {
    case 'running':
      return formatRunning(facts, l10n);
    case 'healthy':
      return joinParts(l10n.t('healthy'), formatRunning(facts, l10n));
    case 'starting':
      return joinParts(l10n.t('starting'), formatRunning(facts, l10n));
    case 'unhealthy':
      return joinParts(l10n.t('unhealthy'), formatRunning(facts, l10n));
    case 'paused':
      return joinParts(l10n.t('Paused'), formatRunning(facts, l10n));
    case 'restarting':
      return formatEnd(l10n.t('Restarting'), facts, l10n);
    case 'succeeded':
    case 'failed':
      return formatEnd(l10n.t('Exited'), facts, l10n);
    case 'stopped':
      return formatEnd(l10n.t('Stopped'), facts, l10n);
    case 'outOfMemory':
      return formatEnd(l10n.t('Out of memory'), facts, l10n);
    case 'created':
      return l10n.t('Created');
    case 'removing':
      return l10n.t('Removing');
    case 'dead':
      return l10n.t('Dead');
    case 'unknown':
      return formatLine(container.status) || l10n.t('Unknown state');
  }
}

function formatRunning({ age, now }: StateFacts, l10n: L10n): string {
  return age ? l10n.t('Up {0}', formatShortAge(age, now, l10n)) : l10n.t('Up');
}

function formatEnd(word: string, { container, age, now }: StateFacts, l10n: L10n): string {
  const { exitCode } = container;
  const told = exitCode === undefined ? word : `${word} (${exitCode})`;
  return age ? l10n.t('{0} {1} ago', told, formatShortAge(age, now, l10n)) : told;
}

/** Whether its state words tell an age. */
export function showsAge(container: Container): boolean {
  return isUp(container) || container.state === 'exited';
}
