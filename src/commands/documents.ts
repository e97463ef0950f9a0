import * as vscode from 'vscode';
import type { Disposable } from '../lifetime.ts';

const SCHEME = 'gantry-inspect';

/** Read-only JSON documents. Their text is kept while they are open. */
export class Documents implements Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #subscriptions: vscode.Disposable;

  constructor() {
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
        onDidChange: this.#changed.event,
        provideTextDocumentContent: (uri) => this.#texts.get(uri.toString()) ?? '',
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())),
    );
  }

  /** Shows a value as JSON; an open document of the same name shows the new value. */
  async showJson(name: string, value: unknown): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name.replaceAll('/', '∕')}.json` });
    this.#texts.set(uri.toString(), `${JSON.stringify(value, undefined, 2)}\n`);
    this.#changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(document, 'json');
    await vscode.window.showTextDocument(document, { preview: true });
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#texts.clear();
  }
}
