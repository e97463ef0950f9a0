// A shell in a container, as a person opens and leaves it.
import assert from 'node:assert/strict';
import type { PageElement } from '../../bed/vscode/dom.ts';
import { until, type Workbench } from '../../bed/vscode/workbench.ts';
import { openWorkbench, shotOnFailure, type Editor } from '../harness.ts';
import { Lab } from './lab.ts';
import { seen, terminalText } from './seen.ts';

/** Three megabytes: more than a terminal is given before it says how far it is. */
const PRINT =
  'yes "a line of a log that is as long as many are, sixty letters" | head -n 50000; printf "\\033[31mred\\033[0m end\\n"; sleep 100000';

describe('a terminal in the editor', function () {
  this.timeout(90_000);
  let lab: Lab;
  let editor: Editor;
  let workbench: Workbench;
  let container: string;

  before(async () => {
    lab = new Lab();
    container = await lab.running('web', { cmd: ['sh', '-c', PRINT] });
    editor = await openWorkbench({
      settings: {
        // Terminals as text in the page, and not as pictures.
        'terminal.integrated.gpuAcceleration': 'off',
        'gantry.logs.openIn': 'terminal',
        'gantry.logs.tail': 'all',
      },
    });
    ({ workbench } = editor);
    await workbench.openView('Gantry');
  });

  after(async () => {
    await editor.close();
    await lab.clean();
  });

  shotOnFailure(() => editor);

  /** What the terminal in front shows. */
  const screen = (): Promise<string> => terminalText(workbench);
  const shows = (words: RegExp): Promise<unknown> =>
    until(async () => words.test(await screen()), `${String(words)} in the terminal`);

  it('is a shell of a running container, by one click on its row', async () => {
    await seen(workbench, 'Containers', container);
    await workbench.inlineAction(workbench.row(container, 'Containers'), 'Open Shell');
    await shows(/# /);
    await workbench.page.keyboard.type('echo $((6*7))');
    await workbench.page.keyboard.press('Enter');
    await shows(/^42/m);
    await workbench.shot('terminal/shell');
  });

  it('tells how the shell ended, and closes', async () => {
    await workbench.page.keyboard.type('exit 3');
    await workbench.page.keyboard.press('Enter');
    await workbench.notices.says(/exit code: 3/);
    await until(async () => (await screen()) === '', 'the terminal is gone');
  });
  it('shows a log to its end, in its colors', async () => {
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
