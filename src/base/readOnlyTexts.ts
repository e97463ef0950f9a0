import * as vscode from 'vscode';
import type { Disposable } from './lifetime.ts';

/** Read-only documents of one URI scheme. Their text is kept while they are open. */
export class ReadOnlyTexts implements Disposable {
  readonly #scheme: string;
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #subscriptions: vscode.Disposable;

  /** @param missing the text of a document that is not kept. */
  constructor(scheme: string, missing = '') {
    this.#scheme = scheme;
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      vscode.workspace.registerTextDocumentContentProvider(scheme, {
        onDidChange: this.#changed.event,
        provideTextDocumentContent: (uri) => this.#texts.get(uri.toString()) ?? missing,
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())),
    );
  }

  /** Returns the URI of a document. An open document of the same path and owner is updated. */
  keep(path: string, owner: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: this.#scheme, path, query: owner });
    this.#texts.set(uri.toString(), text);
    this.#changed.fire(uri);
    return uri;
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#texts.clear();
  }
}
