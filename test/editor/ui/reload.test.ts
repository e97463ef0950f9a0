// A reload of the window with its panel open: the clean-up page and the Files view are back, and what is typed where
// the shell of a container was reaches no other shell.
import assert from 'node:assert/strict';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { loggedRequests } from './requestLog.ts';
import { seen, terminalText } from './seen.ts';
import { ViewerTab } from './viewerTab.ts';

/** Time in milliseconds that a window takes to start on a busy machine. */
const START_MS = 60_000;

describeWindow('a reload of the window', { isJourney: true, isLast: true }, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let web = '';
  let volume = '';
  let reloadedAt = 0;

  before(async () => {
    ({ workbench } = window);
    volume = await lab.volume('nothing');
    web = await lab.running('web', { cmd: ['sh', '-c', 'mkdir -p /srv/empty; sleep 100000'] });
  });

  const shows = (words: RegExp): Promise<unknown> =>
    until(
      async () => words.test(await terminalText(workbench)),
      `${String(words)} in the terminal`,
    );
  const inFiles = (label: string): Promise<unknown> =>
    until(
      async () => (await workbench.rows('Files')).some((row) => row.label === label),
      `${label} in Files`,
    );
  const isSaidEmpty = (what: string): Promise<unknown> =>
    until(
      async () => (await workbench.rows('Files')).some(({ description }) => description === what),
      `${what} in Files`,
    );
  /** Returns the requests for files since the reload. */
  const readings = (): readonly string[] =>
    loggedRequests(window.editor)
      .filter(({ at, text }) => at > reloadedAt && text.includes('/archive'))
      .map(({ text }) => text);

  it('leaves files, the clean-up page and a shell to come back', async () => {
    await seen(workbench, 'Containers', web);
    await workbench.contextMenu(workbench.row(web, 'Containers'), 'Browse Files');
    await inFiles('srv');
    await workbench.toggle(workbench.row('srv', 'Files'));
    await inFiles('empty');
    await workbench.toggle(workbench.row('empty', 'Files'));
    await isSaidEmpty('empty folder');
    const note = workbench.pane('Files').locator('[role=treeitem]', { hasText: 'empty folder' });
    assert.equal(await note.getAttribute('aria-label'), 'empty folder');
    await note.click();
    await workbench.shot('reload/empty');
    await workbench.quick.run('Gantry Engines: Clean Up (Prune)...');
    const { frame } = new ViewerTab(workbench.page);
    await frame.locator('.item', { hasText: volume }).waitFor();
    await workbench.inlineAction(workbench.row(web, 'Containers'), 'Open Shell (exec)');
    await shows(/# /);
  });

  it('brings them back, and reads no files before a folder is opened', async () => {
    const { page, quick } = workbench;
    page.once('dialog', (dialog) => void dialog.accept());
    // Reload as a user does: otherwise VS Code does not notify the extension.
    const isNew = page.waitForEvent('domcontentloaded', { timeout: START_MS });
    reloadedAt = Date.now();
    await quick.run('Developer: Reload Window');
    await isNew;
    await page.getByRole('tab', { name: 'Clean Up' }).waitFor({ timeout: START_MS });
    const { frame } = new ViewerTab(page);
    await frame.locator('.item', { hasText: volume }).waitFor({ timeout: START_MS });
    await workbench.openView('Gantry');
    await workbench.hasRows('Containers');
    await page.locator('.part.panel').getByRole('tab', { name: 'Gantry' }).click();
    await workbench.hasRows('Files');
    await inFiles(web);
    await workbench.shot('reload/after');
    assert.deepEqual(readings(), []);
    await workbench.toggle(workbench.row(web, 'Files'));
    await inFiles('srv');
    assert.ok(readings().length > 0);
  });

  it('leaves a line where the shell was, which takes nothing but Enter, and opens a new one', async () => {
    const { page } = workbench;
    const sentence = `The shell in ${web} ended with the window.`;
    await workbench.notices.says(/ended with the window\.$/);
    await page.locator('.part.panel').getByRole('tab', { name: 'Terminal' }).click();
    await shows(/Press Enter to open a new shell\./);
    const text = await terminalText(workbench);
    assert.ok(text.replaceAll('\n', '').includes(sentence), text);
    await workbench.shot('reload/terminal');
    await page.locator('.terminal-wrapper.active').click();
    await page.keyboard.type('echo $((6*7))', { delay: 30 });
    await page.keyboard.press('Escape');
    await workbench.shot('reload/typed');
    assert.equal(await terminalText(workbench), text);
    await page.keyboard.press('Enter');
    await shows(/# /);
    await page.keyboard.type('hostname; echo $((6*7))', { delay: 30 });
    await page.keyboard.press('Enter');
    await shows(/^42/m);
    const { Config } = JSON.parse(await lab.ask('GET', `/containers/${web}/json`)) as {
      readonly Config: { readonly Hostname: string };
    };
    assert.ok((await terminalText(workbench)).includes(Config.Hostname));
    await workbench.shot('reload/reopened');
  });
});
