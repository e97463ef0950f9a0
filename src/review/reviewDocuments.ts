import * as vscode from 'vscode';
import type { Disposable } from '../lifetime.ts';
import { oneLine } from '../plainText.ts';
import type { FileComparison } from './fileComparison.ts';

const SCHEME = 'gantry-review';

/** Read-only texts of the two sides of a review, kept while they are open. */
export class ReviewDocuments implements Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #subscriptions: vscode.Disposable;

  constructor() {
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
        onDidChange: this.#changed.event,
        provideTextDocumentContent: (uri) => this.#textOf(uri),
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())),
    );
  }

  /** Opens both sides in the editor's own comparison; the one there is where there is only one. */
  async show(sides: FileComparison, { path, before, after }: ComparedPath): Promise<void> {
    const left = this.#keep(before, path, sides.left, sides.isSummary);
    const right = this.#keep(after, path, sides.right, sides.isSummary);
    const name = oneLine(path.slice(path.lastIndexOf('/') + 1));
    const options = { preview: true };
    if (left && right) {
      const title = `${name} (${oneLine(before.name)} ↔ ${oneLine(after.name)})`;
      await vscode.commands.executeCommand('vscode.diff', left, right, title, options);
    } else if (right) {
      const title = vscode.l10n.t('{0} (added)', name);
      await vscode.commands.executeCommand('vscode.open', right, options, title);
    } else if (left) {
      const title = vscode.l10n.t('{0} (deleted)', name);
      await vscode.commands.executeCommand('vscode.open', left, options, title);
    }
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#texts.clear();
  }

  #textOf(uri: vscode.Uri): string {
    return (
      this.#texts.get(uri.toString()) ??
      vscode.l10n.t('This review is over. Open the file from a new one.')
    );
  }

  #keep(
    { name, id }: ComparedPath['before'],
    path: string,
    text: string | undefined,
    isSummary: boolean,
  ): vscode.Uri | undefined {
    if (text === undefined) return undefined;
    // What stands for a picture or an archive must not look like one to the editor.
    const ending = isSummary ? vscode.l10n.t(' (summary)') : '';
    const owner = oneLine(name).replaceAll('/', '∕');
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${owner}${path}${ending}`, query: id });
    this.#texts.set(uri.toString(), text);
    this.#changed.fire(uri);
    return uri;
  }
}

/** What is compared, for the titles of tabs. */
export interface ComparedPath {
  /** Absolute path in both. */
  readonly path: string;
  /** Whose files these are, and what tells this owner from every other. */
  readonly before: { readonly name: string; readonly id: string };
  readonly after: { readonly name: string; readonly id: string };
}
