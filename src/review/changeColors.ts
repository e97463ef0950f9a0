import * as vscode from 'vscode';
import type { ChangeKind } from '../engine/containers/listChanges.ts';

const SCHEME = 'gantry-change';

/** Gives changed paths the letters and colours that changed files have in the editor everywhere. */
export class ChangeColors implements vscode.FileDecorationProvider {
  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    if (uri.scheme !== SCHEME) return undefined;
    switch (uri.query) {
      case 'added':
        return decoration('A', vscode.l10n.t('Added'), 'addedResourceForeground');
      case 'changed':
        return decoration('M', vscode.l10n.t('Changed'), 'modifiedResourceForeground');
      case 'deleted':
        return decoration('D', vscode.l10n.t('Deleted'), 'deletedResourceForeground');
      default:
        return undefined;
    }
  }
}

/** What stands for a changed path in the view: gives it the icon of its kind of file, and its colour. */
export function changeUri(path: string, kind: ChangeKind | undefined): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path, query: kind ?? '' });
}

function decoration(letter: string, words: string, color: string): vscode.FileDecoration {
  return new vscode.FileDecoration(letter, words, new vscode.ThemeColor(`gitDecoration.${color}`));
}
