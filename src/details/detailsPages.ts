import * as vscode from 'vscode';
import type { CommandId } from '../commands/ui/ui.ts';
import type { CommandContext } from '../commands/frame/commandContext.ts';
import type { DetailsOptions, DetailsTarget } from '../commands/frame/detailsTarget.ts';
import { asRecord, asText } from '../engine/wire/wire.ts';
import type { Disposable } from '../base/lifetime.ts';
import { oneLine } from '../base/plainText.ts';
import { DETAILS_TYPE } from '../base/registeredTypes.ts';
import { wallClock } from '../base/time.ts';
import { panelPage, type PanelPage } from '../logviewer/panelPage.ts';
import { DetailsSession } from './detailsSession.ts';
import { KeptExits } from './keptExits.ts';
import type { ToPage } from './protocol.ts';

/** The details pages of this window: one that is used again and again, and those that the user has pinned. */
export class DetailsPages implements Disposable {
  readonly #parts: DetailsPagesParts;
  readonly #pages = new Set<OpenPage>();
  readonly #exits = new KeptExits();

  constructor(parts: DetailsPagesParts) {
    this.#parts = parts;
  }

  /** Shows an object in the page that has it, or in the one that is not pinned, or in a new one. */
  open(
    context: CommandContext,
    target: DetailsTarget,
    { preserveFocus = false }: DetailsOptions = {},
  ): { readonly title: string } {
    const all = [...this.#pages];
    const known = all.find((one) => isAbout(one, context, target));
    const page =
      known ?? all.find(({ session }) => session?.isPinned !== true) ?? this.#create(preserveFocus);
    if (!known) this.#show(page, context, target, false);
    page.panel.reveal(undefined, preserveFocus);
    return { title: page.panel.title };
  }

  /** Fills a panel that VS Code restored after a reload of the window, or closes it. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const { engine, kind, id, name, isPinned } = asRecord(state);
    const context = this.#parts.contextOf(asText(engine));
    const known = KINDS.find((one) => one === kind);
    const isKnown = context && known && asText(id) !== '';
    if (!isKnown) {
      panel.dispose();
      return;
    }
    const target = { kind: known, id: asText(id), name: oneLine(asText(name)) };
    this.#show(this.#adopt(panel), context, target, isPinned === true);
  }

  /** Copies a value of the page with the focus, by the key of its row. */
  copy(key: string): void {
    for (const { panel, session } of this.#pages) if (panel.active) session?.copy(key);
  }

  /** Ends the pages of an engine that was removed from the settings. */
  end(engine: string): void {
    for (const one of this.#pages) if (one.engine === engine) one.session?.end();
  }

  dispose(): void {
    for (const { panel } of [...this.#pages]) panel.dispose();
  }

  #create(preserveFocus: boolean): OpenPage {
    const where = { viewColumn: vscode.ViewColumn.Active, preserveFocus };
    const options = { retainContextWhenHidden: false };
    return this.#adopt(vscode.window.createWebviewPanel(DETAILS_TYPE, '', where, options));
  }

  #adopt(panel: vscode.WebviewPanel): OpenPage {
    const folder = vscode.Uri.joinPath(this.#parts.extensionUri, 'dist');
    // A codicon is allowed since VS Code 1.108. In an older one, the tab has no icon.
    Object.assign(panel, { iconPath: new vscode.ThemeIcon('info') });
    const page = panelPage<unknown, ToPage>(panel, folder, 'details');
    const opened: OpenPage = { panel, page, engine: '', session: undefined };
    this.#pages.add(opened);
    panel.onDidDispose(() => {
      this.#pages.delete(opened);
      opened.session?.dispose();
    });
    return opened;
  }

  /** Ends what the page has shown before. */
  #show(opened: OpenPage, context: CommandContext, target: DetailsTarget, isPinned: boolean): void {
    opened.session?.dispose();
    context.unit.start();
    opened.engine = context.unit.id;
    opened.panel.title = context.titleOf(oneLine(target.name));
    opened.session = new DetailsSession(context, opened.page, {
      target,
      isPinned,
      clock: wallClock,
      exits: this.#exits,
      usage: () => context.unit.statistics(),
      readingsOf: (id) => context.unit.loadedStatistics?.historyOf(id) ?? [],
      run: this.#parts.run,
      onTitle: (name) => {
        const title = context.titleOf(name);
        if (opened.panel.title !== title) opened.panel.title = title;
      },
    });
    opened.session.greet();
  }
}

interface DetailsPagesParts {
  readonly extensionUri: vscode.Uri;
  /** Returns the context of an engine by its ID, to restore a page. */
  readonly contextOf: (engine: string) => CommandContext | undefined;
  /** Runs a command with an argument. */
  readonly run: (id: CommandId, argument: object) => Promise<unknown>;
}

interface OpenPage {
  readonly panel: vscode.WebviewPanel;
  readonly page: PanelPage<unknown, ToPage>;
  engine: string;
  session: DetailsSession | undefined;
}

const KINDS = ['container', 'image', 'volume', 'network'] as const;

function isAbout({ engine, session }: OpenPage, { unit }: CommandContext, target: DetailsTarget) {
  const shown = session?.target;
  return engine === unit.id && shown?.kind === target.kind && shown.id === target.id;
}
