import type { Level } from '../../logs/text/level.ts';
import type { ViewerFilter, ViewerQuery } from '../protocol.ts';

/** What brings a viewer back after the window was reloaded. Plain JSON data. */
export interface ViewerState {
  readonly selection: ViewerSelection;
  readonly title: string;
  /** By what name the style is remembered. */
  readonly styleName: string;
  readonly filter: ViewerFilter;
  /** Moment up to which lines were cleared away; empty: none were. */
  readonly clearedAt: string;
}

/** Whose logs a viewer shows. */
export interface ViewerSelection {
  /** Id of the engine they are in. */
  readonly engine: string;
  /** Full ids; of a project those that were known. */
  readonly ids: readonly string[];
  /** A compose project: containers that come later are part of it. */
  readonly project?: string;
}

/** No filter at all. */
export const EMPTY_FILTER: ViewerFilter = {
  include: undefined,
  exclude: undefined,
  levels: [],
  streams: [],
  context: 0,
};

const LEVELS: readonly Level[] = [
  ...(['none', 'trace', 'debug', 'info', 'warning', 'error', 'fatal'] as const),
];
const MOST_CONTEXT = 1000;
const LONGEST_PATTERN = 10_000;

/** What a page kept, if it is what it should be. It comes from the editor's storage, and may be of an older version. */
export function viewerStateFrom(value: unknown): ViewerState | undefined {
  const { selection, title, styleName, filter, clearedAt } = bagOf(value);
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
  const { engine, ids, project } = bagOf(value);
  if (typeof engine !== 'string' || !Array.isArray(ids)) return undefined;
  if (!ids.every((id): id is string => typeof id === 'string' && /^[0-9a-f]{64}$/.test(id))) {
    return undefined;
  }
  if (ids.length === 0 && typeof project !== 'string') return undefined;
  return { engine, ids, ...(typeof project === 'string' && { project }) };
}

/** A filter as far as a value is one. */
export function filterFrom(value: unknown): ViewerFilter {
  const { include, exclude, levels, streams, context } = bagOf(value);
  return {
    include: queryFrom(include),
    exclude: queryFrom(exclude),
    levels: listOf(levels, (one): one is Level => LEVELS.some((level) => level === one)),
    streams: listOf(streams, (one) => one === 'stdout' || one === 'stderr'),
    context:
      Number.isSafeInteger(context) && Number(context) > 0
        ? Math.min(Number(context), MOST_CONTEXT)
        : 0,
  };
}

/** Words to look for, if there are any. */
export function queryFrom(value: unknown): ViewerQuery | undefined {
  const { pattern, isRegex, matchCase, wholeWord } = bagOf(value);
  if (typeof pattern !== 'string' || pattern === '' || pattern.length > LONGEST_PATTERN) {
    return undefined;
  }
  return {
    pattern,
    isRegex: isRegex === true,
    matchCase: matchCase === true,
    wholeWord: wholeWord === true,
  };
}

function bagOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function listOf<T>(value: unknown, is: (one: unknown) => one is T): readonly T[] {
  return Array.isArray(value) ? value.filter(is) : [];
}
