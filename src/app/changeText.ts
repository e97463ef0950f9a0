import * as l10n from '@vscode/l10n';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { ReadOnlyTexts } from '../base/readOnlyTexts.ts';
import { withEdits } from '../commands/recipes/insertService.ts';
import type { TextInsertion } from '../commands/ui/ui.ts';
import { InputError } from '../engine/errors.ts';

/**
 * Changes a text file in its editor; see `Ui.changeText`.
 *
 * @throws InputError if the editor refuses it, or if the file changed while the user was asked.
 */
export async function changeText(
  path: string,
  change: (text: string) => Promise<TextInsertion> | TextInsertion,
  confirm?: () => Promise<boolean>,
): Promise<boolean | undefined> {
  const uri = vscode.Uri.file(path);
  const isThere = await vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    // Before anything is created: the change may refuse.
    const { edits, shown } = await change('');
    await vscode.workspace.fs.createDirectory(vscode.Uri.joinPath(uri, '..'));
    const creation = new vscode.WorkspaceEdit();
    const contents = Buffer.from(edits.map(({ content }) => content).join(''));
    creation.createFile(uri, { contents, ignoreIfExists: false });
    if (!(await vscode.workspace.applyEdit(creation))) throw refused(path);
    if (shown) await show(await vscode.workspace.openTextDocument(uri), shown);
    return true;
  }
  const before = (await vscode.workspace.openTextDocument(uri)).getText();
  const { edits, shown } = await change(before);
  if (confirm && !(await review(uri, withEdits(before, edits), confirm))) return undefined;
  const document = await vscode.workspace.openTextDocument(uri);
  if (document.getText() !== before) throw changed(path);
  const wasSaved = !document.isDirty;
  const edit = new vscode.WorkspaceEdit();
  for (const { offset, length, content } of edits) {
    const at = (position: number): vscode.Position => document.positionAt(position);
    edit.replace(uri, new vscode.Range(at(offset), at(offset + length)), content);
  }
  if (!(await vscode.workspace.applyEdit(edit))) throw refused(path);
  if (shown) await show(document, shown);
  return wasSaved && (await document.save());
}

/** Shows a file next to its new text until the user has decided. */
async function review(
  uri: vscode.Uri,
  text: string,
  confirm: () => Promise<boolean>,
): Promise<boolean> {
  const texts = new ReadOnlyTexts('gantry-change');
  const after = texts.keep(uri.path, '', text);
  try {
    const title = l10n.t('{0}: before ↔ after', basename(uri.fsPath));
    const options = { preview: true, preserveFocus: true };
    await vscode.commands.executeCommand('vscode.diff', uri, after, title, options);
    return await confirm();
  } finally {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const isOwn = ({ input }: vscode.Tab): boolean =>
      input instanceof vscode.TabInputTextDiff && input.modified.toString() === after.toString();
    await vscode.window.tabGroups.close(tabs.filter(isOwn));
    texts.dispose();
  }
}

function changed(path: string): InputError {
  return new InputError(l10n.t('{0} has changed. Nothing was inserted.', basename(path)));
}

function refused(path: string): InputError {
  return new InputError(l10n.t('The editor did not change {0}.', path));
}

async function show(
  document: vscode.TextDocument,
  { start, end }: NonNullable<TextInsertion['shown']>,
): Promise<void> {
  const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
  // Not selected: the next key would replace it.
  const at = new vscode.Range(range.start, range.start);
  const editor = await vscode.window.showTextDocument(document, { selection: at });
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
