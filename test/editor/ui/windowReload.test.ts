// Log viewers and terminals that are left, and the one reload of the window: what the user sees is restored, nothing
// stays behind, and no file in the folder chooses an engine, whether the folder is trusted (before the reload) or not
// (after it).
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bed } from '../../bed/env.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { typeInto } from '../../bed/vscode/press.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { isStored } from './isStored.ts';
import { loggedRequests, type LoggedRequest } from './requestLog.ts';
import { seen } from './seen.ts';
import { setTraps, type Traps } from './traps.ts';
import { ViewerTab } from './viewerTab.ts';

const LINES = 6000;
/** Six megabytes, more than the viewer below keeps in memory; then a colored line that names its source. */
const SCRIPT = `
fill=$(head -c 1000 /dev/zero | tr '\\0' x)
seq 1 ${LINES} | sed "s/$/ $fill/"
printf '\\033[31mred\\033[0m end at /app/src/pay.go:7:11\\n'
sleep 100000`;
const END = 'red end at /app/src/pay.go:7:11';

const TICKS = 'i=1; while true; do echo "INFO tick $i"; i=$((i+1)); sleep 0.25; done';
const PROJECT = 'com.docker.compose.project';
const SERVICE = 'com.docker.compose.service';
/** Time in milliseconds that a window takes to start on a busy machine. */
const START_MS = 60_000;

const SETTINGS = {
  'gantry.logs.memory': 4,
  'gantry.logs.tail': 'all',
  'gantry.logs.openIn': 'terminal',
};
const OPTIONS = { isJourney: true, settings: SETTINGS, isLast: true };
/** The title of the window once VS Code has read the settings of the folder. */
const FOLDER_READ = 'the settings of the folder';

