import * as l10n from '@vscode/l10n';
import { Buffer } from 'node:buffer';
import * as vscode from 'vscode';
import { withTokenSignal } from '../base/lifetime.ts';
import { webAddress } from '../logs/text/textLink.ts';
import { displayText } from '../base/plainText.ts';
import type { SourceLocation } from '../logs/sources/sourceLookup.ts';
import type { EditorActions, TextSource } from './host/sessionContext.ts';
import { keepsColors, saveText } from './saveText.ts';

/** VS Code features used by log viewers: clipboard, links, source files, dialogs, and saving. */
export const editorActions: EditorActions = {
  copy: (text) => vscode.env.clipboard.writeText(text),
  openUrl: async (url) => {
    const address = webAddress(url);
    if (address !== undefined) await vscode.env.openExternal(vscode.Uri.parse(address, true));
  },
  openSource,
  askMoment: (check) =>
    vscode.window.showInputBox({
      title: l10n.t('Go to Time'),
      prompt: l10n.t('For example 14:02, yesterday 14:02, 2026-08-01 14:02, or -15m'),
      validateInput: check,
    }),
  showWithSetting,
  save,
  openDocument,
};

async function showWithSetting(message: string, setting: string): Promise<void> {
  const open = l10n.t('Open Setting');
  await offer(message, open, 'workbench.action.openSettings', `@id:${setting}`);
}

/** Shows a message with a button that runs a VS Code command. */
async function offer(
  message: string,
  button: string,
  ...command: [string, unknown]
): Promise<void> {
  const answer = await vscode.window.showInformationMessage(displayText(message), button);
  if (answer === button) await vscode.commands.executeCommand(...command);
}

/** Opens a source file beside the log, as a preview so that following several stack frames reuses one editor. */
async function openSource({ path, line, column }: SourceLocation): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
  const at = new vscode.Position(Math.max(0, (line ?? 1) - 1), Math.max(0, (column ?? 1) - 1));
  await vscode.window.showTextDocument(document, {
    selection: new vscode.Range(at, at),
    preview: true,
    viewColumn: columnForSource(),
  });
}

/** Returns the column of another editor group, or `Beside` if there is only one group. */
function columnForSource(): vscode.ViewColumn {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  const other = all.find((group) => group !== activeTabGroup);
  return other?.viewColumn ?? vscode.ViewColumn.Beside;
}

/** Asks for a file and saves the log to it. The extension of the file name decides whether colors are kept. */
async function save(source: TextSource): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = `${source.name}.log`;
  const uri = await vscode.window.showSaveDialog({
    title: l10n.t('Save Log'),
    defaultUri: folder && vscode.Uri.joinPath(folder, name),
    filters: {
      [l10n.t('Log')]: ['log', 'txt'],
      [l10n.t('Log with colors')]: ['ansi'],
    },
  });
  if (!uri) return;
  const isSaved = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: l10n.t('Saving the log'),
      cancellable: true,
    },
    (progress, token) => saveTo(uri, source, token, progress),
  );
  if (isSaved) await offer(l10n.t('The log was saved.'), l10n.t('Open'), 'vscode.open', uri);
}

async function saveTo(
  uri: vscode.Uri,
  source: TextSource,
  token: vscode.CancellationToken,
  progress: vscode.Progress<{ readonly increment: number }>,
): Promise<boolean> {
  if (uri.scheme !== 'file') {
    // Other file systems accept a file only in one piece.
    const text = [...source.chunks(keepsColors(uri.path))].join('');
    await vscode.workspace.fs.writeFile(uri, Buffer.from(text));
    return true;
  }
  return withTokenSignal(token, (signal) =>
    saveText(source, uri.fsPath, signal, (share) => progress.report({ increment: share * 100 })),
  );
}

async function openDocument(source: TextSource): Promise<void> {
  const content = [...source.chunks(false)].join('');
  const document = await vscode.workspace.openTextDocument({ content, language: 'log' });
  await vscode.window.showTextDocument(document, { preview: false });
}
