// No file of a folder that is open may choose an engine, whether the folder is trusted or not.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../bed/vscode/workbench.ts';
import { openWorkbench, shotOnFailure, type Editor } from '../harness.ts';

/** A socket that counts who comes. */
interface Trap {
  readonly path: string;
  readonly visits: () => number;
  close(): void;
}

async function setTrap(path: string): Promise<Trap> {
  let visits = 0;
  const server: Server = createServer((socket) => {
    visits += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return { path, visits: () => visits, close: () => server.close() };
}

describe('a folder whose settings name engines', function () {
  this.timeout(120_000);
  let folder: string;
  let traps: readonly Trap[];
  let editor: Editor;

  /** The view has looked for an engine, and found what the person's own variable names: nothing. */
  const hasLooked = async (): Promise<void> => {
    const { workbench } = editor;
    await until(
      async () =>
        (await workbench.welcome('Containers')).includes('Nothing listens at the address'),
      'the welcome without an engine',
      60_000,
    );
  };

  const press = async (button: string): Promise<void> => {
    const welcome = editor.workbench.pane('Containers').locator('.welcome-view-content');
    await welcome.getByRole('button', { name: button, exact: true }).click();
  };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-trust-'));
    traps = [await setTrap(join(folder, 'host.sock')), await setTrap(join(folder, 'more.sock'))];
    const [host, more] = traps.map(({ path }) => `unix://${path}`);
    const settings = JSON.stringify({ 'gantry.host': host, 'gantry.engines': { more } });
    mkdirSync(join(folder, 'work/.vscode'), { recursive: true });
    writeFileSync(join(folder, 'work/.vscode/settings.json'), settings);
    editor = await openWorkbench({
      trust: true,
      folder: join(folder, 'work'),
      dockerHost: `unix://${join(folder, 'none.sock')}`,
      settings: {
        'security.workspace.trust.enabled': true,
        'security.workspace.trust.startupPrompt': 'never',
        'security.workspace.trust.banner': 'always',
      },
    });
  });

  after(async () => {
    await editor.close();
    for (const trap of traps) trap.close();
    rmSync(folder, { recursive: true, force: true });
  });

  shotOnFailure(() => editor);

  it('is opened in restricted mode, and its engines are not contacted', async () => {
    const { workbench, page } = editor;
    await page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();
    await workbench.openView('Gantry');
    await hasLooked();
    await press('Retry');
    await hasLooked();
    assert.deepEqual(
      traps.map((trap) => trap.visits()),
      [0, 0],
    );
  });

  it('has them contacted as little when it is trusted', async () => {
    const { workbench, page } = editor;
    editor.served.changeSettings({ 'security.workspace.trust.enabled': false });
    await editor.reload();
    await page.locator('.activitybar .action-item').first().waitFor();
    await until(
      async () =>
        (await page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).count()) === 0,
      'no restricted mode',
    );
    await workbench.openView('Gantry');
    await hasLooked();
    await press('Retry');
    await hasLooked();
    assert.deepEqual(
      traps.map((trap) => trap.visits()),
      [0, 0],
    );
  });

  it('has one contacted once the person names it', async () => {
    const [host, more] = traps;
    editor.served.changeSettings({ 'gantry.host': `unix://${host?.path ?? ''}` });
    await until(() => (host?.visits() ?? 0) > 0, 'a visit');
    assert.equal(more?.visits(), 0);
  });
});
