// A stand-in for Microsoft's extension Dev Containers, which says what it was told.
import * as vscode from 'vscode';

/** @param {vscode.ExtensionContext} context */
export function activate({ subscriptions }) {
  subscriptions.push(
    vscode.commands.registerCommand('remote-containers.attachToRunningContainer', (id) => {
      void vscode.window.showInformationMessage(`Attaching to ${id}`);
    }),
  );
}
