import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ViewedBuild } from '../builds/shownBuild.ts';
import { DisposableStore, type Disposable } from '../base/lifetime.ts';
import { LineStore } from '../logs/store/lineStore.ts';
import { LogRows } from '../logs/rows/logRows.ts';
import { LogSearch } from '../logs/search/logSearch.ts';
import { removeLeftSpillFiles } from '../logs/store/spillFile.ts';
import { LOG_VIEWER_TYPE } from '../base/registeredTypes.ts';
import { settings } from '../base/settings.ts';
import { editorActions } from './editorActions.ts';
import {
  selectionKey,
  viewerStateFrom,
  viewerTitle,
  type ViewerSelection,
} from './host/viewerState.ts';
import type { LogPositions } from './logPositions.ts';
import { openLogSet, type ViewerEngine } from './host/openLogSet.ts';
import type { PageCommand, ToHost, ToPage } from './protocol.ts';
import { oneLine } from '../base/plainText.ts';
import { wallClock } from '../base/time.ts';
import { BuildLog } from './host/buildLog.ts';
import type { ViewerLog, ViewerSessionDependencies } from './host/sessionContext.ts';
import type { StoreFeed } from './host/storeFeed.ts';
import { ViewerSession } from './host/viewerSession.ts';
import {
  originsInBuild,
  originsInContainers,
  WorkspaceSources,
  type ReadOrigins,
} from './workspaceSources.ts';
import { panelPage } from './panelPage.ts';

/** The log viewers of this window, one panel per selection of containers, or per build. */
export class LogViewers implements Disposable {
  readonly #parts: LogViewersDependencies;
  readonly #viewers = new Map<string, OpenViewer>();

  constructor(parts: LogViewersDependencies) {
    this.#parts = parts;
  }

  /**
   * Opens a log viewer, or reveals the existing one for the same containers. Replaces one that could not be
   * opened, or whose engine is gone.
   *
   * @param names container names, in order.
   * @param at the time to show, in milliseconds since 1970; where it was, or the end, if undefined.
   * @returns the panel title, once the first lines have arrived. Engine errors do not reject: the log shows them.
   */
  async open(
    engine: ViewerEngine,
    selection: ViewerSelection,
    names: readonly string[],
    at?: number,
  ): Promise<{ readonly title: string }> {
    const title = engine.titleOf(viewerTitle(selection, names));
    const styleName = selection.project ?? names.join(' ');
    return this.#open({ selection, title, styleName }, containerLogs(engine, selection), at);
  }

