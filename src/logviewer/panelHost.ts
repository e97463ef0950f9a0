import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { Emitter, type Disposable, type Event } from '../lifetime.ts';
import { pageHtml } from './pageHtml.ts';
import type { ToHost, ToPage } from './protocol.ts';
import type { PagePort } from './session/sessionContext.ts';

const NONCE_BYTES = 18;

/** One webview panel with the viewer's page in it. */
export class PanelHost implements PagePort, Disposable {
  readonly #panel: vscode.WebviewPanel;
  readonly #messages = new Emitter<ToHost>();
  readonly #visibility = new Emitter<void>();
  readonly #subscriptions: vscode.Disposable;

  readonly onMessage: Event<ToHost> = this.#messages.event;
  readonly onDidChangeVisibility: Event<void> = this.#visibility.event;

  /** @param folder where the page's script and style sheet are; nothing else may be loaded. */
  constructor(panel: vscode.WebviewPanel, folder: vscode.Uri) {
    this.#panel = panel;
    const { webview } = panel;
    this.#subscriptions = vscode.Disposable.from(
      webview.onDidReceiveMessage((message: unknown) => {
        if (isMessage(message)) this.#messages.fire(message);
      }),
      panel.onDidChangeViewState(() => {
        this.#visibility.fire();
      }),
    );
    webview.options = { enableScripts: true, localResourceRoots: [folder] };
    webview.html = pageHtml({
      cspSource: webview.cspSource,
      nonce: randomBytes(NONCE_BYTES).toString('base64'),
      script: webview.asWebviewUri(vscode.Uri.joinPath(folder, 'logViewer.js')).toString(),
      style: webview.asWebviewUri(vscode.Uri.joinPath(folder, 'logViewer.css')).toString(),
      title: panel.title,
      language: vscode.env.language,
    });
  }

  get isVisible(): boolean {
    return this.#panel.visible;
  }

  post(message: ToPage): void {
    // A panel that is closed meanwhile needs no message.
    this.#panel.webview.postMessage(message).then(undefined, () => undefined);
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#messages.dispose();
    this.#visibility.dispose();
  }
}

/** Of which type it is; the page is ours, and what it says of rows and ids is looked at where it is used. */
function isMessage(value: unknown): value is ToHost {
  const { type } = (value ?? {}) as { readonly type?: unknown };
  return typeof type === 'string' && Object.hasOwn(TYPES, type);
}

const TYPES: Readonly<Record<ToHost['type'], true>> = {
  ready: true,
  follow: true,
  want: true,
  find: true,
  findNext: true,
  searchBack: true,
  filter: true,
  style: true,
  showMember: true,
  older: true,
  fold: true,
  json: true,
  openLink: true,
  copy: true,
  command: true,
};
