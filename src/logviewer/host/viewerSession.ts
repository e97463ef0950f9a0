import * as l10n from '@vscode/l10n';
import { DisposableStore, isCancellation, type Disposable } from '../../base/lifetime.ts';
import { createViewerServices, type ViewerServices } from './viewerServices.ts';
import { LineActions } from './lineActions.ts';
import { filterFrom, type ViewerState } from './viewerState.ts';
import {
  queryFrom,
  type PageCommand,
  type SavedPosition,
  type ToHost,
  type ToPage,
  type ViewerStyle,
} from '../protocol.ts';
import type { MessageHandlers, PagePort, ViewerSessionDependencies } from './sessionContext.ts';
import { PositionRestorer } from './positionRestorer.ts';
import { viewerStrings } from '../viewerStrings.ts';
import { keepStyle, keptStyle, styleFrom } from './keptStyle.ts';
import { ViewerContent, type ViewerContext } from './viewerContent.ts';

/** A log viewer: reads logs and sends the page the rows it needs. */
export class ViewerSession implements Disposable {
  readonly #parts: ViewerSessionDependencies;
  readonly #owned = new DisposableStore();
  readonly #content: ViewerContent;
  readonly #services: ViewerServices;
  readonly #lines: LineActions;
  readonly #restorer: PositionRestorer;
  #style: ViewerStyle;
  /** Whether the page can receive messages. */
  #isReady = false;
  /** The members last sent to the page, as JSON. */
  #sentMembers = '';
  #opened: Promise<void> = Promise.resolve();
  #timer: Disposable | undefined;
  /** Where to go once the page is there, in milliseconds since 1970. */
  #goal: number | undefined;

