/**
 * What the log viewer's page and the extension say to each other. The extension keeps all lines and decides which
 * rows there are; the page shows the few that are in view. Everything is plain JSON data; what stands in `text` is
 * hostile and only ever set as text.
 */

import type { LineKind } from '../logs/store/storedLine.ts';
import type { Level } from '../logs/text/level.ts';

/** How a person wants to see logs. Remembered for each container. */
export interface ViewerStyle {
  readonly wrap: boolean;
  readonly times: 'off' | 'relative' | 'local' | 'utc';
  /** Whether stack traces are folded to their first line. */
  readonly fold: boolean;
  /** Whether lines of JSON are shown by these fields alone; empty: as they are. */
  readonly fields: readonly string[];
}

/** Words to look for. */
export interface ViewerQuery {
  readonly pattern: string;
  readonly isRegex: boolean;
  readonly matchCase: boolean;
  readonly wholeWord: boolean;
}

/** Which lines are shown. */
export interface ViewerFilter {
  readonly include: ViewerQuery | undefined;
  readonly exclude: ViewerQuery | undefined;
  /** Empty: all. */
  readonly levels: readonly Level[];
  readonly streams: readonly ('stdout' | 'stderr')[];
  /** Lines shown around each match. */
  readonly context: number;
}

/** One of the containers. */
export interface ViewerMember {
  readonly index: number;
  readonly name: string;
  /** Which of the editor's chart colours it has, 0 to 5, always the same. */
  readonly color: number;
  readonly isShown: boolean;
  readonly isOver: boolean;
}

/** A stretch of a row's text. */
export interface RowRun {
  readonly text: string;
  /** ANSI colours by number (0–255) or `#rrggbb`; undefined: the theme's own. */
  readonly fg?: number | string;
  readonly bg?: number | string;
  /** Of b(old) d(im) i(talic) u(nderline) s(trike). */
  readonly look?: string;
  /** What a click on it opens, as the extension numbers it: see `openLink`. */
  readonly link?: { readonly index: number; readonly title: string };
  /** Whether a match of the search or the filter's words stands there. */
  readonly isMatch?: true;
}

/** One row as it is shown. */
export interface Row {
  /** The line's id: the same as long as the viewer lives. */
  readonly id: number;
  readonly kind: LineKind;
  readonly member: number;
  readonly level: Level;
  /** Already in the words of the style; empty where none is shown. */
  readonly time: string;
  /** The whole moment, for the tooltip. */
  readonly moment: string;
  readonly runs: readonly RowRun[];
  /** Lines folded below it: how many, and whether they are shown. */
  readonly folded?: { readonly count: number; readonly isOpen: boolean };
  /** Whether it can be opened to its JSON fields, and whether it is. */
  readonly json?: {
    readonly isOpen: boolean;
    readonly fields: readonly { readonly name: string; readonly value: string }[];
  };
  /** Whether text of a very long line was left out here. */
  readonly isCut?: true;
}

/** Rows that follow one another. */
export interface RowSlice {
  /** Number of the first of them. */
  readonly from: number;
  readonly rows: readonly Row[];
}

/** How much there is. */
export interface LogExtent {
  /** Grows with each change that moves rows otherwise than by adding at the end. */
  readonly generation: number;
  readonly rowCount: number;
  readonly lineCount: number;
  /** Lines that were dropped for good, the oldest ones. */
  readonly droppedCount: number;
  /** Whether the first line is the log's first. */
  readonly isStart: boolean;
  readonly isReadingOlder: boolean;
  readonly isFiltered: boolean;
  /**
   * Where the row is now that the page named in its last `want` or `ready`, or the nearest one behind it that is
   * still shown. Sent with a new generation other than by `shifted`, so that the page keeps its place, and first of
   * all to a page that comes back.
   */
  readonly anchor?: { readonly id: number; readonly row: number };
}

/** Where a search stands. */
export interface FindState {
  readonly count: number;
  /** Which of them is the current one, from 1; 0 for none. */
  readonly current: number;
  readonly isDone: boolean;
  /** Where hits are, in thousandths of the rows; each once. */
  readonly marks: readonly number[];
  readonly problem: string | undefined;
  /** How far back the engine's log was searched: words, or undefined while only what is loaded was. */
  readonly horizon: string | undefined;
  readonly isSearchingBack: boolean;
}

/** What a key or a menu of the editor's own has the page do. */
export type PageCommand = 'find' | 'copy' | 'copyWithColors';

/** From the extension to the page. */
export type ToPage =
  | {
      readonly type: 'init';
      readonly strings: Readonly<Record<string, string>>;
      readonly style: ViewerStyle;
      readonly filter: ViewerFilter;
      readonly title: string;
    }
  | { readonly type: 'members'; readonly members: readonly ViewerMember[] }
  /** `tail`: to a page that follows the end, those of the rows it shows there that are new or have changed. */
  | { readonly type: 'shape'; readonly shape: LogExtent; readonly tail?: RowSlice | undefined }
  | ({ readonly type: 'rows'; readonly generation: number } & RowSlice)
  | { readonly type: 'find'; readonly find: FindState }
  /** Scroll there and mark the row as current. */
  | { readonly type: 'reveal'; readonly row: number; readonly id: number }
  /**
   * Rows were put before the first, or, below zero, dropped there: the view stays on what it shows. With the
   * generation of the shape that follows.
   */
  | { readonly type: 'shifted'; readonly generation: number; readonly by: number }
  | { readonly type: 'style'; readonly style: ViewerStyle }
  /** One sentence that says what happened, for all to see; with `isQuiet`, where the rows show it, only to hear. */
  | { readonly type: 'notice'; readonly text: string; readonly isQuiet?: true }
  | { readonly type: 'ask'; readonly what: PageCommand }
  /**
   * What the page is to keep as `kept` in its state of the webview (`setState`), beside what it keeps itself. It
   * comes back to the extension when the window was reloaded, and means nothing to the page.
   */
  | { readonly type: 'keep'; readonly kept: unknown };

/** From the page to the extension. */
export type ToHost =
  /** Sent once. `place`: what stood at the top before the page was reloaded; left out where it followed the end. */
  | {
      readonly type: 'ready';
      readonly place?: { readonly id: number; readonly moment: string };
    }
  /**
   * The page follows the end and shows so many rows there: they are sent now, and new ones as they come, until the
   * next `want`.
   */
  | { readonly type: 'follow'; readonly count: number }
  /** Rows that are in view or near it, of a page that does not follow the end. */
  | {
      readonly type: 'want';
      readonly generation: number;
      readonly from: number;
      readonly to: number;
      /** The row whose place the page keeps when rows move. */
      readonly anchor?: number;
    }
  /** With new words every row in view is wanted anew, for its matches. */
  | {
      readonly type: 'find';
      readonly query: ViewerQuery | undefined;
      /** The first hit from there on is gone to; left out by a page that only shows again what it showed before. */
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
   * Rows `from` up to and with `to`; of the ends only what lies within these characters. For all
   * rows the ids are the smallest and the largest safe integer; no row need be there by exactly that id.
   */
  | {
      readonly type: 'copy';
      readonly from: { readonly id: number; readonly character: number };
      readonly to: { readonly id: number; readonly character: number };
      readonly withColors: boolean;
    }
  | {
      readonly type: 'command';
      readonly name: 'clear' | 'save' | 'saveMatches' | 'openDocument' | 'jump';
    };
