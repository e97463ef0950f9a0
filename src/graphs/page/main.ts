// Entry point of the statistics page.
import { showIcons } from '../../logviewer/page/dom.ts';
import type { ToPage } from '../protocol.ts';
import type { GraphsHost } from './graphsHost.ts';
import { GraphsView } from './graphsView.ts';

declare function acquireVsCodeApi(): GraphsHost;

/** Connects to the extension. The view is created when the extension has sent the texts, and again when it starts anew. */
function start(): void {
  const vscode = acquireVsCodeApi();
  let view: GraphsView | undefined;
  void showIcons();
  window.addEventListener('message', ({ data }: MessageEvent<ToPage | undefined>) => {
    if (!data) return;
    if (data.type !== 'init') view?.handle(data);
    else {
      view?.dispose();
      view = new GraphsView(data, vscode);
    }
  });
  vscode.postMessage({ type: 'ready' });
}

start();