  constructor(parts: ViewerSessionDependencies) {
    this.#parts = parts;
    this.#style = keptStyle(parts.memento, parts.styleName);
    const onProblem = this.#showProblem;
    this.#content = this.#owned.add(
      new ViewerContent(parts, this.#style.fold, {
        onProblem,
        onLimit: () => void this.#lines.showLimit(),
      }),
    );
    const context: ViewerContext = {
      ...parts,
      content: this.#content,
      style: () => this.#style,
      post: this.#post,
      onProblem,
    };
    this.#services = createViewerServices(context);
    this.#owned.add(this.#services.owned);
    this.#lines = new LineActions(context, this.#services);
    this.#restorer = this.#owned.add(new PositionRestorer(parts, this.#services.jump));
    this.#services.server.updateExtent();
    this.#listen(parts.page);
  }

  /**
   * Starts reading.
   *
   * @returns a promise that resolves when the first lines have arrived. Engine errors do not reject: they
   * appear as markers in the log.
   */
  open(): Promise<void> {
    this.#opened = this.#content.open();
    return this.#opened;
  }

  /** Reads what the engine has not sent, for a user who opens the log again. */
  refresh(): void {
    this.#content.refresh();
  }

  /** Shows the first line at or after a time, in milliseconds since 1970, once the page and its lines are there. */
  goTo(moment: number): void {
    this.#goal = moment;
    if (this.#isReady) this.#reachGoal().catch(this.#showProblem);
  }

  /** Sends a command from a keybinding or a VS Code menu to the page. */
  ask(what: PageCommand): void {
    this.#post({ type: 'ask', what });
  }

  dispose(): void {
    // Operations still running must not post to a page that is gone.
    this.#isReady = false;
    this.#timer?.dispose();
    this.#moved(undefined);
    this.#owned.dispose();
  }

  #listen(page: PagePort): void {
    this.#owned.listen(page.onMessage, (message) => void this.#handle(message));
    this.#owned.listen(page.onDidChangeVisibility, () => {
      // A hidden page is destroyed; the next page sends `ready`.
      if (page.isVisible) return;
      this.#isReady = false;
      this.#services.server.end();
      this.#restorer.pause();
    });
    this.#owned.listen(this.#content.onDidChange, this.#sendContent);
    this.#tick();
  }

  #tick(): void {
    this.#timer = this.#parts.clock.after(TICK_MS, () => {
      if (this.#isReady && this.#style.times === 'relative') this.#services.server.refresh();
      this.#tick();
    });
  }

  async #handle(message: ToHost): Promise<void> {
    try {
      const { type } = message;
      // The page is Gantry's own; its row numbers and IDs are checked where they are used.
      if (!Object.hasOwn(this.#handlers, type)) return;
      const handle = this.#handlers[type] as (one: ToHost) => Promise<void> | void;
      await handle(message);
    } catch (error) {
      if (!isCancellation(error)) this.#showProblem(error);
    }
  }

  readonly #handlers: MessageHandlers = {
    ready: ({ position }) => this.#start(position),
    follow: ({ count }) => {
      this.#moved(undefined);
      // The page may have been hidden since it sent the message.
      if (this.#isReady) this.#services.server.follow(count);
    },
    want: (want) => {
      // A restored page follows the end until it goes back, or until the user scrolls.
      this.#restorer.cancel();
      this.#services.server.want(want);
    },
    find: ({ query, fromRow }) => {
      this.#services.find.find(queryFrom(query), fromRow);
      // Rows already on their way when the page sent the query have no matches, and the page may take them for
      // new rows.
      this.#services.server.refresh();
    },
    findNext: ({ step, fromRow }) => this.#services.find.step(step, fromRow),
    searchBack: async ({ isOn }) => {
      if (isOn) await this.#content.back.all();
      else this.#content.back.stop();
    },
    filter: ({ filter }) => {
      this.#content.filter = filterFrom(filter);
      this.#services.find.restart();
      this.#keep();
      this.#services.server.updateExtent();
    },
    style: ({ style }) => this.#setStyle(styleFrom(style)),
    showMember: ({ index, isShown }) => {
      this.#content.showMember(index, isShown);
      this.#services.find.restart();
    },
    current: ({ id }) => this.#moved(id),
    older: () => this.#content.back.page(),
    fold: ({ id, isOpen }) => {
      const { rows } = this.#parts;
      rows.fold(rows.headOf(id), !isOpen);
    },
    json: ({ id, isOpen }) => {
      const { openJson, server } = this.#services;
      if (isOpen) openJson.add(id);
      else openJson.delete(id);
      server.refresh();
    },
    openLink: (link) => this.#lines.openLink(link),
    copy: (copy) => this.#lines.copy(copy),
    command: async ({ name }) => {
      if (name === 'clear') this.#clear();
      else await this.#lines.run(name);
    },
  };

  async #start(position: SavedPosition | undefined): Promise<void> {
    const { title, selection } = this.#parts;
    const { server, find } = this.#services;
    // The page sent a message, so it exists, even if the panel already reports that it is hidden.
    this.#isReady = true;
    const id = this.#restorer.isPending ? undefined : position?.id;
    server.begin(id, position === undefined);
    const style = this.#style;
    const filter = this.#content.filter;
    const strings = viewerStrings(selection.build !== undefined);
    this.#post({ type: 'init', strings, style, filter, title });
    this.#keep();
    this.#sentMembers = '';
    this.#sendMembers();
    server.beginExtent();
    find.update();
    if (this.#goal !== undefined) await this.#reachGoal();
    else await this.#restorer.begin(position, this.#opened);
  }

  /** A page that is hidden in the meantime leaves it to the next one. */
  async #reachGoal(): Promise<void> {
    await this.#opened;
    const goal = this.#goal;
    if (goal === undefined || !this.#isReady) return;
    this.#restorer.cancel();
    this.#goal = undefined;
    await this.#services.jump.toMoment(goal);
  }

  /** @param id of the line that the user looks at; undefined if the page follows the end. */
  #moved(id: number | undefined): void {
    const { positions, selection, store } = this.#parts;
    const [line] = id === undefined ? [] : store.read(id, id + 1);
    const at = Date.parse(line?.timestamp ?? '');
    const ids = this.#content.members.list.flatMap(
      ({ index }) => this.#content.members.idOf(index) ?? [],
    );
    const { engine } = selection;
    positions.set(this, { engine, ids, at: Number.isNaN(at) ? undefined : at });
  }

  readonly #sendContent = (): void => {
    this.#sendMembers();
    this.#services.server.updateExtent();
    this.#services.find.update();
  };

  /**
   * Sends the members if they have changed. The page redraws all rows for new members, which would be too much
   * for each page that is read back.
   */
  #sendMembers(): void {
    const members = this.#content.members.list;
    const text = JSON.stringify(members);
    if (!this.#isReady || text === this.#sentMembers) return;
    this.#sentMembers = text;
    this.#post({ type: 'members', members });
  }

  async #setStyle(style: ViewerStyle): Promise<void> {
    const { memento, styleName } = this.#parts;
    this.#content.folds = style.fold;
    this.#style = style;
    this.#post({ type: 'style', style });
    this.#services.server.refresh();
    await keepStyle(memento, styleName, style);
  }

  #clear(): void {
    this.#content.clear();
    this.#services.openJson.clear();
    this.#services.find.restart();
    this.#keep();
    const text = l10n.t('Cleared. New lines appear here.');
    this.#post({ type: 'notice', text, isQuiet: true });
  }

  #keep(): void {
    const { selection, title, styleName } = this.#parts;
    const { filter, clearedAt } = this.#content;
    const kept: ViewerState = { selection, title, styleName, filter, clearedAt };
    this.#post({ type: 'keep', kept });
  }

  readonly #showProblem = (error: unknown): void => {
    this.#post({ type: 'notice', text: this.#parts.describe(error) });
  };

  readonly #post = (message: ToPage): void => {
    if (this.#isReady) this.#parts.page.post(message);
  };
}

/** Interval for refreshing relative times. */
const TICK_MS = 5000;
