// Log viewers and terminals that are left: what they keep for the one who comes back, and that nothing stays of them.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bed } from '../../bed/env.ts';
import { until, type Workbench } from '../../bed/vscode/workbench.ts';
import { openWorkbench, shotOnFailure, type Editor } from '../harness.ts';
import { Lab } from './lab.ts';
import { seen } from './seen.ts';
import { ViewerTab } from './viewerTab.ts';

const LINES = 9000;
/** Nine megabytes: more than the viewer below keeps in memory. Then a line in colour that names its source. */
const SCRIPT = `
fill=$(head -c 1000 /dev/zero | tr '\\0' x)
seq 1 ${LINES} | sed "s/$/ $fill/"
printf '\\033[31mred\\033[0m end at /app/src/pay.go:7:11\\n'
sleep 100000`;
const END = 'red end at /app/src/pay.go:7:11';

describe('log viewers and terminals that are left', function () {
  this.timeout(90_000);
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'gantry-left-'));
  let lab: Lab;
  let editor: Editor;
  let workbench: Workbench;
  let viewer: ViewerTab;
  let web: string;

  before(async () => {
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src/pay.go'), '// a line of the source\n'.repeat(20));
    lab = new Lab();
    web = lab.name('web');
    await lab.ask('POST', `/containers/create?name=${web}`, {
      Image: bed().image,
      Cmd: ['sh', '-c', SCRIPT],
      StopSignal: 'SIGKILL',
      WorkingDir: '/app',
      HostConfig: { Binds: [`${folder}:/app`] },
    });
    await lab.start(web);
    editor = await openWorkbench({
      folder,
      settings: {
        'gantry.logs.memory': 4,
        'gantry.logs.tail': 'all',
        'gantry.logs.openIn': 'terminal',
        'terminal.integrated.gpuAcceleration': 'off',
      },
    });
    ({ workbench } = editor);
    viewer = new ViewerTab(editor.page);
    await workbench.openView('Gantry');
    await seen(workbench, 'Containers', web);
  });

  after(async () => {
    await editor.close();
    await lab.clean();
    rmSync(folder, { recursive: true, force: true });
  });

  shotOnFailure(() => editor);

  /** Names of the files that hold lines of viewers. */
  const spilled = (): readonly string[] => {
    const { userDataDir } = editor.served;
    const names = readdirSync(userDataDir, { recursive: true, encoding: 'utf8' });
    return names.filter((name) => name.includes('log-lines-'));
  };
  /** Commands that run in the container. */
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

  it('copies with colors by a key that is the editor’s elsewhere, and without by the menu', async () => {
    await workbench.quick.run('Gantry: Open Log Viewer');
    await workbench.quick.pick('Choose a container or a project', web);
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

  it('comes back to the place where it was when it was hidden', async () => {
    await viewer.log.click();
    for (let page = 0; page < 8; page++) await workbench.page.keyboard.press('PageUp');
    const isMiddle = (texts: readonly string[]): boolean =>
      texts.length > 20 && !texts.includes(END) && !texts.includes('');
    const before = await viewer.shows('a place in the middle', isMiddle);
    await workbench.quick.run('File: New Untitled Text File');
    await viewer.log.waitFor({ state: 'detached' });
    await workbench.page.getByRole('tab', { name: `Logs: ${web}` }).click();
    const after = await viewer.shows('the place again', isMiddle);
    const middle = before[Math.floor(before.length / 2)] ?? '';
    assert.ok(
      after.includes(middle),
      `${middle.slice(0, 8)} in ${after.map((one) => one.slice(0, 5)).join()}`,
    );
  });

  it('leads from a terminal to the source that a log names', async () => {
    await workbench.inlineAction(workbench.row(web, 'Containers'), 'Show Logs');
    const { page } = workbench;
    const words = page.locator('.terminal-wrapper.active .xterm-rows > div', { hasText: 'pay.go' });
    await words.waitFor();
    const tab = page.getByRole('tab', { name: /^pay\.go/ });
    await until(async () => {
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

  it('leaves no process and no file behind when the window goes', async () => {
    await workbench.inlineAction(workbench.row(web, 'Containers'), 'Open Shell');
    const shells = async (): Promise<number> =>
      (await running()).filter((command) => /^(?:-|\/bin\/)?sh$/.test(command.trim())).length;
    await until(async () => (await shells()) === 1, 'a shell runs');
    const [file = assert.fail('nothing lies in a file')] = spilled();
    // As a person does it: only so the editor tells the extension that it goes.
    const isNew = workbench.page.waitForEvent('domcontentloaded');
    await workbench.quick.run('Developer: Reload Window');
    await isNew;
    await until(async () => (await shells()) === 0, 'the shell has ended');
    await until(() => !spilled().includes(file), 'the file of lines is gone');
  });
});
