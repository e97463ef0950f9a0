// Log viewers and terminals that are left: their state is restored when the user comes back, and nothing stays
// behind.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bed } from '../../bed/env.ts';
import { until, type Workbench } from '../../bed/vscode/workbench.ts';
import { describeWindow } from './describeWindow.ts';
import { seen } from './seen.ts';
import { ViewerTab } from './viewerTab.ts';

const LINES = 9000;
/** Nine megabytes, more than the viewer below keeps in memory; then a colored line that names its source. */
const SCRIPT = `
fill=$(head -c 1000 /dev/zero | tr '\\0' x)
seq 1 ${LINES} | sed "s/$/ $fill/"
printf '\\033[31mred\\033[0m end at /app/src/pay.go:7:11\\n'
sleep 100000`;
const END = 'red end at /app/src/pay.go:7:11';

const SETTINGS = {
  'gantry.logs.memory': 4,
  'gantry.logs.tail': 'all',
  'gantry.logs.openIn': 'terminal',
};
const OPTIONS = { isJourney: true, settings: SETTINGS };

describeWindow('log viewers and terminals that are left', OPTIONS, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let viewer: ViewerTab;
  let web: string;

  before(async () => {
    const { folder } = window;
    ({ workbench } = window);
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src/pay.go'), '// a line of the source\n'.repeat(20));
    web = lab.name('web');
    await lab.ask('POST', `/containers/create?name=${web}`, {
      Image: bed().image,
      Cmd: ['sh', '-c', SCRIPT],
      StopSignal: 'SIGKILL',
      WorkingDir: '/app',
      HostConfig: { Binds: [`${folder}:/app`] },
    });
    await lab.start(web);
    viewer = new ViewerTab(workbench.page);
    await seen(workbench, 'Containers', web);
  });

  /** Returns the names of the files to which viewers spill their lines. */
  const spilled = (): readonly string[] => {
    const { userDataDir } = window.editor.served;
    const names = readdirSync(userDataDir, { recursive: true, encoding: 'utf8' });
    return names.filter((name) => name.includes('log-lines-'));
  };
  /** Resolves to the commands that run in the container. */
  const running = async (): Promise<readonly string[]> => {
    const answer = await lab.ask('GET', `/containers/${web}/top`);
    return (JSON.parse(answer) as { readonly Processes: string[][] }).Processes.map(
      (columns) => columns.at(-1) ?? '',
    );
  };
  const copied = (text: string): Promise<unknown> =>
    until(
      async () => (await workbench.page.evaluate('navigator.clipboard.readText()')) === text,
      `${JSON.stringify(text)} in the clipboard`,
    );

  it('copy with colors by a key that VS Code uses elsewhere, and without by the menu', async () => {
    await workbench.quick.run('Gantry Containers: Open Log Viewer');
    await workbench.quick.pick('Select a container or project', web);
    await viewer.says(/^red end/);
    await viewer.row(END).click();
    await workbench.page.keyboard.press('ControlOrMeta+Shift+c');
    await copied(END.replace('red', '\u001b[31mred\u001b[0m'));
    await workbench.menus.choose(
      () => viewer.row(END).click({ button: 'right' }),
      ['Copy Log Lines'],
    );
    await copied(END);
  });

  it('restore the scroll position after being hidden', async () => {
    await viewer.log.click();
    for (let page = 0; page < 8; page++) await workbench.page.keyboard.press('PageUp');
    const isMiddle = (texts: readonly string[]): boolean =>
      texts.length > 20 && !texts.includes(END) && !texts.includes('');
    const before = await viewer.shows('lines in the middle of the log', isMiddle);
    await workbench.quick.run('File: New Untitled Text File');
    await viewer.log.waitFor({ state: 'detached' });
    await workbench.page.getByRole('tab', { name: `Logs: ${web}` }).click();
    const after = await viewer.shows('the same lines as before', isMiddle);
    const middle = before[Math.floor(before.length / 2)] ?? '';
    assert.ok(
      after.includes(middle),
      `${middle.slice(0, 8)} in ${after.map((one) => one.slice(0, 5)).join()}`,
    );
  });

  it('open the source that a log in a terminal names', async () => {
    await workbench.inlineAction(workbench.row(web, 'Containers'), 'Show Logs');
    const { page } = workbench;
    const words = page.locator('.terminal-wrapper.active .xterm-rows > div', { hasText: 'pay.go' });
    await words.waitFor();
    const tab = page.getByRole('tab', { name: /^pay\.go/ });
    await until(async () => {
      // Checked first: the opened file may move the line.
      if (await tab.isVisible()) return true;
      const box = (await words.boundingBox()) ?? assert.fail('the line is not in view');
      const { width } = (await words.locator('span').last().boundingBox()) ?? box;
      await page.mouse.move(box.x + width - 60, box.y + box.height / 2);
      await page.mouse.move(box.x + width - 50, box.y + box.height / 2);
      await page.keyboard.down('ControlOrMeta');
      await page.mouse.click(box.x + width - 50, box.y + box.height / 2);
      await page.keyboard.up('ControlOrMeta');
      return tab.isVisible();
    }, 'the source opens');
    await page.locator('.statusbar', { hasText: /Ln 7, Col 11/ }).waitFor();
  });

  it('leave no process and no file behind when the window is reloaded', async () => {
    await workbench.inlineAction(workbench.row(web, 'Containers'), 'Open Shell');
    const shells = async (): Promise<number> =>
      (await running()).filter((command) => /^(?:-|\/bin\/)?sh$/.test(command.trim())).length;
    await until(async () => (await shells()) === 1, 'a shell runs');
    const [file = assert.fail('no log lines were written to a file')] = spilled();
    // Reload as a user does: otherwise VS Code does not notify the extension.
    const isNew = workbench.page.waitForEvent('domcontentloaded');
    await workbench.quick.run('Developer: Reload Window');
    await isNew;
    await until(async () => (await shells()) === 0, 'the shell has exited');
    await until(() => !spilled().includes(file), 'the file of log lines is deleted');
    // The next file may use this window, and closes its open editors.
    await workbench.page.getByRole('tab', { name: /^Logs: / }).waitFor({ timeout: 60_000 });
  });
});
