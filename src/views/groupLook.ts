import type { L10n } from '../l10n.ts';
import { tooltipRows, type Look, type TooltipRow } from './look.ts';
import { BESIDE_STATE, plain, shorten } from './words.ts';

/** A compose project, and how many of its containers are up. */
export interface Group {
  readonly project: string;
  readonly up: number;
  readonly size: number;
}

/** How a compose project's row looks. */
export function lookOfGroup({ project, up, size }: Group, l10n: L10n): Look {
  const name = plain(project);
  const count = l10n.t('{0} of {1} up', up, size);
  return {
    label: shorten(name, BESIDE_STATE),
    description: count,
    icon:
      up > 0
        ? { id: 'layers-active', color: 'charts.green' }
        : { id: 'layers', color: 'disabledForeground' },
    contextValue: 'project',
    accessibilityLabel: l10n.t('Project {0}, {1}', name, count),
  };
}

/** What a compose project's row tells when pointed at. */
export function tooltipOfGroup({ project, up, size }: Group, l10n: L10n): readonly TooltipRow[] {
  return tooltipRows(
    [l10n.t('Project'), project],
    [l10n.t('Containers'), l10n.t('{0} of {1} up', up, size)],
  );
}
