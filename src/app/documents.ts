import * as vscode from 'vscode';
import type { Disposable } from '../base/lifetime.ts';
import { oneLine, visibleJson } from '../base/plainText.ts';
import { ReadOnlyTexts } from '../base/readOnlyTexts.ts';
import type { TargetKind } from '../views/treeNode.ts';

/** Maximum number of characters of a tab title. */
const NAME_LIMIT = 200;

/** Shows values and texts as read-only documents. */
export class Documents implements Disposable {
  readonly #texts = new ReadOnlyTexts('gantry-inspect');

  /**
   * Shows an object as JSON. An open document of the same owner, kind, and name is updated.
   *
   * @param owner the engine that the object is from.
   */
  async showJson(owner: string, kind: TargetKind, name: string, value: unknown): Promise<void> {
    await this.#show(`${owner}/${kind}`, name, 'json', visibleJson(value));
  }

  /** Shows plain text. An open document of the same owner and name is updated. */
  async showText(owner: string, name: string, text: string): Promise<void> {
    await this.#show(owner, name, 'txt', text);
  }

  /** @param ending the extension in the tab title, which shows the kind of document. */
  async #show(owner: string, name: string, ending: 'json' | 'txt', text: string): Promise<void> {
    const path = `/${oneLine(name, NAME_LIMIT).replaceAll('/', '∕')}.${ending}`;
    const document = await vscode.workspace.openTextDocument(this.#texts.keep(path, owner, text));
    const language = ending === 'json' ? 'json' : 'plaintext';
    await vscode.languages.setTextDocumentLanguage(document, language);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  dispose(): void {
    this.#texts.dispose();
  }
}
