import * as l10n from '@vscode/l10n';
import type { ExitStory } from '../../commands/details/exitStory.ts';
import { oneLine } from '../../base/plainText.ts';

type ContainerEvent = ExitStory['events'][number];

/** Formats an event of a container with its time. */
export function eventLine(event: ContainerEvent): string {
  const time = new Date(event.at).toLocaleTimeString(undefined, { timeStyle: 'medium' });
  const words = WORDS[event.action](event);
  return `${time}  ${event.verb === undefined ? words : l10n.t('{0} (by Gantry)', words)}`;
}

const WORDS: Readonly<Record<ContainerEvent['action'], (event: ContainerEvent) => string>> = {
  start: () => l10n.t('started'),
  restart: () => l10n.t('restarted'),
  stop: () => l10n.t('stopped'),
  kill: ({ signal }) =>
    signal === undefined ? l10n.t('got a signal') : l10n.t('got signal {0}', oneLine(signal, 20)),
  die: ({ exitCode }) =>
    exitCode === undefined ? l10n.t('exited') : l10n.t('exited with code {0}', exitCode),
  oom: () => l10n.t('out of memory'),
  health_status: ({ health }) => HEALTHS[health ?? 'starting'](),
  pause: () => l10n.t('paused'),
  unpause: () => l10n.t('resumed'),
  update: () => l10n.t('limits changed'),
  destroy: () => l10n.t('removed'),
};

const HEALTHS: Readonly<Record<NonNullable<ContainerEvent['health']>, () => string>> = {
  healthy: () => l10n.t('healthy'),
  unhealthy: () => l10n.t('unhealthy'),
  starting: () => l10n.t('starting'),
};
