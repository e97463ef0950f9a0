// Entry point of the log viewer's page.
import { showIcons } from './dom.ts';
import { Host } from './host.ts';
import { Viewer } from './viewer.ts';

/** Connects to the extension. The viewer is created when the extension has sent the texts and the style. */
function start(): void {
  let viewer: Viewer | undefined;
  const host = new Host((message) => {
    if (viewer) viewer.handle(message);
    else if (message.type === 'init') viewer = new Viewer(host, message);
  });
  void showIcons();
  host.post({ type: 'ready', position: host.kept().position });
}

start();
