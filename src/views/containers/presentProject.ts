import { isTroubled, type Container } from '../../engine/model.ts';
import type { L10n } from '../../l10n.ts';
import {
  tooltipRows,
  type Icon,
  type RowPresentation,
  type TooltipRow,
} from '../rowPresentation.ts';
import { formatLine } from '../format.ts';

/** How a compose project's row looks. */
export function presentProject(group: ProjectSummary, l10n: L10n): RowPresentation {
  const { project, up, size } = group;
  const name = formatLine(project);
  const count = l10n.t('{0} of {1} up', up, size);
  return {
    label: name,
    description: count,
    icon: iconOf(group),
    contextValue: 'project',
    accessibilityLabel: l10n.t('Project {0}, {1}', name, count),
  };
}

/** A compose project, how many of its containers are up, and how many of those need a look. */
export interface ProjectSummary {
  readonly project: string;
  readonly up: number;
  readonly troubled: number;
  readonly size: number;
}

/** So many members are named in a tooltip. */
const NAMED = 12;

/** What a compose project's row tells when pointed at: mostly which of its members are not well. */
export function projectTooltip(
  { project, up, size }: ProjectSummary,
  members: readonly { readonly title: string; readonly container: Container; isUp: boolean }[],
  l10n: L10n,
): readonly TooltipRow[] {
  const namesOf = (some: typeof members): string =>
    listed(
      some.map(({ title }) => title),
      l10n,
    );
  const troubled = members.filter(({ container }) => isTroubled(container));
  return tooltipRows(
    [l10n.t('Project'), project],
    [l10n.t('Containers'), l10n.t('{0} of {1} up', up, size)],
    [l10n.t('Unhealthy or restarting'), namesOf(troubled)],
    [l10n.t('Not up'), namesOf(members.filter(({ isUp }) => !isUp))],
  );
}

function iconOf({ up, troubled, size }: ProjectSummary): Icon {
  if (troubled > 0) return { id: 'warning', color: 'problemsWarningIcon.foreground' };
  if (up === 0) return { id: 'layers', color: 'disabledForeground' };
  return up < size
    ? { id: 'layers', color: 'charts.yellow' }
    : { id: 'layers-active', color: 'charts.green' };
}

function listed(names: readonly string[], l10n: L10n): string {
  const named = names.slice(0, NAMED).map(formatLine).join(', ');
  const more = names.length - NAMED;
  return more > 0 ? l10n.t('{0} and {1} more', named, more) : named;
}
