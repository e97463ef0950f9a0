// No file in an open folder may choose an engine, whether the folder is trusted or not.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { until } from '../../bed/until.ts';
import type { Editor, OpenOptions } from '../harness.ts';
import { describeWindow } from './describeWindow.ts';

/** A socket of a server that is not an engine and counts its connections. */
interface Trap {
  readonly path: string;
  readonly visits: () => number;
  close(): void;
}

async function setTrap(path: string): Promise<Trap> {
  let visits = 0;
  const server: Server = createServer((socket) => {
    visits += 1;
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return { path, visits: () => visits, close: () => server.close() };
}

let traps: readonly Trap[] = [];
/** The address in the user's own variable. */
let chosen: Trap;

/** Options of a window with a folder whose settings name two engines, which are traps. */
async function own(folder: string): Promise<OpenOptions> {
  traps = [await setTrap(join(folder, 'host.sock')), await setTrap(join(folder, 'more.sock'))];
  chosen = await setTrap(join(folder, 'own.sock'));
  const [host, more] = traps.map(({ path }) => `unix://${path}`);
  const settings = JSON.stringify({ 'gantry.host': host, 'gantry.engines': { more } });
  mkdirSync(join(folder, 'work/.vscode'), { recursive: true });
  writeFileSync(join(folder, 'work/.vscode/settings.json'), settings);
  return {
    trust: true,
    folder: join(folder, 'work'),
    dockerHost: `unix://${chosen.path}`,
    settings: {
      'security.workspace.trust.enabled': true,
      'security.workspace.trust.startupPrompt': 'never',
      'security.workspace.trust.banner': 'always',
    },
  };
}

describeWindow('a folder whose settings name engines', { isJourney: true, own }, (window) => {
  let editor: Editor;

  /** Waits until the view has looked for an engine at the address in the user's own variable. */
  const hasLooked = async (): Promise<void> => {
    const { workbench } = editor;
    await until(
      async () =>
        (await workbench.welcome('Containers')).includes(
          'The server at this address is not a container engine',
        ),
      'the welcome text reports that there is no engine',
      60_000,
    );
  };

  /** Presses Retry, and waits until the view has looked again: the welcome text is the same as before. */
  const retry = async (): Promise<void> => {
    const welcome = editor.workbench.pane('Containers').locator('.welcome-view-content');
    const before = chosen.visits();
    await welcome.getByRole('button', { name: 'Retry', exact: true }).click();
    await until(() => chosen.visits() > before, "the user's own address is contacted again");
    await hasLooked();
  };

  before(() => ({ editor } = window));

  after(() => {
    for (const trap of [...traps, chosen]) trap.close();
  });

  it('opens in Restricted Mode, and its engines are not contacted', async () => {
    const { page } = editor;
    await page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();
    await hasLooked();
    assert.match(await editor.workbench.welcome('Containers'), /variable DOCKER_HOST\./);
    await retry();
    assert.deepEqual(
      traps.map((trap) => trap.visits()),
      [0, 0],
    );
  });

  it('does not have its engines contacted when trusted, either', async () => {
    const { workbench, page } = editor;
    editor.served.changeSettings({ 'security.workspace.trust.enabled': false });
    await editor.reload();
    await page.locator('.activitybar .action-item').first().waitFor();
    await until(
      async () =>
        (await page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).count()) === 0,
      'Restricted Mode is off',
    );
    await workbench.openView('Gantry');
    await hasLooked();
    await retry();
    assert.deepEqual(
      traps.map((trap) => trap.visits()),
      [0, 0],
    );
  });

  it('has an engine contacted after the user names it', async () => {
    const [host, more] = traps;
    editor.served.changeSettings({ 'gantry.host': `unix://${host?.path ?? ''}` });
    await until(() => (host?.visits() ?? 0) > 0, 'the engine is contacted');
    assert.equal(more?.visits(), 0);
  });
});
