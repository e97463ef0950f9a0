import { DisposableStore, isCancellation, type Disposable } from '../../lifetime.ts';
import { layDesk, type Desk } from './desk.ts';
import { LineActions } from '../rows/lineActions.ts';
import {
  filterFrom,
  NO_FILTER,
  queryFrom,
  type KeptState,
  type ViewerSelection,
} from './keptState.ts';
import type { FilterWords, PageAsk, ToHost, ToPage, ViewerStyle } from '../protocol.ts';
import type {
  EditorActions,
  MessageHandlers,
  PagePort,
  SessionBasics,
  SourceLookup,
} from './sessionParts.ts';
import { ViewRows, type RowsView, type ShownRows } from '../rows/shownRows.ts';
import { viewerStrings } from '../strings.ts';
import { styleFrom, type StyleMemory } from './styleMemory.ts';
import { ViewerContent, type ContentParts, type ContentStore } from './viewerContent.ts';
import type { Searcher } from '../rows/viewerFind.ts';

/** What a session is made of. */
export interface SessionParts extends SessionBasics {
  readonly selection: ViewerSelection;
  /** Without what says that these are logs: `web`, `shop (5)`. */
  readonly title: string;
  /** By what name the style is remembered. */
  readonly styleName: string;
  /** What was kept of the session before the window was reloaded. */
  readonly kept?: KeptState | undefined;
  readonly page: PagePort;
  readonly store: ContentStore;
  readonly view: RowsView;
  readonly searcher: Searcher;
  readonly sources: SourceLookup;
  readonly styles: StyleMemory;
  readonly actions: EditorActions;
  readonly openLog: ContentParts['openLog'];
  /** An error as a sentence. */
  readonly describe: (error: unknown) => string;
}

type Place = NonNullable<Extract<ToHost, { readonly type: 'ready' }>['place']>;

/** Relative times grow old. */
const TICK_MS = 5000;

/** One log viewer: reads logs, and shows the page what it wants of them. */
export class ViewerSession implements Disposable {
  readonly #parts: SessionParts;
  readonly #owned = new DisposableStore();
  readonly #content: ViewerContent;
  readonly #rows: ShownRows;
  readonly #desk: Desk;
  readonly #lines: LineActions;
  #style: ViewerStyle;
  /** Whether the page can be told anything. */
  #isReady = false;
  /** What was kept is of a page of another session: its ids mean nothing here. */
  #isRestored: boolean;
  /** The members as the page was told of them last. */
  #toldMembers = '';
  #opened: Promise<void> = Promise.resolve();
  #timer: Disposable | undefined;

  constructor(parts: SessionParts) {
    const { page, kept } = parts;
    this.#parts = parts;
    this.#style = parts.styles.of(parts.styleName);
    this.#isRestored = kept !== undefined;
    const onProblem = (error: unknown): void => {
      this.#tell(parts.describe(error));
    };
    const rows = (this.#rows = this.#owned.add(new ViewRows(parts.view, onProblem)));
    this.#content = this.#owned.add(
      new ViewerContent({
        ...parts,
        filter: kept?.filter ?? NO_FILTER,
        folds: this.#style.fold,
        clearedAt: kept?.clearedAt ?? '',
        onProblem,
        onLimit: () => void this.#lines.tellLimit(),
        rows,
      }),
    );
    const post = (message: ToPage): void => {
      this.#post(message);
    };
    this.#desk = layDesk({
      ...parts,
      rows,
      content: this.#content,
      style: () => this.#style,
      ...{ post, onProblem },
    });
    this.#owned.add(this.#desk.owned);
    const tell = (text: string): void => {
      this.#tell(text);
    };
    this.#lines = new LineActions({ ...parts, content: this.#content, desk: this.#desk, tell });
    this.#desk.shape.update();
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
  ask(what: PageAsk): void {
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
        if (!page.isVisible) this.#isReady = false;
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
      if (this.#isReady && this.#style.times === 'relative') this.#desk.server.refresh();
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
    want: (want) => {
      this.#desk.server.want(want);
    },
    find: ({ query, fromRow }) => {
      this.#desk.find.find(queryFrom(query), fromRow);
      // Rows that were on their way when the page asked bear no marks, and it may take them for the new ones.
      this.#desk.server.refresh();
    },
    findNext: ({ step, fromRow }) => {
      this.#desk.find.step(step, fromRow);
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
      this.#desk.find.restart();
    },
    older: () => this.#content.back.page(),
    fold: ({ id, isOpen }) => {
      this.#rows.open(id, isOpen);
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

  async #start(place: Place | undefined): Promise<void> {
    const { l10n, title } = this.#parts;
    const { shape, server, find } = this.#desk;
    // It speaks, so it is there, whatever the editor says of the panel by now.
    this.#isReady = true;
    const [isRestored, id] = [this.#isRestored, place?.id];
    this.#isRestored = false;
    server.begin(isRestored ? undefined : id);
    const [style, filter] = [this.#style, this.#content.filter];
    this.#post({ type: 'init', strings: viewerStrings(l10n), style, filter, title });
    this.#keep();
    this.#toldMembers = '';
    this.#tellMembers();
    shape.begin();
    find.update();
    if (place && isRestored) await this.#goBackTo(Date.parse(place.moment));
  }

  /** To where the person was before the window was reloaded. */
  async #goBackTo(moment: number): Promise<void> {
    if (Number.isNaN(moment)) return;
    await this.#opened;
    await this.#desk.jump.toMoment(moment);
  }

  #tellContent(): void {
    this.#tellMembers();
    this.#desk.shape.update();
    this.#desk.find.update();
  }

  /** For others than before a page draws every row anew: with each page that is read back it would be much. */
  #tellMembers(): void {
    const members = this.#content.members.shown;
    const told = JSON.stringify(members);
    if (!this.#isReady || told === this.#toldMembers) return;
    this.#toldMembers = told;
    this.#post({ type: 'members', members });
  }

  #setFilter(filter: FilterWords): void {
    this.#content.filter = filter;
    this.#desk.find.restart();
    this.#keep();
    this.#desk.shape.update();
  }

  async #setStyle(style: ViewerStyle): Promise<void> {
    const { styles, styleName } = this.#parts;
    this.#content.folds = style.fold;
    this.#style = style;
    this.#post({ type: 'style', style });
    this.#desk.server.refresh();
    await styles.keep(styleName, style);
  }

  #openJson(id: number, isOpen: boolean): void {
    const { openJson, server } = this.#desk;
    if (isOpen) openJson.add(id);
    else openJson.delete(id);
    server.refresh();
  }

  #clear(): void {
    this.#content.clear();
    this.#desk.openJson.clear();
    this.#desk.find.restart();
    this.#keep();
    const text = this.#parts.l10n.t('Cleared. New lines appear here.');
    this.#post({ type: 'notice', text, isQuiet: true });
  }

  #keep(): void {
    const { selection, title, styleName } = this.#parts;
    const { filter, clearedAt } = this.#content;
    const kept: KeptState = { selection, title, styleName, filter, clearedAt };
    this.#post({ type: 'keep', kept });
  }

  #tell(text: string): void {
    this.#post({ type: 'notice', text });
  }

  #post(message: ToPage): void {
    if (this.#isReady) this.#parts.page.post(message);
  }
}
