import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CommandContext } from '../commands/frame/commandContext.ts';
import type { CleanupKind } from '../engine/system/cleanupKinds.ts';
import { asRecord } from '../engine/wire/wire.ts';
import { DisposableStore, type Disposable } from '../base/lifetime.ts';
import { panelPage } from '../logviewer/panelPage.ts';
import { CLEANUP_TYPE } from '../base/registeredTypes.ts';
import { wallClock } from '../base/time.ts';
import { CleanupSession } from './cleanupSession.ts';
import type { ToPage } from './protocol.ts';

/** The clean-up pages of this window, one for each engine. */
export class CleanupPages implements Disposable {
  readonly #extensionUri: vscode.Uri;
  readonly #contextOf: (engine: string) => CommandContext | undefined;
  readonly #pages = new Map<string, OpenPage>();

  /** @param contextOf returns the context of an engine by its ID, to restore a page. */
  constructor(extensionUri: vscode.Uri, contextOf: (engine: string) => CommandContext | undefined) {
    this.#extensionUri = extensionUri;
    this.#contextOf = contextOf;
  }

  /** Opens the page of an engine, or reveals it; only for one kind if given. */
  open(context: CommandContext, only?: CleanupKind): { readonly title: string } {
    const known = this.#pages.get(context.unit.id);
    if (known) {
      known.panel.reveal();
      known.session.focus(only);
      void known.session.load();
      return { title: known.panel.title };
    }
    const title = context.titleOf(l10n.t('Clean Up'));
    const options = { retainContextWhenHidden: false };
    const column = vscode.ViewColumn.Active;
    const panel = vscode.window.createWebviewPanel(CLEANUP_TYPE, title, column, options);
    this.#fill(panel, context, only);
    return { title };
  }

  /** Fills a panel that VS Code restored after a reload of the window, or closes it. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const { engine } = asRecord(state);
    const context = typeof engine === 'string' ? this.#contextOf(engine) : undefined;
    if (context && !this.#pages.has(context.unit.id)) this.#fill(panel, context, undefined);
    else panel.dispose();
  }

  /** Ends the page of an engine that was removed from the settings. */
  end(engine: string): void {
    this.#pages.get(engine)?.session.end();
    this.#pages.delete(engine);
  }

  dispose(): void {
    for (const { panel } of [...this.#pages.values()]) panel.dispose();
  }

  #fill(panel: vscode.WebviewPanel, context: CommandContext, only: CleanupKind | undefined): void {
    const { id } = context.unit;
    const owned = new DisposableStore();
    const folder = vscode.Uri.joinPath(this.#extensionUri, 'dist');
    const page = panelPage<unknown, ToPage>(panel, folder, 'cleanup');
    context.unit.start();
    const options = { title: panel.title, clock: wallClock, only };
    const session = owned.add(new CleanupSession(context, page, options));
    this.#pages.set(id, { panel, session });
    // A codicon is allowed since VS Code 1.108. In an older one, the tab has no icon.
    Object.assign(panel, { iconPath: new vscode.ThemeIcon('trash') });
    panel.onDidDispose(() => {
      if (this.#pages.get(id)?.panel === panel) this.#pages.delete(id);
      owned.dispose();
    });
  }
}

interface OpenPage {
  readonly panel: vscode.WebviewPanel;
  readonly session: CleanupSession;
}
