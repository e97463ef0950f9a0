import * as l10n from '@vscode/l10n';
import { isTroubled, type Container } from '../../engine/model.ts';
import type { ProjectFiles } from '../../projects/projectFiles.ts';
import {
  isOfPod,
  isOfStack,
  missingServices,
  uncreatedServices,
  withoutFinished,
} from '../../projects/projectLabels.ts';
import {
  tooltipRows,
  type Icon,
  type RowPresentation,
  type TooltipRow,
} from '../rowPresentation.ts';
import { formatFailedHook, hasPublishedTcp } from './presentContainer.ts';
import { formatLine, joinParts, joinSpoken } from '../format.ts';

/** Returns the presentation of the row of a compose project, swarm stack, or pod. */
export function presentProject(
  project: string,
  members: readonly ProjectMember[],
  { files, title = project, ...more }: ProjectFacts = {},
): RowPresentation {
  const isPod = isPodOf(members);
  const speak = (name: string): string =>
    isPod ? l10n.t('Pod {0}', name) : l10n.t('Project {0}', name);
  const missing = uncreatedIn(members, files).length;
  return presentGroup('project', title, members, { ...more, speak, missing });
}

interface ProjectFacts extends Pick<
  GroupFacts,
  'places' | 'icon' | 'shown' | 'isPinned' | 'usage'
> {
  readonly files?: ProjectFiles | undefined;
  /** In place of the name of the project. */
  readonly title?: string | undefined;
}

/** Returns the presentation of the row of a service with several containers. */
export function presentService(
  service: string,
  members: readonly ProjectMember[],
  more: Pick<GroupFacts, 'failedHook' | 'shown' | 'isPinned' | 'usage'> = {},
): RowPresentation {
  const speak = (name: string): string => l10n.t('Service {0}', name);
  return presentGroup('service', service, members, { ...more, speak });
}

function presentGroup(
  kind: 'project' | 'service',
  title: string,
  all: readonly ProjectMember[],
  { speak, failedHook, missing = 0, shown = all.length, isPinned = false, ...more }: GroupFacts,
): RowPresentation {
  const name = formatLine(title);
  const members = withoutFinished(all);
  const parts = [
    ...(more.places ?? []),
    // Commands on the row are on all of them.
    shown < all.length ? l10n.t('{0} of {1} shown', shown, all.length) : '',
    ...countedParts(members, missing),
    formatFailedHook(failedHook),
    isPinned ? l10n.t('pinned') : '',
  ];
  const isStack = members.every(({ container }) => isOfStack(container));
  return {
    label: name,
    // Not in the text for screen readers, which would read it at each change.
    description: joinParts(more.usage, ...parts),
    icon: more.icon ?? iconOf(members, missing),
    contextValue: [
      kind,
      ...(isStack ? ['stack'] : []),
      ...(isPodOf(members) ? ['pod'] : []),
      ...(members.some(({ isUp }) => isUp) ? ['up'] : []),
      ...(members.every(({ isUp }) => isUp) ? [] : ['down']),
      ...['running', 'paused'].filter((state) =>
        members.some(({ container }) => container.state === state),
      ),
      ...(members.some(({ container }) => hasPublishedTcp(container.ports)) ? ['published'] : []),
      ...(isPinned ? ['pinned'] : []),
    ].join('.'),
    accessibilityLabel: joinSpoken(speak(name), ...parts),
  };
}

/**
 * Returns how many members of a project or service are up, unhealthy and restarting, in the words of its row.
 *
 * @param members those that are to be up.
 * @param missing number of services without a container.
 */
export function countedParts(members: readonly CountedMember[], missing = 0): readonly string[] {
  return [formatUpCount(members, missing), ...formatTroubles(members)];
}

interface GroupFacts {
  readonly speak: (name: string) => string;
  /** Where it is, in words. */
  readonly places?: readonly string[] | undefined;
  /** In place of that of the states. */
  readonly icon?: Icon | undefined;
  readonly failedHook?: Container | undefined;
  /** Number of services without a container. */
  readonly missing?: number;
  /** Number of containers that have a row, if a filter decides that. */
  readonly shown?: number | undefined;
  readonly isPinned?: boolean | undefined;
  /** What its containers use together. */
  readonly usage?: string | undefined;
}

