import type { Memento } from '../../base/lifetime.ts';
import type { LogSet } from '../../logs/follow/logSet.ts';
import type { LogRows } from '../../logs/rows/logRows.ts';
import type { LogSearch } from '../../logs/search/logSearch.ts';
import type { SourceLocation, SourceLookup } from '../../logs/sources/sourceLookup.ts';
import type { LineStore } from '../../logs/store/lineStore.ts';
import type { Clock } from '../../base/time.ts';
import type { LogPositions } from '../logPositions.ts';
import type { PanelPage } from '../panelPage.ts';
import type { ToHost, ToPage } from '../protocol.ts';
import type { StoreFeed } from './storeFeed.ts';
import type { ViewerSelection, ViewerState } from './viewerState.ts';

export interface ViewerSessionDependencies {
  readonly clock: Clock;
  readonly selection: ViewerSelection;
  /** Title without the word that marks it as logs: `web`, `shop (5)`. */
  readonly title: string;
  /** Name under which the style is stored. */
  readonly styleName: string;
  /** State that was stored before the window was reloaded. */
  readonly kept?: ViewerState;
  readonly page: PagePort;
  readonly store: LineStore;
  readonly rows: LogRows;
  readonly searcher: Pick<LogSearch, 'find'>;
  readonly sources: SourceLookup;
  /** Stores the styles. */
  readonly memento: Memento;
  readonly actions: EditorActions;
  readonly openLog: (feed: StoreFeed) => ViewerLog;
  /** Is told where the viewer is. */
  readonly positions: Pick<LogPositions, 'set'>;
  /** Returns the error message to show to the user. */
  readonly describe: (error: unknown) => string;
}

/** The merged log of several containers, as a session uses it. */
export type ViewerLog = Pick<
  LogSet,
  'members' | 'onDidChangeMembers' | 'open' | 'older' | 'dispose'
> &
  Partial<Pick<LogSet, 'refresh'>>;

export type PagePort = PanelPage<ToHost, ToPage>;

export type MessageHandlers = {
  readonly [Type in ToHost['type']]: (
    message: Extract<ToHost, { readonly type: Type }>,
  ) => Promise<void> | void;
};

/** Text to write to a file or to show as a document. */
export interface TextSource {
  /** Suggested file name, without extension. */
  readonly name: string;
  /** Approximate number of lines. */
  readonly lineCount: number;
  readonly chunks: (withColors: boolean) => Iterable<string>;
}

/** VS Code features that a session uses. */
export interface EditorActions {
  copy(text: string): PromiseLike<void>;
  openUrl(url: string): PromiseLike<unknown>;
  openSource(location: SourceLocation): PromiseLike<unknown>;
  /** Asks the user for a time. Resolves to the input, or undefined if the user cancels. */
  askMoment(check: (text: string) => string | undefined): PromiseLike<string | undefined>;
  showWithSetting(message: string, setting: string): PromiseLike<unknown>;
  save(source: TextSource): PromiseLike<unknown>;
  openDocument(source: TextSource): PromiseLike<unknown>;
}
