import * as vscode from 'vscode';
import type { Disposable } from '../lifetime.ts';
import { oneLine, visibleJson } from '../plainText.ts';

const SCHEME = 'gantry-inspect';

/** Maximum number of characters of a tab title. */
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
   * Shows a value as JSON. An open document of the same name and owner is updated.
   *
   * @param owner the engine that the value is from.
   */
  async showJson(owner: string, name: string, value: unknown): Promise<void> {
    await this.#show(owner, name, 'json', visibleJson(value));
  }

  /** Shows plain text in the same way as {@link showJson}. */
  async showText(owner: string, name: string, text: string): Promise<void> {
    await this.#show(owner, name, 'txt', text);
  }

  /** @param ending the extension in the tab title, which shows the kind of document. */
  async #show(owner: string, name: string, ending: 'json' | 'txt', text: string): Promise<void> {
    const path = `/${oneLine(name, NAME_LIMIT).replaceAll('/', '∕')}.${ending}`;
    const uri = vscode.Uri.from({ scheme: SCHEME, path, query: owner });
    this.#texts.set(uri.toString(), text);
    this.#changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    const language = ending === 'json' ? 'json' : 'plaintext';
    await vscode.languages.setTextDocumentLanguage(document, language);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#texts.clear();
  }
}
