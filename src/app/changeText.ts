import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { TextInsertion } from '../commands/ui/ui.ts';
import { InputError } from '../engine/errors.ts';

/** Changes a text file in its editor; see `Ui.changeText`. @throws InputError if the editor refuses it. */
export async function changeText(
  path: string,
  change: (text: string) => TextInsertion,
): Promise<boolean> {
  const uri = vscode.Uri.file(path);
  const isThere = await vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    // Before anything is created: the change may refuse.
    const { edits, shown } = change('');
    await vscode.workspace.fs.createDirectory(vscode.Uri.joinPath(uri, '..'));
    const creation = new vscode.WorkspaceEdit();
    const contents = Buffer.from(edits.map(({ content }) => content).join(''));
    creation.createFile(uri, { contents, ignoreIfExists: false });
    if (!(await vscode.workspace.applyEdit(creation))) throw refused(path);
    await show(await vscode.workspace.openTextDocument(uri), shown);
    return true;
  }
  const document = await vscode.workspace.openTextDocument(uri);
  const wasSaved = !document.isDirty;
  const { edits, shown } = change(document.getText());
  const edit = new vscode.WorkspaceEdit();
  for (const { offset, length, content } of edits) {
    const at = (position: number): vscode.Position => document.positionAt(position);
    edit.replace(uri, new vscode.Range(at(offset), at(offset + length)), content);
  }
  if (!(await vscode.workspace.applyEdit(edit))) throw refused(path);
  await show(document, shown);
  return wasSaved && (await document.save());
}

function refused(path: string): InputError {
  return new InputError(l10n.t('The editor did not change {0}.', path));
}

async function show(
  document: vscode.TextDocument,
  { start, end }: TextInsertion['shown'],
): Promise<void> {
  const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
  // Not selected: the next key would replace it.
  const at = new vscode.Range(range.start, range.start);
  const editor = await vscode.window.showTextDocument(document, { selection: at });
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