  /**
   * Opens a log viewer for the output of a build, or of one of its steps, or reveals the existing one. It is closed
   * when the window is reloaded.
   *
   * @returns the panel title, once the output so far has arrived. Engine errors do not reject: the log shows them.
   */
  openBuild(engine: ViewerEngine, build: ViewedBuild): Promise<{ readonly title: string }> {
    const { ref, step } = build;
    const selection = { engine: engine.id, ids: [], build: { ref, step: step?.id } };
    const name = oneLine(step ? `${build.title} ${step.name}` : build.title, TITLE_LIMIT);
    const beginning = { selection, title: engine.titleOf(name), styleName: 'build' };
    return this.#open(beginning, {
      readOrigins: originsInBuild(build.request),
      open: (feed) => new BuildLog(build, feed, this.#parts.describe),
    });
  }

  async #open(
    beginning: Beginning,
    logs: ViewedLogs,
    at?: number,
  ): Promise<{ readonly title: string }> {
    const known = this.#viewers.get(selectionKey(beginning.selection));
    if (known && !known.isDead) {
      known.panel.reveal();
      known.session.refresh();
      if (at !== undefined) known.session.goTo(at);
      await known.opened;
      return { title: known.panel.title };
    }
    // A session is opened only once.
    known?.panel.dispose();
    const panel = vscode.window.createWebviewPanel(
      LOG_VIEWER_TYPE,
      l10n.t('Logs: {0}', beginning.title),
      vscode.ViewColumn.Active,
      { retainContextWhenHidden: false },
    );
    const viewer = this.#fill(panel, logs, beginning);
    if (at !== undefined) viewer.session.goTo(at);
    await viewer.opened;
    return { title: panel.title };
  }

  /** Sends a command to the page of the active viewer. Does nothing if no viewer is active. */
  ask(what: PageCommand): void {
    for (const { panel, session } of this.#viewers.values()) if (panel.active) session.ask(what);
  }

  /** Marks the viewers of an engine that was removed from the settings, or replaced: their logs have ended. */
  end(engine: string): void {
    for (const viewer of this.#viewers.values()) if (viewer.engine === engine) viewer.isDead = true;
  }

  dispose(): void {
    for (const { panel } of [...this.#viewers.values()]) panel.dispose();
  }

  /**
   * Fills a panel that VS Code restored after a reload of the window.
   *
   * @param state what the page kept; the panel is closed if it is of no use.
   */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const kept = viewerStateFrom((state as { readonly kept?: unknown } | undefined)?.kept);
    const engine = kept && this.#parts.engineOf(kept.selection.engine);
    if (!engine || this.#viewers.has(selectionKey(kept.selection))) {
      panel.dispose();
      return;
    }
    this.#fill(panel, containerLogs(engine, kept.selection), { ...kept, kept });
  }

  #fill(panel: vscode.WebviewPanel, logs: ViewedLogs, beginning: Beginning): OpenViewer {
    const owned = new DisposableStore();
    const session = this.#session(panel, logs, beginning, owned);
    const opened = session.open();
    const key = selectionKey(beginning.selection);
    const { engine } = beginning.selection;
    const viewer: OpenViewer = { engine, panel, opened, session, isDead: false };
    // The log itself shows why it cannot be read.
    opened.catch(() => (viewer.isDead = true));
    this.#viewers.set(key, viewer);
    // A codicon is allowed since VS Code 1.108. In an older one, the tab has no icon.
    Object.assign(panel, { iconPath: new vscode.ThemeIcon('output') });
    panel.onDidDispose(() => {
      if (this.#viewers.get(key) === viewer) this.#viewers.delete(key);
      owned.dispose();
    });
    return viewer;
  }

  #session(
    panel: vscode.WebviewPanel,
    logs: ViewedLogs,
    beginning: Beginning,
    owned: DisposableStore,
  ): ViewerSession {
    const { extensionUri, spillFolder, memento, describe, positions } = this.#parts;
    const folder = vscode.Uri.joinPath(extensionUri, 'dist');
    const page = panelPage<ToHost, ToPage>(panel, folder, 'logViewer');
    const budgetBytes = settings.logMemory() * MEGABYTE;
    // Removes spill files of windows that were killed. Done when the first viewer needs the folder, not at startup.
    if (this.#viewers.size === 0) removeLeftSpillFiles(spillFolder);
    const store = owned.add(new LineStore({ budgetBytes, spillFolder }));
    const workerFile = vscode.Uri.joinPath(folder, 'logSearch.cjs').fsPath;
    const searcher = owned.add(new LogSearch(store, { workerFile }));
    const rows = owned.add(new LogRows(store, searcher));
    const wanted = settings.logTail();
    const tail = Math.min(wanted === 'all' ? Infinity : wanted, LARGEST_TAIL);
    return owned.add(
      new ViewerSession({
        ...beginning,
        page,
        store,
        rows,
        searcher,
        clock: wallClock,
        memento,
        describe,
        positions,
        sources: owned.add(new WorkspaceSources(logs.readOrigins)),
        actions: editorActions,
        openLog: (feed) => logs.open(feed, { tail }),
      }),
    );
  }
}

interface LogViewersDependencies {
  /** Installation folder of the extension. */
  readonly extensionUri: vscode.Uri;
  /** Folder for lines that do not fit into memory. */
  readonly spillFolder: string;
  readonly memento: vscode.Memento;
  readonly engineOf: (id: string) => ViewerEngine | undefined;
  /** Where the viewers are. */
  readonly positions: LogPositions;
  /** Returns the error message to show to the user. */
  readonly describe: (error: unknown) => string;
}

/** An open panel. `opened` resolves when the first lines have arrived. */
interface OpenViewer {
  /** The ID of the engine. */
  readonly engine: string;
  readonly panel: vscode.WebviewPanel;
  readonly opened: Promise<void>;
  readonly session: Pick<ViewerSession, 'ask' | 'goTo' | 'refresh'>;
  /** Whether `opened` has rejected, or the engine was removed. */
  isDead: boolean;
}

/** Opens the logs of a viewer, and finds where the files that they name come from. */
interface ViewedLogs {
  readonly readOrigins: ReadOrigins;
  readonly open: (feed: StoreFeed, options: { readonly tail: number }) => ViewerLog;
}

function containerLogs(engine: ViewerEngine, selection: ViewerSelection): ViewedLogs {
  return {
    readOrigins: originsInContainers(engine.connect),
    open: (feed, options) => openLogSet(engine, selection, options, feed),
  };
}

/** The containers or the build of a panel and its initial state. */
type Beginning = Pick<ViewerSessionDependencies, 'selection' | 'title' | 'styleName' | 'kept'>;

const MEGABYTE = 1024 * 1024;

const TITLE_LIMIT = 100;

/** Upper limit for the initial tail, also if the setting is `all`: the viewer reads older lines on demand. */
const LARGEST_TAIL = 10_000;
