import { DisposableStore, isCancellation, type Disposable } from '../../lifetime.ts';
import type { LogRows } from '../../logs/rows/logRows.ts';
import type { LogSearch } from '../../logs/search/logSearch.ts';
import type { LineStore } from '../../logs/store/lineStore.ts';
import { createViewerServices, type ViewerServices } from './viewerServices.ts';
import { LineActions } from '../rows/lineActions.ts';
import {
  filterFrom,
  EMPTY_FILTER,
  queryFrom,
  type ViewerState,
  type ViewerSelection,
} from './viewerState.ts';
import type { ViewerFilter, PageCommand, ToHost, ToPage, ViewerStyle } from '../protocol.ts';
import type {
  EditorActions,
  MessageHandlers,
  PagePort,
  SessionContext,
  SourceLookup,
} from './sessionContext.ts';
import { viewerStrings } from '../viewerStrings.ts';
import { styleFrom, type StyleMemory } from './styleMemory.ts';
import { ViewerContent, type ViewerContentDependencies } from './viewerContent.ts';

/** One log viewer: reads logs, and shows the page what it wants of them. */
export class ViewerSession implements Disposable {
  readonly #parts: ViewerSessionDependencies;
  readonly #owned = new DisposableStore();
  readonly #content: ViewerContent;
  readonly #services: ViewerServices;
  readonly #lines: LineActions;
  #style: ViewerStyle;
  /** Whether the page can be told anything. */
  #isReady = false;
  /** What was kept is of a page of another session: its ids mean nothing here. */
  #isRestored: boolean;
  /** The members as the page was told of them last. */
  #sentMembers = '';
  #opened: Promise<void> = Promise.resolve();
  #timer: Disposable | undefined;

