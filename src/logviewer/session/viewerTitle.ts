import type { L10n } from '../../l10n.ts';
import { oneLine } from '../../plainText.ts';
import type { ViewerSelection } from './viewerState.ts';

const NAME_LIMIT = 100;

/**
 * What a selection of containers is called: `web`, `shop (5)`, `web and 2 more`.
 *
 * @param names of its containers, in order.
 */
export function viewerTitle(
  { project }: ViewerSelection,
  names: readonly string[],
  l10n: L10n,
): string {
  if (project !== undefined) return `${oneLine(project, NAME_LIMIT)} (${names.length})`;
  const first = oneLine(names[0] ?? '', NAME_LIMIT);
  return names.length > 1 ? l10n.t('{0} and {1} more', first, names.length - 1) : first;
}

/** The same for the same containers, in whatever order they are. */
export function selectionKey({ engine, ids, project }: ViewerSelection): string {
  return JSON.stringify(
    project === undefined ? [engine, ...[...ids].sort()] : [engine, { project }],
  );
}
