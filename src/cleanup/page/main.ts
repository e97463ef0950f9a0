// Entry point of the clean-up page.
import { showIcons } from '../../logviewer/page/dom.ts';
import type { ToHost, ToPage } from '../protocol.ts';
import { CleanupView } from './cleanupView.ts';

interface VsCode {
  postMessage(message: ToHost): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCode;

/** Connects to the extension. The view is created when the extension has sent the texts. */
function start(): void {
  const vscode = acquireVsCodeApi();
  let view: CleanupView | undefined;
  void showIcons();
  window.addEventListener('message', ({ data }: MessageEvent<ToPage | undefined>) => {
    if (!data) return;
    if (view) view.take(data);
    else if (data.type === 'init')
      view = new CleanupView(data, {
        post: (message) => {
          vscode.postMessage(message);
        },
        state: vscode.getState(),
        keep: (state) => {
          vscode.setState(state);
        },
      });
  });
  vscode.postMessage({ type: 'ready' });
}

start();
