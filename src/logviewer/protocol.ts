/**
 * Messages between the log viewer's page and the extension. The extension keeps all lines and decides which
 * rows exist; the page shows the few rows in view. All messages are plain JSON. `text` values are untrusted and
 * are only ever set as text, never as markup.
 */

import { asRecord } from '../engine/wire/wire.ts';
import type { LineQuery } from '../logs/search/lineQuery.ts';
import type { LineKind } from '../logs/store/storedLine.ts';
import type { Level } from '../logs/text/level.ts';

/** Style in which the user wants to see logs. Remembered per container. */
export interface ViewerStyle {
  readonly wrap: boolean;
  readonly times: (typeof TIME_FORMATS)[number];
  /** Whether stack traces are folded to their first line. */
  readonly fold: boolean;
  /** JSON fields to show for lines of JSON. If empty, lines are shown as written. */
  readonly fields: readonly string[];
}

export const TIME_FORMATS = ['off', 'relative', 'local', 'utc'] as const;

/** Text or regular expression to search for. */
export type ViewerQuery = LineQuery;

/** Which lines are shown. */
export interface ViewerFilter {
  readonly include: ViewerQuery | undefined;
  readonly exclude: ViewerQuery | undefined;
  /** If empty, all levels. */
  readonly levels: readonly Level[];
  readonly streams: readonly ('stdout' | 'stderr')[];
  /** Number of context lines around each match. */
  readonly context: number;
}

/** A filter that hides nothing. */
export const EMPTY_FILTER: ViewerFilter = {
  include: undefined,
  exclude: undefined,
  levels: [],
  streams: [],
  context: 0,
};

/** One of the containers. */
export interface ViewerMember {
  readonly index: number;
  readonly name: string;
  /** Index of the VS Code chart color, 0 to 5. Stays the same for the lifetime of the viewer. */
  readonly color: number;
  readonly isShown: boolean;
  readonly isOver: boolean;
}

/** Part of a row's text with one style. */
export interface RowRun {
  readonly text: string;
  /** ANSI color number (0-255) or `#rrggbb`; undefined for the theme's default. */
  readonly fg?: number | string;
  readonly bg?: number | string;
  /** Space-separated subset of `bold dim italic underline strike`. */
  readonly look?: string;
  /** The link target. `index` is the number the extension gave the link; see `openLink`. */
  readonly link?: { readonly index: number; readonly title: string };
  /** Whether the run is part of a match of the search or the filter. */
  readonly isMatch?: boolean;
}

export interface Row {
  /** ID of the line; does not change while the viewer lives. */
  readonly id: number;
  readonly kind: LineKind;
  readonly member: number;
  readonly level: Level;
  /** Time formatted according to the style; empty if none is shown. */
  readonly time: string;
  /** Full timestamp, for the tooltip. */
  readonly moment: string;
  readonly runs: readonly RowRun[];
  /** Lines folded below the row: how many, and whether they are shown. */
  readonly folded?: { readonly count: number; readonly isOpen: boolean };
  /** Set if the line has JSON fields: whether they are shown, and the fields. */
  readonly json?: {
    readonly isOpen: boolean;
    readonly fields: readonly { readonly name: string; readonly value: string }[];
  };
  /** Whether the text of a very long line is truncated. */
  readonly isCut?: boolean;
}

export interface RowSlice {
  /** Index of the first row. */
  readonly from: number;
  readonly rows: readonly Row[];
}

/** A position in the text of a row. */
export interface RowPoint {
  readonly id: number;
  readonly character: number;
}

/** A range of text; `from` is not after `to` in row order. */
export interface RowSpan {
  readonly from: RowPoint;
  readonly to: RowPoint;
}

/** The row at the top of the view, with its timestamp. */
export interface SavedPosition {
  readonly id: number;
  readonly moment: string;
}

/** Size and state of the log. */
export interface LogExtent {
  /** Increases with every change that moves rows, except for rows appended at the end. */
  readonly generation: number;
  readonly rowCount: number;
  readonly lineCount: number;
  /** Number of the oldest lines that were dropped permanently. */
  readonly droppedCount: number;
  /** Whether the first line is the start of the log. */
  readonly isStart: boolean;
  readonly isReadingOlder: boolean;
  readonly isFiltered: boolean;
  /**
   * Current index of the row that the page named in its last `want` or `ready`, or of the nearest row after it
   * that is still shown. Sent with a new generation that is not announced by `shifted`, so that the page keeps
   * its position, and in the first message to a page that was reloaded.
   */
  readonly anchor?: { readonly id: number; readonly row: number };
}

