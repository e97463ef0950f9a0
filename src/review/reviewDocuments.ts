import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Disposable } from '../base/lifetime.ts';
import { oneLine } from '../base/plainText.ts';
import { ReadOnlyTexts } from '../base/readOnlyTexts.ts';
import type { FileComparison } from './fileComparison.ts';

/** Shows the two sides of a file of a review as read-only documents. */
export class ReviewDocuments implements Disposable {
  readonly #texts = new ReadOnlyTexts(
    'gantry-review',
    l10n.t('This review was closed. Review the changes again to open the file.'),
  );

  /** Opens both sides in the diff editor, or the only one that exists. */
  async show(sides: FileComparison, { path, before, after }: ComparedPath): Promise<void> {
    const left = this.#keep(before, path, sides.left, sides.isSummary);
    const right = this.#keep(after, path, sides.right, sides.isSummary);
    const name = oneLine(path.slice(path.lastIndexOf('/') + 1));
    const options = { preview: true };
    if (left && right) {
      const title = `${name} (${oneLine(before.name)} ↔ ${oneLine(after.name)})`;
      await vscode.commands.executeCommand('vscode.diff', left, right, title, options);
      return;
    }
    const title = right ? l10n.t('{0} (added)', name) : l10n.t('{0} (deleted)', name);
    const only = right ?? left;
    if (only) await vscode.commands.executeCommand('vscode.open', only, options, title);
  }

  dispose(): void {
    this.#texts.dispose();
  }

  #keep(
    { name, id }: ComparedPath['before'],
    path: string,
    text: string | undefined,
    isSummary: boolean,
  ): vscode.Uri | undefined {
    if (text === undefined) return undefined;
    // The summary of an image or archive file must not have that file's extension.
    const title = isSummary ? l10n.t('{0} (summary)', path) : path;
    const owner = oneLine(name).replaceAll('/', '∕');
    return this.#texts.keep(`/${owner}${title}`, id, text);
  }
}

/** The compared path and its owners, for the titles of editors. */
export interface ComparedPath {
  /** The absolute path, the same on both sides. */
  readonly path: string;
  /** The display name of each side and an ID that distinguishes it from all others. */
  readonly before: { readonly name: string; readonly id: string };
  readonly after: { readonly name: string; readonly id: string };
}
