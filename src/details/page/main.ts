// Entry point of the details page.
import { showIcons } from '../../logviewer/page/dom.ts';
import type { ToPage } from '../protocol.ts';
import { DetailsView, type DetailsHost } from './detailsView.ts';

declare function acquireVsCodeApi(): DetailsHost;

/** Connects to the extension. The view is created when the extension has sent the texts. */
function start(): void {
  const vscode = acquireVsCodeApi();
  let view: DetailsView | undefined;
  void showIcons();
  window.addEventListener('message', ({ data }: MessageEvent<ToPage | undefined>) => {
    if (!data) return;
    if (!view && data.type === 'init') view = new DetailsView(data.strings, vscode);
    view?.handle(data);
  });
  vscode.postMessage({ type: 'ready' });
}

start();
