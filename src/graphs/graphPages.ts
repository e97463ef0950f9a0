import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../base/lifetime.ts';
import { GRAPHS_TYPE } from '../base/registeredTypes.ts';
import { wallClock } from '../base/time.ts';
import type { CommandContext } from '../commands/frame/commandContext.ts';
import type { LogPositions } from '../logviewer/logPositions.ts';
import { panelPage } from '../logviewer/panelPage.ts';
import { graphKey, graphSelectionFrom, graphTitle } from './graphSelection.ts';
import { GraphSession, type GraphStatistics } from './graphSession.ts';
import type { GraphSelection, ToPage } from './protocol.ts';

/** The statistics pages of this window, one for each selection of containers. */
export class GraphPages implements Disposable {
  readonly #parts: GraphPagesOptions;
  readonly #pages = new Map<string, OpenPage>();

  constructor(parts: GraphPagesOptions) {
    this.#parts = parts;
  }

  /**
   * Opens a page, or reveals the one of the same containers.
   *
   * @param names of the containers, in the same order.
   */
  async open(
    context: CommandContext,
    given: Omit<GraphSelection, 'engine'>,
    names: readonly string[],
  ): Promise<{ readonly title: string }> {
    const statistics = await context.unit.statistics();
    const selection = { ...given, engine: context.unit.id };
    const known = this.#pages.get(graphKey(selection));
    if (known) {
      known.panel.reveal();
      return { title: known.panel.title };
    }
    const name = context.titleOf(graphTitle(selection, names));
    const title = l10n.t('Statistics: {0}', name);
    const options = { retainContextWhenHidden: false };
    const column = vscode.ViewColumn.Active;
    const panel = vscode.window.createWebviewPanel(GRAPHS_TYPE, title, column, options);
    this.#fill(panel, context, selection, statistics);
    return { title };
  }

  /** Fills a panel that VS Code restored after a reload of the window, or closes it. It follows from then on. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const selection = graphSelectionFrom(state);
    const context = selection && this.#parts.contextOf(selection.engine);
    const statistics = context && (await context.unit.statistics());
    if (statistics && !this.#pages.has(graphKey(selection)))
      this.#fill(panel, context, selection, statistics);
    else panel.dispose();
  }

  /** Ends the pages of an engine that was removed from the settings. */
  end(engine: string): void {
    for (const [key, page] of this.#pages) {
      if (page.engine !== engine) continue;
      page.session.end();
      this.#pages.delete(key);
    }
  }

  dispose(): void {
    for (const { panel } of [...this.#pages.values()]) panel.dispose();
  }

  #fill(
    panel: vscode.WebviewPanel,
    context: CommandContext,
    selection: GraphSelection,
    statistics: GraphStatistics,
  ): void {
    const { extensionUri, positions } = this.#parts;
    const key = graphKey(selection);
    const folder = vscode.Uri.joinPath(extensionUri, 'dist');
    const page = panelPage<unknown, ToPage>(panel, folder, 'graphs');
    context.unit.start();
    const owned = new DisposableStore();
    const options = { title: panel.title, selection, statistics, positions, clock: wallClock };
    const session = owned.add(new GraphSession(context, page, options));
    this.#pages.set(key, { engine: selection.engine, panel, session });
    // A codicon is allowed since VS Code 1.108. In an older one, the tab has no icon.
    Object.assign(panel, { iconPath: new vscode.ThemeIcon('graph-line') });
    panel.onDidDispose(() => {
      if (this.#pages.get(key)?.panel === panel) this.#pages.delete(key);
      owned.dispose();
    });
  }
}

interface GraphPagesOptions {
  /** Installation folder of the extension. */
  readonly extensionUri: vscode.Uri;
  /** Returns the context of an engine by its ID, to restore a page. */
  readonly contextOf: (engine: string) => CommandContext | undefined;
  /** Where the log viewers are. */
  readonly positions: LogPositions;
}

interface OpenPage {
  /** The ID of the engine. */
  readonly engine: string;
  readonly panel: vscode.WebviewPanel;
  readonly session: GraphSession;
}