export interface FindState {
  readonly count: number;
  /** Number of the current match, starting at 1; 0 for none. */
  readonly current: number;
  readonly isDone: boolean;
  /** Positions of the matches in thousandths of the row count, without duplicates. */
  readonly marks: readonly number[];
  readonly problem: string | undefined;
  /** Text about how far back the engine's log was searched; undefined while only loaded lines were searched. */
  readonly horizon: string | undefined;
  readonly isSearchingBack: boolean;
}

/** Command that a keybinding or a VS Code menu sends to the page. */
export type PageCommand = 'find' | 'copy' | 'copyWithColors';

export type ToPage =
  | {
      readonly type: 'init';
      readonly strings: Readonly<Record<string, string>>;
      readonly style: ViewerStyle;
      readonly filter: ViewerFilter;
      readonly title: string;
    }
  | { readonly type: 'members'; readonly members: readonly ViewerMember[] }
  /** `tail`: new or changed rows at the end, for a page that follows the end. */
  | { readonly type: 'shape'; readonly shape: LogExtent; readonly tail?: RowSlice }
  | ({ readonly type: 'rows'; readonly generation: number } & RowSlice)
  | { readonly type: 'find'; readonly find: FindState }
  /** Scrolls to the row and makes it the current row. */
  | { readonly type: 'reveal'; readonly row: number; readonly id: number }
  /**
   * Rows were inserted before the first row or, if `by` is negative, removed there. The page keeps what is in
   * view. `generation` is that of the following `shape` message.
   */
  | { readonly type: 'shifted'; readonly generation: number; readonly by: number }
  | { readonly type: 'style'; readonly style: ViewerStyle }
  /** A sentence about what happened. With `isQuiet`, for screen readers only, because the rows already show it. */
  | { readonly type: 'notice'; readonly text: string; readonly isQuiet?: true }
  | { readonly type: 'ask'; readonly what: PageCommand }
  /**
   * Value that the page stores as `kept` in its webview state (`setState`), next to its own state. VS Code
   * returns it to the extension when the window was reloaded. The page does not interpret the value.
   */
  | { readonly type: 'keep'; readonly kept: unknown };

export type ToHost =
  /**
   * Sent once. `position`: row at the top of the view before the page was reloaded; left out if the page followed
   * the end.
   */
  | { readonly type: 'ready'; readonly position?: SavedPosition }
  /**
   * The page follows the end and shows `count` rows. The extension sends these rows now, and new rows as they
   * arrive, until the next `want`.
   */
  | { readonly type: 'follow'; readonly count: number }
  /** Rows in view or near it, of a page that does not follow the end. */
  | {
      readonly type: 'want';
      readonly generation: number;
      readonly from: number;
      readonly to: number;
      /** ID of the row whose position the page keeps when rows move. */
      readonly anchor?: number;
    }
  /** The line that the user looks at: the current one if it is in view, otherwise the first. Not while following. */
  | { readonly type: 'current'; readonly id: number }
  /** A new query requires new rows for everything in view, because the matches change. */
  | {
      readonly type: 'find';
      readonly query: ViewerQuery | undefined;
      /** Row from which the first match is revealed; left out if the page only restores an earlier search. */
      readonly fromRow?: number;
    }
  | { readonly type: 'findNext'; readonly step: 1 | -1; readonly fromRow: number }
  | { readonly type: 'searchBack'; readonly isOn: boolean }
  | { readonly type: 'filter'; readonly filter: ViewerFilter }
  | { readonly type: 'style'; readonly style: ViewerStyle }
  | { readonly type: 'showMember'; readonly index: number; readonly isShown: boolean }
  | { readonly type: 'older' }
  | { readonly type: 'fold'; readonly id: number; readonly isOpen: boolean }
  | { readonly type: 'json'; readonly id: number; readonly isOpen: boolean }
  | { readonly type: 'openLink'; readonly id: number; readonly index: number }
  /**
   * Copies the rows from `from` to `to`, inclusive; of the first and last row only the text within these characters.
   * To copy all rows, the IDs are the smallest and largest safe integers; no row needs to have exactly these IDs.
   */
  | ({ readonly type: 'copy'; readonly withColors: boolean } & RowSpan)
  | {
      readonly type: 'command';
      readonly name: 'clear' | 'save' | 'saveMatches' | 'openDocument' | 'jump';
    };

/** Returns the query in an untrusted value, which may come from an older version; undefined if there is none. */
export function queryFrom(value: unknown): ViewerQuery | undefined {
  const { pattern, isRegex, matchCase, wholeWord } = asRecord(value);
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

const LONGEST_PATTERN = 10_000;
