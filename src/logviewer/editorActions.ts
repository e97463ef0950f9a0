import { Buffer } from 'node:buffer';
import * as vscode from 'vscode';
import { signalOf } from '../lifetime.ts';
import { webAddress } from '../logs/text/webAddress.ts';
import type { EditorActions, SourceLocation, TextSource } from './session/sessionContext.ts';
import { keepsColors, saveText } from './rows/saveText.ts';

const { l10n } = vscode;

/** What a viewer has this editor do. */
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
      prompt: l10n.t('For example 14:02, yesterday 14:02, 2026-08-01 14:02 or -15m'),
      validateInput: check,
    }),
  tellOfSetting,
  save,
  openDocument,
};

async function tellOfSetting(message: string, setting: string): Promise<void> {
  const open = l10n.t('Open Setting');
  if ((await vscode.window.showInformationMessage(message, open)) !== open) return;
  await vscode.commands.executeCommand('workbench.action.openSettings', `@id:${setting}`);
}

/** Beside the log, which stays in view; as a preview, so that a walk through a trace leaves one tab behind. */
async function openSource({ path, line, column }: SourceLocation): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
  const at = new vscode.Position(Math.max(0, (line ?? 1) - 1), Math.max(0, (column ?? 1) - 1));
  await vscode.window.showTextDocument(document, {
    selection: new vscode.Range(at, at),
    preview: true,
    viewColumn: columnForSource(),
  });
}

/** Another group that is there already, else a new one. */
function columnForSource(): vscode.ViewColumn {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  const other = all.find((group) => group !== activeTabGroup);
  return other?.viewColumn ?? vscode.ViewColumn.Beside;
}

/** The ending of the name says whether colours are kept. */
async function save(source: TextSource): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = `${source.name}.log`;
  const uri = await vscode.window.showSaveDialog({
    title: l10n.t('Save Log'),
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
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
  if (isSaved) await offerToOpen(uri);
}

async function saveTo(
  uri: vscode.Uri,
  source: TextSource,
  token: vscode.CancellationToken,
  progress: vscode.Progress<{ readonly increment: number }>,
): Promise<boolean> {
  if (uri.scheme !== 'file') {
    // Other file systems take a file in one piece.
    const text = [...source.chunks(keepsColors(uri.path))].join('');
    await vscode.workspace.fs.writeFile(uri, Buffer.from(text));
    return true;
  }
  const cancel = signalOf(token);
  try {
    return await saveText(source, uri.fsPath, cancel.signal, (share) => {
      progress.report({ increment: share * 100 });
    });
  } finally {
    cancel.dispose();
  }
}

async function offerToOpen(uri: vscode.Uri): Promise<void> {
  const open = l10n.t('Open');
  const message = l10n.t('The log was saved.');
  if ((await vscode.window.showInformationMessage(message, open)) !== open) return;
  await vscode.commands.executeCommand('vscode.open', uri);
}

async function openDocument(source: TextSource): Promise<void> {
  const content = [...source.chunks(false)].join('');
  const document = await vscode.workspace.openTextDocument({ content, language: 'log' });
  await vscode.window.showTextDocument(document, { preview: false });
}
