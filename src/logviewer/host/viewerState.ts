import * as l10n from '@vscode/l10n';

import type { LogSelection } from '../../logs/follow/logSet.ts';
import { LEVELS, type Level } from '../../logs/text/level.ts';
import { oneLine } from '../../base/plainText.ts';
import { queryFrom, type ViewerFilter } from '../protocol.ts';
import { asList, asRecord } from '../../engine/wire/wire.ts';

/** State to restore a viewer when the window is reloaded. Plain JSON. */
export interface ViewerState {
  readonly selection: ViewerSelection;
  readonly title: string;
  /** Name under which the style is stored. */
  readonly styleName: string;
  readonly filter: ViewerFilter;
  /** Timestamp up to which lines were cleared; empty if none were. */
  readonly clearedAt: string;
}

/** The containers, or the build, whose logs a viewer shows. */
export interface ViewerSelection extends LogSelection {
  /** ID of their engine. */
  readonly engine: string;
  /** A build, or one of its steps. It is not restored when the window is reloaded. */
  readonly build?: { readonly ref: string; readonly step: string | undefined };
}

const NAME_LIMIT = 100;
const MOST_CONTEXT = 1000;

/**
 * Returns the title of a selection of containers: `web`, `shop (5)`, `web and 2 more`.
 *
 * @param names container names, in order.
 */
export function viewerTitle({ project }: ViewerSelection, names: readonly string[]): string {
  if (project !== undefined) return `${oneLine(project, NAME_LIMIT)} (${names.length})`;
  const first = oneLine(names[0] ?? '', NAME_LIMIT);
  return names.length > 1 ? l10n.t('{0} and {1} more', first, names.length - 1) : first;
}

/** Returns a key that is equal for the same containers in any order, and for the same build. */
export function selectionKey({ engine, ids, project, build }: ViewerSelection): string {
  if (build) return JSON.stringify([engine, build]);
  return JSON.stringify(
    project === undefined ? [engine, ...[...ids].sort()] : [engine, { project }],
  );
}

/** Returns a valid viewer state from VS Code's storage, or undefined. The value may come from an older version. */
export function viewerStateFrom(value: unknown): ViewerState | undefined {
  const { selection, title, styleName, filter, clearedAt } = asRecord(value);
  const from = selectionFrom(selection);
  if (!from || typeof title !== 'string') return undefined;
  return {
    selection: from,
    title,
    styleName: typeof styleName === 'string' ? styleName : title,
    filter: filterFrom(filter),
    clearedAt: typeof clearedAt === 'string' ? clearedAt : '',
  };
}

function selectionFrom(value: unknown): ViewerSelection | undefined {
  const { engine, ids, project } = asRecord(value);
  if (typeof engine !== 'string' || !Array.isArray(ids)) return undefined;
  if (!ids.every((id): id is string => typeof id === 'string' && /^[0-9a-f]{64}$/.test(id))) {
    return undefined;
  }
  if (ids.length === 0 && typeof project !== 'string') return undefined;
  return { engine, ids, project: typeof project === 'string' ? project : undefined };
}

/** Returns a valid filter. Missing or invalid parts are left out. */
export function filterFrom(value: unknown): ViewerFilter {
  const { include, exclude, levels, streams, context } = asRecord(value);
  return {
    include: queryFrom(include),
    exclude: queryFrom(exclude),
    levels: asList(levels).filter((one): one is Level => LEVELS.some((level) => level === one)),
    streams: asList(streams).filter((one) => one === 'stdout' || one === 'stderr'),
    context:
      Number.isSafeInteger(context) && Number(context) > 0
        ? Math.min(Number(context), MOST_CONTEXT)
        : 0,
  };
}
