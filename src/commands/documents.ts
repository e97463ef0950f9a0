import * as vscode from 'vscode';
import type { Disposable } from '../lifetime.ts';
import { oneLine, visibleJson } from '../plainText.ts';

const SCHEME = 'gantry-inspect';

interface Shown {
  readonly owner: string;
  readonly name: string;
  /** Of the tab's title, which tells the kind. */
  readonly ending: string;
  readonly text: string;
  readonly language: string;
}

/** Characters of a tab's title. */
const NAME_LIMIT = 200;

/** Read-only documents. Their text is kept while they are open. */
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

  /**
   * Shows a value as JSON; an open document of the same name and owner shows the new value.
   *
   * @param owner the engine it is from.
   */
  async showJson(owner: string, name: string, value: unknown): Promise<void> {
    await this.#show({ owner, name, ending: 'json', text: visibleJson(value), language: 'json' });
  }

  /** Shows plain text in the same way. */
  async showText(owner: string, name: string, text: string): Promise<void> {
    await this.#show({ owner, name, ending: 'txt', text, language: 'plaintext' });
  }

  async #show({ owner, name, ending, text, language }: Shown): Promise<void> {
    const path = `/${oneLine(name, NAME_LIMIT).replaceAll('/', '∕')}.${ending}`;
    const uri = vscode.Uri.from({ scheme: SCHEME, path, query: owner });
    this.#texts.set(uri.toString(), text);
    this.#changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(document, language);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#texts.clear();
  }
}
