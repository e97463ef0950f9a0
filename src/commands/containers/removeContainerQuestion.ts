import * as l10n from '@vscode/l10n';

import { formatName, formatNames } from '../ui/formatNames.ts';

/** Returns the question, with what will be lost. */
export function removeContainerQuestion(containers: readonly RemovedContainer[]): {
  readonly question: string;
  readonly detail: string;
} {
  const [first] = containers;
  const isOne = containers.length === 1;
  const running = containers.filter(({ isRunning }) => isRunning);
  const detail = [
    running.length > 0 ? killedMessage(running, isOne) : '',
    isOne
      ? l10n.t('Data inside the container is lost unless it is in a volume or bind mount.')
      : l10n.t('Data inside the containers is lost unless it is in a volume or bind mount.'),
    ...serviceMessages(containers),
    isOne ? '' : l10n.t('Containers to remove: {0}.', formatNames(namesOf(containers))),
  ];
  return {
    question:
      isOne && first
        ? l10n.t('Remove the container {0}?', formatName(first.name))
        : l10n.t('Remove {0} containers?', containers.length),
    detail: detail.filter((line) => line !== '').join('\n'),
  };
}

/** A container to remove. */
interface RemovedContainer {
  readonly name: string;
  readonly isRunning: boolean;
  /** The swarm service that the container belongs to. */
  readonly service: string | undefined;
}

/** Maximum number of services to name. */
const SERVICES = 3;

function killedMessage(running: readonly RemovedContainer[], isOne: boolean): string {
  return isOne
    ? l10n.t('It is running and will be killed.')
    : l10n.t('Still running, will be killed: {0}.', formatNames(namesOf(running)));
}

function serviceMessages(containers: readonly RemovedContainer[]): readonly string[] {
  const all = containers.filter(({ service }) => service !== undefined);
  const shown = all.slice(0, SERVICES);
  const more = all.length - shown.length;
  return [
    ...shown.map(({ name, service = '' }) => serviceReplacementMessage(name, service)),
    ...(more > 0 ? [l10n.t('{0} more belong to services that will replace them.', more)] : []),
  ];
}

/** Formats that the service will replace the container. */
export function serviceReplacementMessage(name: string, service: string): string {
  return l10n.t(
    '{0} belongs to the service {1}, which will replace it.',
    formatName(name),
    formatName(service),
  );
}

function namesOf(containers: readonly RemovedContainer[]): readonly string[] {
  return containers.map(({ name }) => name);
}
