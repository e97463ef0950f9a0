import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../lifetime.ts';
import { LineStore } from '../logs/store/lineStore.ts';
import { LogRows } from '../logs/rows/logRows.ts';
import { LogSearch } from '../logs/search/logSearch.ts';
import { removeLeftSpillFiles } from '../logs/store/spillFile.ts';
import { settings } from '../settings.ts';
import { editorActions } from './editorActions.ts';
import { viewerStateFrom, type ViewerSelection } from './session/viewerState.ts';
import { openLogSet, type ViewerEngine } from './session/openLogSet.ts';
import type { PageCommand } from './protocol.ts';
import { PanelHost } from './panelHost.ts';
import { wallClock } from '../time.ts';
import { StyleMemory } from './session/styleMemory.ts';
import { ViewerSession, type ViewerSessionDependencies } from './session/viewerSession.ts';
import { selectionKey, viewerTitle } from './session/viewerTitle.ts';
import { WorkspaceSources } from './workspaceSources.ts';

const VIEW_TYPE = 'gantry.logViewer';

/** The log viewers of this window: one panel for each selection of containers. */
export class LogViewers implements Disposable {
  readonly #parts: LogViewersDependencies;
  readonly #styles: StyleMemory;
  readonly #viewers = new Map<string, OpenViewer>();
  readonly #serializer: Disposable;

  constructor(parts: LogViewersDependencies) {
    this.#parts = parts;
    this.#styles = new StyleMemory(parts.memento);
    this.#serializer = vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, {
      deserializeWebviewPanel: (panel, state: unknown) => {
        this.#restore(panel, state);
        return Promise.resolve();
      },
    });
  }

  /**
   * Opens a viewer, or brings the one for the same containers to the front.
   *
   * @param names of the containers, in order.
   * @returns the panel's title, once the first lines are there.
   * @throws EngineError where the engine refuses.
   */
  async open(
    engine: ViewerEngine,
    selection: ViewerSelection,
    names: readonly string[],
  ): Promise<{ readonly title: string }> {
    const known = this.#viewers.get(selectionKey(selection));
    if (known) {
      known.panel.reveal();
      await known.opened;
      return { title: known.panel.title };
    }
    const { l10n } = vscode;
    const title = engine.titleOf(viewerTitle(selection, names, l10n));
    const panel = vscode.window.createWebviewPanel(
      VIEW_TYPE,
      l10n.t('Logs: {0}', title),
      vscode.ViewColumn.Active,
      { retainContextWhenHidden: false },
    );
    const styleName = selection.project ?? names.join(' ');
    const viewer = this.#fill(panel, engine, { selection, title, styleName });
    await viewer.opened;
    return { title: panel.title };
  }

  /** Has the viewer that is in front do something; nothing where none is. */
  ask(what: PageCommand): void {
    for (const { panel, session } of this.#viewers.values()) if (panel.active) session.ask(what);
  }

  dispose(): void {
    this.#serializer.dispose();
    for (const { panel } of [...this.#viewers.values()]) panel.dispose();
  }

  #restore(panel: vscode.WebviewPanel, state: unknown): void {
    const kept = viewerStateFrom((state as { readonly kept?: unknown } | undefined)?.kept);
    const engine = kept && this.#parts.engineOf(kept.selection.engine);
    if (!engine || this.#viewers.has(selectionKey(kept.selection))) {
      panel.dispose();
      return;
    }
    this.#fill(panel, engine, { ...kept, kept });
  }

  #fill(panel: vscode.WebviewPanel, engine: ViewerEngine, beginning: Beginning): OpenViewer {
    const owned = new DisposableStore();
    const session = this.#session(panel, engine, beginning, owned);
    const opened = session.open();
    // What keeps a log from being read is said in the log.
    opened.catch(() => undefined);
    const key = selectionKey(beginning.selection);
    const viewer = { panel, opened, session };
    this.#viewers.set(key, viewer);
    panel.iconPath = new vscode.ThemeIcon('output');
    panel.onDidDispose(() => {
      if (this.#viewers.get(key) === viewer) this.#viewers.delete(key);
      owned.dispose();
    });
    return viewer;
  }

  #session(
    panel: vscode.WebviewPanel,
    engine: ViewerEngine,
    beginning: Beginning,
    owned: DisposableStore,
  ): ViewerSession {
    const { extensionUri, spillFolder, describe } = this.#parts;
    const { l10n } = vscode;
    const folder = vscode.Uri.joinPath(extensionUri, 'dist');
    const page = owned.add(new PanelHost(panel, folder));
    const budgetBytes = settings.logMemory() * MEGABYTE;
    // Of windows that were killed; done when the first viewer needs the folder, not when the window opens.
    if (this.#viewers.size === 0) removeLeftSpillFiles(spillFolder);
    const store = owned.add(new LineStore({ budgetBytes, spillFolder }));
    const workerFile = vscode.Uri.joinPath(folder, 'logSearch.cjs').fsPath;
    const searcher = owned.add(new LogSearch(store, { workerFile, l10n }));
    const rows = owned.add(new LogRows(store, searcher));
    const tail = tailOf(settings.logTail());
    return owned.add(
      new ViewerSession({
        ...{ ...beginning, page, store, rows, searcher, l10n, clock: wallClock, describe },
        sources: owned.add(new WorkspaceSources(engine.connect)),
        styles: this.#styles,
        actions: editorActions,
        openLog: (feed) => openLogSet(engine, beginning.selection, { tail, l10n }, feed),
      }),
    );
  }
}

/** What the viewers of a window stand on. */
export interface LogViewersDependencies {
  /** Where the extension is. */
  readonly extensionUri: vscode.Uri;
  /** Where lines go that are too many for memory. */
  readonly spillFolder: string;
  readonly memento: vscode.Memento;
  readonly engineOf: (id: string) => ViewerEngine | undefined;
  /** An error as a sentence. */
  readonly describe: (error: unknown) => string;
}

/** A panel, and when it has its first lines. */
interface OpenViewer {
  readonly panel: vscode.WebviewPanel;
  readonly opened: Promise<void>;
  readonly session: Pick<ViewerSession, 'ask'>;
}

/** Whose logs a panel shows, and how it begins. */
type Beginning = Pick<ViewerSessionDependencies, 'selection' | 'title' | 'styleName' | 'kept'>;

const MEGABYTE = 1024 * 1024;

/** A viewer reads older lines when they are wanted: it never begins with all of them. */
function tailOf(tail: number | 'all'): number {
  return tail === 'all' ? LARGEST_TAIL : Math.min(tail, LARGEST_TAIL);
}

const LARGEST_TAIL = 10_000;
