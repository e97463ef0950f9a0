import * as l10n from '@vscode/l10n';
import { isUp, type Container, type ContainerState } from '../../engine/model.ts';
import type { ServiceWait, Verb } from '../../inventory/activity.ts';
import { formatShortAge, type Age } from '../../inventory/age.ts';
import { STOP_EXIT_CODES } from '../../inventory/runs/containerFailures.ts';
import type { Icon, RenderContext } from '../rowPresentation.ts';
import { joinParts, joinSpoken, formatLine, formatVerb, formatWait } from '../format.ts';

/** Conditions of a container that have their own icon or text. */
type ContainerCondition =
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

/** The shapes differ because not everyone can distinguish colors. */
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

/** Icon of a row with an operation in progress. */
export const BUSY_ICON: Icon = { id: 'loading~spin' };

/** Combines a container's state, health, and exit code, and how it is known to have ended, to one condition. */
function conditionOf({
  container,
  wasOutOfMemory,
  wasStopped = false,
}: Pick<StateFacts, 'container' | 'wasOutOfMemory' | 'wasStopped'>): ContainerCondition {
  const { state, health, exitCode } = container;
  if (state === 'running') return health ?? 'running';
  if (state !== 'exited') return state;
  if (wasOutOfMemory) return 'outOfMemory';
  return wasStopped ? 'stopped' : endOf(exitCode);
}

/** Without an exit code, no failure is known. The exit code of a stop or kill was requested. */
function endOf(exitCode = 0): ContainerCondition {
  if (exitCode === 0) return 'succeeded';
  return STOP_EXIT_CODES.has(exitCode) ? 'stopped' : 'failed';
}

/**
 * Returns whether the container has run and exited, which is what "hide stopped" hides. A created container has
 * not run yet.
 */
export function hasExited(container: Container): boolean {
  return container.state === 'exited' || container.state === 'dead';
}

/** States in which an operation has reached its goal, although the engine has not responded yet. */
const GOALS: Readonly<Partial<Record<Verb, readonly Container['state'][]>>> = {
  starting: ['running'],
  stopping: ['exited', 'dead'],
  killing: ['exited', 'dead'],
  pausing: ['paused'],
  unpausing: ['running'],
};

/** Returns the operation in progress on a container; undefined if it has reached its goal. */
export function pendingVerb(container: Container, verb: Verb | undefined): Verb | undefined {
  return verb !== undefined && GOALS[verb]?.includes(container.state) ? undefined : verb;
}

/** Returns the icon of a row. It has no color if the connection is lost and the row may be out of date. */
export function containerIcon(facts: StateFacts): Icon {
  if (facts.verb !== undefined) return BUSY_ICON;
  const icon = ICONS[conditionOf(facts)];
  return facts.isLost ? { id: icon.id, color: 'disabledForeground' } : icon;
}

/** Returns the icon of what containers use: green while one of them is up, gray without one. */
export function usageIcon(
  id: string,
  users: readonly Container[],
  { inventory }: RenderContext,
): Icon {
  if (inventory.lostAt === undefined && users.some(isUp)) return { id, color: 'charts.green' };
  return users.length > 0 ? { id } : { id, color: 'disabledForeground' };
}

export interface StateFacts {
  readonly container: Container;
  readonly age: Age | undefined;
  readonly verb: Verb | undefined;
  /** Service that the operation waits for. */
  readonly wait?: ServiceWait | undefined;
  /** Whether the last run is known to have been killed because it was out of memory. */
  readonly wasOutOfMemory: boolean;
  /** Whether a client is known to have stopped it: its exit code is no failure. */
  readonly wasStopped?: boolean;
  /** Whether the connection to the engine is lost: the row shows the state at that time. */
  readonly isLost: boolean;
  readonly now: number;
}

/** Returns the state in a few words, the most important first. */
export function formatContainerState(facts: StateFacts, isSpoken = false): string {
  const { container, verb, wait } = facts;
  if (verb === 'waiting' && wait) return formatWait(wait);
  if (verb !== undefined) return formatVerb(verb);
  const condition = conditionOf(facts);
  const word = WORDS[condition]();
  const { state, status } = container;
  if (isSpoken && state === 'running') return joinSpoken(spokenRunning(facts), word);
  if (state === 'running' || state === 'paused') return joinParts(word, formatRunning(facts));
  if (state === 'restarting' || state === 'exited') return formatEnd(word, facts);
  return state === 'unknown' ? formatLine(status) || word : word;
}

/** Word for each condition; empty if the age is enough. */
const WORDS: Readonly<Record<ContainerCondition, () => string>> = {
  running: () => '',
  healthy: () => l10n.t('healthy'),
  starting: () => l10n.t('starting'),
  unhealthy: () => l10n.t('unhealthy'),
  paused: () => l10n.t('Paused'),
  restarting: () => l10n.t('Restarting'),
  created: () => l10n.t('Created'),
  succeeded: () => l10n.t('Exited'),
  stopped: () => l10n.t('Stopped'),
  failed: () => l10n.t('Exited'),
  outOfMemory: () => l10n.t('Out of memory'),
  removing: () => l10n.t('Removing'),
  dead: () => l10n.t('Dead'),
  unknown: () => l10n.t('Unknown state'),
};

/** Returns the word for a state of the engine. */
export function stateTitle(state: ContainerState): string {
  if (state === 'running') return l10n.t('Up');
  return WORDS[state === 'exited' ? 'succeeded' : state]();
}

function formatRunning({ age, now }: StateFacts): string {
  return age ? l10n.t('Up {0}', formatShortAge(age, now)) : l10n.t('Up');
}

function spokenRunning({ age, now }: StateFacts): string {
  return age ? l10n.t('running {0}', formatShortAge(age, now)) : l10n.t('running');
}

function formatEnd(word: string, { container, age, now }: StateFacts): string {
  const { exitCode } = container;
  const text = exitCode === undefined ? word : `${word} (${exitCode})`;
  return age ? l10n.t('{0} {1} ago', text, formatShortAge(age, now)) : text;
}

/** Returns whether the state text contains an age. */
export function showsAge(container: Container): boolean {
  return isUp(container) || container.state === 'exited';
}
