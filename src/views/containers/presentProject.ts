import { isTroubled, type Container } from '../../engine/model.ts';
import type { L10n } from '../../l10n.ts';
import {
  tooltipRows,
  type Icon,
  type RowPresentation,
  type TooltipRow,
} from '../rowPresentation.ts';
import { formatLine } from '../format.ts';

/** Returns the presentation of a compose project row. */
export function presentProject(
  project: string,
  members: readonly ProjectMember[],
  l10n: L10n,
): RowPresentation {
  const name = formatLine(project);
  const count = formatUpCount(members, l10n);
  return {
    label: name,
    description: count,
    icon: iconOf(members),
    contextValue: 'project',
    accessibilityLabel: l10n.t('Project {0}, {1}', name, count),
  };
}

interface ProjectMember {
  readonly container: Container;
  readonly title: string;
  readonly isUp: boolean;
}

/** Maximum number of containers named in a tooltip. */
const NAMED = 12;

/** Returns the tooltip of a compose project: mostly which of its containers have problems. */
export function projectTooltip(
  project: string,
  members: readonly ProjectMember[],
  l10n: L10n,
): readonly TooltipRow[] {
  const troubled = members.filter(({ container }) => isTroubled(container));
  const down = members.filter(({ isUp }) => !isUp);
  return tooltipRows(
    [l10n.t('Project'), project],
    [l10n.t('Containers'), formatUpCount(members, l10n)],
    [l10n.t('Unhealthy or restarting'), formatTitles(troubled, l10n)],
    [l10n.t('Not up'), formatTitles(down, l10n)],
  );
}

function formatUpCount(members: readonly ProjectMember[], l10n: L10n): string {
  const up = members.filter(({ isUp }) => isUp).length;
  return l10n.t('{0} of {1} up', up, members.length);
}

function iconOf(members: readonly ProjectMember[]): Icon {
  if (members.some(({ container }) => isTroubled(container)))
    return { id: 'warning', color: 'problemsWarningIcon.foreground' };
  if (!members.some(({ isUp }) => isUp)) return { id: 'layers', color: 'disabledForeground' };
  return members.every(({ isUp }) => isUp)
    ? { id: 'layers-active', color: 'charts.green' }
    : { id: 'layers', color: 'charts.yellow' };
}

function formatTitles(members: readonly ProjectMember[], l10n: L10n): string {
  const named = members
    .slice(0, NAMED)
    .map(({ title }) => formatLine(title))
    .join(', ');
  const more = members.length - NAMED;
  return more > 0 ? l10n.t('{0} and {1} more', named, more) : named;
}
