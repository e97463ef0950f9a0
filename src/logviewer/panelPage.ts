import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Event } from '../base/lifetime.ts';
import { pageHtml } from './pageHtml.ts';

/** Port to a page. A hidden page is destroyed; a new page is created when the panel is shown again. */
export interface PanelPage<Incoming, Outgoing> {
  readonly isVisible: boolean;
  readonly onMessage: Event<Incoming>;
  readonly onDidChangeVisibility: Event<unknown>;
  post(message: Outgoing): void;
}

const NONCE_BYTES = 18;

/**
 * Loads a page into a webview panel.
 *
 * @param folder contains the script and the style sheet; the page can load local files only from this folder.
 * @param name of these two files.
 */
export function panelPage<Incoming, Outgoing>(
  panel: vscode.WebviewPanel,
  folder: vscode.Uri,
  name: string,
): PanelPage<Incoming, Outgoing> {
  const { webview } = panel;
  webview.options = { enableScripts: true, localResourceRoots: [folder] };
  webview.html = pageHtml({
    cspSource: webview.cspSource,
    nonce: randomBytes(NONCE_BYTES).toString('base64'),
    script: webview.asWebviewUri(vscode.Uri.joinPath(folder, `${name}.js`)).toString(),
    style: webview.asWebviewUri(vscode.Uri.joinPath(folder, `${name}.css`)).toString(),
    title: panel.title,
    language: vscode.env.language,
  });
  return {
    get isVisible() {
      return panel.visible;
    },
    onMessage: webview.onDidReceiveMessage,
    onDidChangeVisibility: panel.onDidChangeViewState,
    post: (message) => {
      // The panel may have been closed in the meantime.
      webview.postMessage(message).then(undefined, () => undefined);
    },
  };
}
