// Opens and leaves a shell in a container as a user does.
import assert from 'node:assert/strict';
import type { PageElement } from '../../bed/vscode/dom.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { addTo, fillIn, formValues, pickRow } from './forms.ts';
import { seen, terminalText } from './seen.ts';

/** Half a megabyte, five times what a terminal accepts before it has to confirm its progress. */
const PRINT =
  'yes "a line of a log that is as long as many are, sixty letters" | head -n 8000; printf "\\033[31mred\\033[0m end\\n"; sleep 100000';

const SETTINGS = { 'gantry.logs.openIn': 'terminal', 'gantry.logs.tail': 'all' };
const OPTIONS = { isJourney: true, settings: SETTINGS };

describeWindow('a terminal in VS Code', OPTIONS, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let container: string;

  before(async () => {
    ({ workbench } = window);
    container = await lab.running('web', { cmd: ['sh', '-c', PRINT] });
  });

  /** Resolves to the text of the active terminal. */
  const screen = (): Promise<string> => terminalText(workbench);
  const shows = (words: RegExp): Promise<unknown> =>
    until(async () => words.test(await screen()), `${String(words)} in the terminal`);

  it('opens a shell in a running container with one click on its row', async () => {
    await seen(workbench, 'Containers', container);
    await workbench.inlineAction(workbench.row(container, 'Containers'), 'Open Shell (exec)');
    await shows(/# /);
    await workbench.page.keyboard.type('echo $((6*7))');
    await workbench.page.keyboard.press('Enter');
    await shows(/^42/m);
    await workbench.shot('terminal/shell');
  });

  it('reports the exit code of the shell, and closes', async () => {
    await workbench.page.keyboard.type('exit 3');
    await workbench.page.keyboard.press('Enter');
    await workbench.notices.says(/exit code: 3/);
    // VS Code opens a terminal of its own instead if the shell ended soon after the panel was ready.
    await until(async () => !/^42/m.test(await screen()), 'the terminal is closed');
  });

  it('opens a shell with options', async () => {
    const { keyboard } = workbench.page;
    const title = 'Open Shell with Options...';
    await workbench.contextMenu(workbench.row(container, 'Containers'), 'More', title);
    await fillIn(workbench, 'User', '1234');
    await fillIn(workbench, 'Working directory', '/tmp');
    await addTo(workbench, 'Environment variables', 'NAME=a b');
    await workbench.shot('terminal/shellOptions');
    const form = await formValues(workbench);
    assert.deepEqual([form['User'], form['Working directory']], ['1234', '/tmp']);
    await pickRow(workbench, 'Open Shell');
    await shows(/[$#] /);
    await keyboard.type('echo "$(id -u) $PWD $NAME"', { delay: 20 });
    await keyboard.press('Enter');
    await shows(/^1234 \/tmp a b/m);
    await keyboard.type('exit', { delay: 20 });
    await keyboard.press('Enter');
    await until(async () => !/^1234/m.test(await screen()), 'the terminal is closed');
  });

  it('shows a log to its end, with its colors', async () => {
    await workbench.inlineAction(workbench.row(container, 'Containers'), 'Show Logs');
    await shows(/^red end/m);
    const color = async (text: string): Promise<string | undefined> => {
      const span = workbench.page.locator('.terminal-wrapper.active .xterm-rows span');
      return span
        .filter({ hasText: text })
        .last()
        .evaluate((element: PageElement) => {
          const page = globalThis as unknown as {
            getComputedStyle(element: PageElement): { readonly color: string };
          };
          return page.getComputedStyle(element).color;
        });
    };
    assert.notEqual(await color('red'), await color('sixty letters'));
    await workbench.shot('terminal/log');
  });
});