/**
 * Returns the services of the compose files that were not created, although a plain Up would, as the lens counts them.
 */
function uncreatedIn(
  members: readonly ProjectMember[],
  files: ProjectFiles | undefined,
): readonly string[] {
  const containers = members.map(({ container }) => container);
  return files?.expected ? uncreatedServices(containers, files.expected) : [];
}

function isPodOf(members: readonly ProjectMember[]): boolean {
  return members.every(({ container }) => isOfPod(container));
}

interface CountedMember {
  readonly container: Container;
  readonly isUp: boolean;
}

export interface ProjectMember extends CountedMember {
  readonly title: string;
}

/** Maximum number of containers named in a tooltip. */
const NAMED = 12;

/**
 * Returns the tooltip of a project: mostly which of its containers have problems.
 *
 * @param files what is known of its compose files: an engine knows nothing of hooks and providers.
 */
export function projectTooltip(
  project: string,
  members: readonly ProjectMember[],
  files: ProjectFiles | undefined,
): readonly TooltipRow[] {
  const { services, provided = [], hooked = [] } = files ?? {};
  const wanted = missingServices(members.map(({ container }) => container));
  const without = [...new Set([...wanted, ...uncreatedIn(members, files)])].sort();
  const missing = without.filter((name) => !provided.includes(name));
  const isUnclear = missing.length > 0 && services === undefined;
  return tooltipRows(
    [isPodOf(members) ? l10n.t('Pod') : l10n.t('Project'), project],
    ...stateRows(members),
    [l10n.t('Services without containers'), formatNames(missing)],
    [l10n.t('Note'), isUnclear ? l10n.t('Not created, or run by a provider') : ''],
    [l10n.t('Run by a provider'), formatNames(provided)],
    [l10n.t('With hooks that only Compose runs'), formatNames(hooked)],
  );
}

function formatNames(names: readonly string[]): string {
  const named = names.slice(0, NAMED).map(formatLine).join(', ');
  const more = names.length - NAMED;
  return more > 0 ? l10n.t('{0} and {1} more', named, more) : named;
}

export function serviceTooltip(
  service: string,
  members: readonly ProjectMember[],
): readonly TooltipRow[] {
  return tooltipRows([l10n.t('Service'), service], ...stateRows(members));
}

function stateRows(
  all: readonly ProjectMember[],
): readonly (readonly [name: string, value: string])[] {
  const members = withoutFinished(all);
  const troubled = members.filter(({ container }) => isTroubled(container));
  const down = members.filter(({ isUp }) => !isUp);
  return [
    [l10n.t('Containers'), formatUpCount(members)],
    [l10n.t('Unhealthy or restarting'), formatNames(troubled.map(titleOf))],
    [l10n.t('Not up'), formatNames(down.map(titleOf))],
  ];
}

function formatTroubles(members: readonly CountedMember[]): readonly string[] {
  const troubled = members.filter(({ container }) => isTroubled(container));
  const restarting = troubled.filter(({ container }) => container.state === 'restarting').length;
  const unhealthy = troubled.length - restarting;
  return [
    unhealthy > 0 ? l10n.t('{0} unhealthy', unhealthy) : '',
    restarting > 0 ? l10n.t('{0} restarting', restarting) : '',
  ];
}

function formatUpCount(members: readonly CountedMember[], missing = 0): string {
  const up = members.filter(({ isUp }) => isUp).length;
  return l10n.t('{0} of {1} up', up, members.length + missing);
}

function iconOf(members: readonly ProjectMember[], missing: number): Icon {
  if (members.some(({ container }) => isTroubled(container)))
    return { id: 'warning', color: 'problemsWarningIcon.foreground' };
  if (!members.some(({ isUp }) => isUp)) return { id: 'layers', color: 'disabledForeground' };
  return missing === 0 && members.every(({ isUp }) => isUp)
    ? { id: 'layers-active', color: 'charts.green' }
    : { id: 'layers', color: 'charts.yellow' };
}

function titleOf({ title }: ProjectMember): string {
  return title;
}