describeWindow('views, log viewers and terminals, before and after a reload', OPTIONS, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let viewer: ViewerTab;
  let web = '';
  let ticks = '';
  let up = '';
  let over = '';
  /** The last tick that a viewer showed before it was cleared, and one of those that it showed soon afterwards. */
  let cleared = 0;
  let first = 0;
  let traps: Traps | undefined;
  const row = (name: string) => workbench.row(name, 'Containers');
  const isFolded = (label: string): Promise<unknown> =>
    seen(workbench, 'Containers', label, ({ expanded }) => expanded === false);

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
    ticks = await lab.running('ticks', { cmd: ['sh', '-c', TICKS] });
    up = lab.name('going');
    over = lab.name('over');
    await lab.running('up', {
      labels: { [PROJECT]: up, 'com.docker.compose.config-hash': 'hash', [SERVICE]: 'web' },
    });
    const cmd = ['sh', '-c', 'exit 0'];
    const ended = await lab.running('job', {
      cmd,
      labels: { [PROJECT]: over, 'com.docker.compose.config-hash': 'hash', [SERVICE]: 'job' },
    });
    await until(async () => (await lab.state(ended)) === 'exited', 'it exits');
    viewer = new ViewerTab(workbench.page);
    await seen(workbench, 'Containers', web);
  });

  after(() => {
    traps?.host.close();
    traps?.more.close();
  });

  /** Asserts that a refresh contacts the engine of the window alone. */
  const assertNoneTrapped = async (): Promise<void> => {
    const before = Date.now();
    await workbench.titleAction('Containers', 'Refresh');
    const isAgain = ({ at, text }: LoggedRequest): boolean =>
      at > before && text.startsWith('GET /containers/json?all=1');
    await until(() => loggedRequests(window.editor).some(isAgain), 'the list is requested again');
    assert.deepEqual([traps!.host.visits(), traps!.more.visits()], [0, 0]);
  };

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
  /** Resolves to the numbers of the ticks in view, once there are some and all are at least `from`. */
  const ticksFrom = async (from: number, limit?: number): Promise<readonly number[]> => {
    const numbers = (texts: readonly string[]): readonly number[] =>
      texts.flatMap((text) => /^INFO tick (\d+)$/.exec(text)?.[1] ?? []).map(Number);
    const fits = (texts: readonly string[]): boolean =>
      numbers(texts).length > 0 && numbers(texts).every((number) => number >= from);
    return numbers(await viewer.shows(`ticks from ${from} on`, fits, limit));
  };
  const hasTitle = (title: string): Promise<unknown> =>
    until(async () => (await workbench.page.title()).includes(title), `the title ${title}`);
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
    const middle = before[Math.floor(before.length / 2)] ?? '';
    await viewer.shows(
      `the same lines as before, with ${middle.slice(0, 8)}`,
      (texts) => isMiddle(texts) && texts.includes(middle),
    );
  });

  it('open the source that a log in a terminal names', async () => {
    await window.changeSettings({ 'gantry.logs.tail': 100 });
    await workbench.inlineAction(row(web), 'Show Logs');
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

  it('contact no engine that the settings of the trusted folder name', async () => {
    traps = await setTraps(window.folder, FOLDER_READ);
    await hasTitle(FOLDER_READ);
    await assertNoneTrapped();
  });

  it('leave no process and no file behind when the window is reloaded', async () => {
    await workbench.inlineAction(row(web), 'Open Shell (exec)');
    const shells = async (): Promise<number> =>
      (await running()).filter((command) => /^(?:-|\/bin\/)?sh$/.test(command.trim())).length;
    await until(async () => (await shells()) === 1, 'a shell runs');
    const [file = assert.fail('no log lines were written to a file')] = spilled();
    await workbench.toggle(row(up));
    await isFolded(up);
    await until(() => isStored(workbench.page, 'gantry.folds', up), 'the folded rows are stored');
    await workbench.contextMenu(row(ticks), 'More', 'Open Log Viewer');
    await viewer.button('Filter').first().click();
    await typeInto(viewer.input('Hide lines with'), 'nothing like this');
    cleared = (await ticksFrom(1)).at(-1)!;
    await viewer.frame.getByRole('button', { name: 'Clear', exact: true }).click();
    [first = 0] = await ticksFrom(cleared + 1);
    await workbench.quick.run('View: Pin Editor');
    // VS Code would ask to trust the folder for a terminal in a panel that it restores.
    const panel = workbench.page.locator('.part.panel');
    await panel.getByRole('button', { name: /^Hide Panel/ }).click();
    window.editor.served.changeSettings({ 'security.workspace.trust.enabled': true });
    const { page } = workbench;
    // Answer as a user does: the browser asks whether to leave if VS Code still has something to store.
    page.once('dialog', (dialog) => void dialog.accept());
    // Reload as a user does: otherwise VS Code does not notify the extension.
    const isNew = page.waitForEvent('domcontentloaded', { timeout: START_MS });
    await workbench.quick.run('Developer: Reload Window');
    await isNew;
    await until(async () => (await shells()) === 0, 'the shell has exited');
    await until(() => !spilled().includes(file), 'the file of log lines is deleted');
    await page.getByRole('tab', { name: `Logs: ${web}` }).waitFor({ timeout: START_MS });
  });

  it('stay cleared and pinned, and keep their filter, after the reload', async () => {
    await ticksFrom(cleared + 1, START_MS);
    await viewer.log.click();
    await until(async () => {
      // Older lines are read at the top of the log.
      await workbench.page.keyboard.press('Home');
      return (await ticksFrom(cleared + 1))[0]! <= first;
    }, 'the oldest line is shown again');
    assert.equal(await viewer.input('Hide lines with').inputValue(), 'nothing like this');
    await workbench.page.locator('.tab.sticky', { hasText: ticks }).waitFor();
  });

  it('leave a project collapsed, and one whose containers have all exited is collapsed initially', async () => {
    await workbench.openView('Gantry');
    await workbench.hasRows('Containers');
    await isFolded(up);
    await isFolded(over);
    await workbench.shot('window-reload/folded');
  });

  it('contact no engine that the settings of a folder in Restricted Mode name', async () => {
    const { page } = workbench;
    await page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();
    await hasTitle(FOLDER_READ);
    await assertNoneTrapped();
  });

  it('contact such an engine after the user names it', async () => {
    const { host, more } = traps!;
    window.editor.served.changeSettings({ 'gantry.host': `unix://${host.path}` });
    await until(() => host.visits() > 0, 'the engine is contacted');
    assert.equal(more.visits(), 0);
  });
});
