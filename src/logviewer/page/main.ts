// The log viewer's page begins here.
import { connectHost } from './host.ts';
import { Viewer } from './viewer.ts';

/** Nothing is shown before the extension has said in which words and how. */
function start(): void {
  let viewer: Viewer | undefined;
  const host = connectHost((message) => {
    if (viewer) viewer.take(message);
    else if (message.type === 'init') viewer = new Viewer(host, message);
  });
  const { place } = host.kept();
  host.tell({ type: 'ready', ...(place && { place }) });
}

start();
