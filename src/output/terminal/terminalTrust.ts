import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { displayText, oneLine } from '../../base/plainText.ts';

/**
 * Returns whether a terminal that VS Code opens may be used. VS Code asks for trust in an untrusted workspace. In a
 * remote window, it then opens terminals of extensions whatever the user answers. Trust is granted before the opening.
 */
export function mayOpen(): boolean {
  const allowed = vscode.workspace
    .getConfiguration('terminal.integrated')
    .get<boolean>('allowInUntrustedWorkspace');
  return vscode.workspace.isTrusted || allowed === true;
}

/** Closes a terminal that the user did not allow, and says why. */
export function refuseTerminal(terminal: vscode.Terminal): void {
  terminal.dispose();
  const manage = l10n.t('Manage Trust');
  const sentence = l10n.t(
    'The terminal {0} was not opened, because this workspace is not trusted. Trust it to open terminals.',
    oneLine(terminal.name),
  );
  void vscode.window.showWarningMessage(displayText(sentence), manage).then((chosen) => {
    if (chosen === manage) void vscode.commands.executeCommand('workbench.trust.manage');
  });
}
