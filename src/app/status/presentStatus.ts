import * as l10n from '@vscode/l10n';
import { oneLine, withoutIcons } from '../../base/plainText.ts';
import type { WorkspaceProject } from './workspaceProjects.ts';

/** Maximum number of characters besides the icon. */
const LONGEST = 30;
/** The most projects in the tooltip. */
const MOST_NAMED = 10;

/**
 * Returns the look of the status bar item, `shop 4/5`: of the first project, and how many others there are. Undefined
 * without a project.
 *
 * @param areSeveral whether to name the engines.
 */
export function presentStatus(
  projects: readonly WorkspaceProject[],
  areSeveral: boolean,
): StatusLook | undefined {
  const [first] = projects;
  if (!first) return undefined;
  const more = projects.length - 1;
  const end = ` ${first.up}/${first.total}${more > 0 ? ` +${more}` : ''}`;
  const name = withoutIcons(oneLine(first.title, LONGEST - 1 - end.length));
  const lines = projects.map((one) => {
    const shown = oneLine(one.title, 60);
    const title = areSeveral ? `${shown} (${oneLine(one.engine.name, 60)})` : shown;
    return `${title}: ${one.words.filter((part) => part !== '').join(', ')}`;
  });
  const rest = lines.length - MOST_NAMED;
  const named = lines.slice(0, MOST_NAMED);
  return {
    text: `$(${first.isTroubled ? 'warning' : 'layers'}) ${name}${end}`,
    tooltip: [...named, ...(rest > 0 ? [l10n.t('{0} more', rest)] : [])].join('\n'),
    accessibilityLabel: [
      l10n.t('Compose projects of this workspace'),
      ...named,
      ...(rest > 0 ? [l10n.t('{0} more', rest)] : []),
    ].join('. '),
    isWarning: first.isTroubled,
    argument: more > 0 ? undefined : { project: first.name, engine: first.engine.id },
  };
}

/** Look of the status bar item. */
export interface StatusLook {
  readonly text: string;
  /** Plain text. */
  readonly tooltip: string;
  readonly accessibilityLabel: string;
  readonly isWarning: boolean;
  /** Argument of the menu: the project; undefined if there are several. */
  readonly argument: { readonly project: string; readonly engine: string } | undefined;
}
