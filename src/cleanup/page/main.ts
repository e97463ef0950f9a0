// Entry point of the clean-up page.
import { showIcons } from '../../logviewer/page/dom.ts';
import type { ToPage } from '../protocol.ts';
import { CleanupView, type CleanupHost } from './cleanupView.ts';

declare function acquireVsCodeApi(): CleanupHost;

/** Connects to the extension. The view is created when the extension has sent the texts. */
function start(): void {
  const vscode = acquireVsCodeApi();
  let view: CleanupView | undefined;
  void showIcons();
  window.addEventListener('message', ({ data }: MessageEvent<ToPage | undefined>) => {
    if (!data) return;
    if (view) view.handle(data);
    else if (data.type === 'init') view = new CleanupView(data, vscode);
  });
  vscode.postMessage({ type: 'ready' });
}

start();
