import { isUp, type Container } from '../../engine/model.ts';
import type { Verb } from '../../inventory/activity.ts';
import { shortWordsAt, type Age } from '../../inventory/ages.ts';
import { ON_DEMAND } from '../../inventory/failedExits.ts';
import type { L10n } from '../../l10n.ts';
import type { Icon } from '../look.ts';
import { joined, plain, verbWords } from '../words.ts';

/** What a person tells apart at a glance. */
export type Condition =
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
const ICONS: Readonly<Record<Condition, Icon>> = {
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
export function conditionOf(container: Container, wasOutOfMemory = false): Condition {
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
function endOf(exitCode = 0): Condition {
  if (exitCode === 0) return 'succeeded';
  return ON_DEMAND.has(exitCode) ? 'stopped' : 'failed';
}

/** Whether it has run and is over: what "hide stopped" hides. What was only created is still to come. */
export function isOver(container: Container): boolean {
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
export function verbShown(container: Container, verb: Verb | undefined): Verb | undefined {
  return verb !== undefined && GOALS[verb]?.includes(container.state) ? undefined : verb;
}

/** The icon of a row; without its color if the engine is lost and the row may be out of date. */
export function iconOf({ container, verb, wasOutOfMemory, isLost }: StateFacts): Icon {
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
export function stateWords(facts: StateFacts, l10n: L10n): string {
  const { container, verb, wasOutOfMemory } = facts;
  if (verb !== undefined) return verbWords(verb, l10n);
  switch (conditionOf(container, wasOutOfMemory)) {
    case 'running':
      return upWords(facts, l10n);
    case 'healthy':
      return joined(l10n.t('healthy'), upWords(facts, l10n));
    case 'starting':
      return joined(l10n.t('starting'), upWords(facts, l10n));
    case 'unhealthy':
      return joined(l10n.t('unhealthy'), upWords(facts, l10n));
    case 'paused':
      return joined(l10n.t('Paused'), upWords(facts, l10n));
    case 'restarting':
      return endWords(l10n.t('Restarting'), facts, l10n);
    case 'succeeded':
    case 'failed':
      return endWords(l10n.t('Exited'), facts, l10n);
    case 'stopped':
      return endWords(l10n.t('Stopped'), facts, l10n);
    case 'outOfMemory':
      return endWords(l10n.t('Out of memory'), facts, l10n);
    case 'created':
      return l10n.t('Created');
    case 'removing':
      return l10n.t('Removing');
    case 'dead':
      return l10n.t('Dead');
    case 'unknown':
      return plain(container.status) || l10n.t('Unknown state');
  }
}

function upWords({ age, now }: StateFacts, l10n: L10n): string {
  return age ? l10n.t('Up {0}', shortWordsAt(age, now, l10n)) : l10n.t('Up');
}

function endWords(word: string, { container, age, now }: StateFacts, l10n: L10n): string {
  const { exitCode } = container;
  const told = exitCode === undefined ? word : `${word} (${exitCode})`;
  return age ? l10n.t('{0} {1} ago', told, shortWordsAt(age, now, l10n)) : told;
}

/** Whether its state words tell an age. */
export function isAged(container: Container): boolean {
  return isUp(container) || container.state === 'exited';
}