  constructor(parts: ViewerSessionDependencies) {
    const { page, kept } = parts;
    this.#parts = parts;
    this.#style = parts.styles.of(parts.styleName);
    this.#isRestored = kept !== undefined;
    const onProblem = (error: unknown): void => {
      this.#tell(parts.describe(error));
    };
    this.#content = this.#owned.add(
      new ViewerContent({
        ...parts,
        filter: kept?.filter ?? EMPTY_FILTER,
        folds: this.#style.fold,
        clearedAt: kept?.clearedAt ?? '',
        onProblem,
        onLimit: () => void this.#lines.tellLimit(),
      }),
    );
    const post = (message: ToPage): void => {
      this.#post(message);
    };
    this.#services = createViewerServices({
      ...parts,
      content: this.#content,
      style: () => this.#style,
      ...{ post, onProblem },
    });
    this.#owned.add(this.#services.owned);
    const tell = (text: string): void => {
      this.#tell(text);
    };
    this.#lines = new LineActions({
      ...parts,
      content: this.#content,
      services: this.#services,
      tell,
    });
    this.#services.extent.update();
    this.#listen(page);
  }

  /**
   * Begins to read.
   *
   * @returns when the first lines are there.
   * @throws EngineError where the engine refuses.
   */
  open(): Promise<void> {
    this.#opened = this.#content.open();
    return this.#opened;
  }

  /** Has the page do what a key or a menu of the editor stands for. */
  ask(what: PageCommand): void {
    this.#post({ type: 'ask', what });
  }

  dispose(): void {
    // A page that is gone can be told nothing, also by what is still under way.
    this.#isReady = false;
    this.#timer?.dispose();
    this.#owned.dispose();
  }

  #listen(page: PagePort): void {
    this.#owned.add(
      page.onMessage((message) => {
        void this.#take(message);
      }),
    );
    this.#owned.add(
      page.onDidChangeVisibility(() => {
        // A page that is hidden is gone; the next one says that it is ready.
        if (page.isVisible) return;
        this.#isReady = false;
        this.#services.server.end();
      }),
    );
    this.#owned.add(
      this.#content.onDidChange(() => {
        this.#tellContent();
      }),
    );
    this.#tick();
  }

  #tick(): void {
    this.#timer = this.#parts.clock.after(TICK_MS, () => {
      if (this.#isReady && this.#style.times === 'relative') this.#services.server.refresh();
      this.#tick();
    });
  }

  async #take(message: ToHost): Promise<void> {
    try {
      const handle = this.#handlers[message.type] as (one: ToHost) => Promise<void> | void;
      await handle(message);
    } catch (error) {
      if (!isCancellation(error)) this.#tell(this.#parts.describe(error));
    }
  }

  readonly #handlers: MessageHandlers = {
    ready: ({ place }) => this.#start(place),
    follow: ({ count }) => {
      // The page may have been hidden since.
      if (this.#isReady) this.#services.server.follow(count);
    },
    want: (want) => {
      this.#services.server.want(want);
    },
    find: ({ query, fromRow }) => {
      this.#services.find.find(queryFrom(query), fromRow);
      // Rows that were on their way when the page asked bear no marks, and it may take them for the new ones.
      this.#services.server.refresh();
    },
    findNext: ({ step, fromRow }) => {
      this.#services.find.step(step, fromRow);
    },
    searchBack: async ({ isOn }) => {
      if (isOn) await this.#content.back.all();
      else this.#content.back.stop();
    },
    filter: ({ filter }) => {
      this.#setFilter(filterFrom(filter));
    },
    style: ({ style }) => this.#setStyle(styleFrom(style)),
    showMember: ({ index, isShown }) => {
      this.#content.members.show(index, isShown);
      this.#services.find.restart();
    },
    older: () => this.#content.back.page(),
    fold: ({ id, isOpen }) => {
      const { rows } = this.#parts;
      rows.fold(rows.headOf(id), !isOpen);
    },
    json: ({ id, isOpen }) => {
      this.#openJson(id, isOpen);
    },
    openLink: (link) => this.#lines.openLink(link),
    copy: (copy) => this.#lines.copy(copy),
    command: async ({ name }) => {
      if (name === 'clear') this.#clear();
      else await this.#lines.run(name);
    },
  };

  async #start(place: SavedPosition | undefined): Promise<void> {
    const { l10n, title } = this.#parts;
    const { extent, server, find } = this.#services;
    // It speaks, so it is there, whatever the editor says of the panel by now.
    this.#isReady = true;
    const [isRestored, id] = [this.#isRestored, place?.id];
    this.#isRestored = false;
    server.begin(isRestored ? undefined : id, place === undefined);
    const [style, filter] = [this.#style, this.#content.filter];
    this.#post({ type: 'init', strings: viewerStrings(l10n), style, filter, title });
    this.#keep();
    this.#sentMembers = '';
    this.#tellMembers();
    extent.begin();
    find.update();
    if (place && isRestored) await this.#goBackTo(Date.parse(place.moment));
  }

  /** To where the person was before the window was reloaded. */
  async #goBackTo(moment: number): Promise<void> {
    if (Number.isNaN(moment)) return;
    await this.#opened;
    await this.#services.jump.toMoment(moment);
  }

  #tellContent(): void {
    this.#tellMembers();
    this.#services.extent.update();
    this.#services.find.update();
  }

  /** For others than before a page draws every row anew: with each page that is read back it would be much. */
  #tellMembers(): void {
    const members = this.#content.members.list;
    const told = JSON.stringify(members);
    if (!this.#isReady || told === this.#sentMembers) return;
    this.#sentMembers = told;
    this.#post({ type: 'members', members });
  }

  #setFilter(filter: ViewerFilter): void {
    this.#content.filter = filter;
    this.#services.find.restart();
    this.#keep();
    this.#services.extent.update();
  }

  async #setStyle(style: ViewerStyle): Promise<void> {
    const { styles, styleName } = this.#parts;
    this.#content.folds = style.fold;
    this.#style = style;
    this.#post({ type: 'style', style });
    this.#services.server.refresh();
    await styles.keep(styleName, style);
  }

  #openJson(id: number, isOpen: boolean): void {
    const { openJson, server } = this.#services;
    if (isOpen) openJson.add(id);
    else openJson.delete(id);
    server.refresh();
  }

  #clear(): void {
    this.#content.clear();
    this.#services.openJson.clear();
    this.#services.find.restart();
    this.#keep();
    const text = this.#parts.l10n.t('Cleared. New lines appear here.');
    this.#post({ type: 'notice', text, isQuiet: true });
  }

  #keep(): void {
    const { selection, title, styleName } = this.#parts;
    const { filter, clearedAt } = this.#content;
    const kept: ViewerState = { selection, title, styleName, filter, clearedAt };
    this.#post({ type: 'keep', kept });
  }

  #tell(text: string): void {
    this.#post({ type: 'notice', text });
  }

  #post(message: ToPage): void {
    if (this.#isReady) this.#parts.page.post(message);
  }
}

/** What a session is made of. */
export interface ViewerSessionDependencies extends SessionContext {
  readonly selection: ViewerSelection;
  /** Without what says that these are logs: `web`, `shop (5)`. */
  readonly title: string;
  /** By what name the style is remembered. */
  readonly styleName: string;
  /** What was kept of the session before the window was reloaded. */
  readonly kept?: ViewerState | undefined;
  readonly page: PagePort;
  readonly store: LineStore;
  readonly rows: LogRows;
  readonly searcher: Pick<LogSearch, 'find'>;
  readonly sources: SourceLookup;
  readonly styles: StyleMemory;
  readonly actions: EditorActions;
  readonly openLog: ViewerContentDependencies['openLog'];
  /** An error as a sentence. */
  readonly describe: (error: unknown) => string;
}

type SavedPosition = NonNullable<Extract<ToHost, { readonly type: 'ready' }>['place']>;

/** Relative times grow old. */
const TICK_MS = 5000;
