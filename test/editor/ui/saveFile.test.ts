// Edits and saves files of a container as a user does.
import assert from 'node:assert/strict';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { seen } from './seen.ts';

const SETUP =
  'mkdir /app && cd /app && echo port=80 > app.conf && chown 1000:1000 app.conf && chmod 640 app.conf && sleep 1000';

describeWindow('the files of a container are edited in VS Code', { isJourney: true }, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let container: string;

  before(async () => {
    ({ workbench } = window);
    container = await lab.running('app', { cmd: ['sh', '-c', SETUP] });
  });

  const lines = () => workbench.page.locator('.editor-instance .view-lines').first();
  const press = (key: string): Promise<void> => workbench.page.keyboard.press(key);
  /** Types at the beginning of the document, like a person. */
  async function type(text: string): Promise<void> {
    await lines().click();
    await press('Control+Home');
    await workbench.page.keyboard.type(text, { delay: 60 });
    await press('Enter');
  }
  const facts = (): Promise<string> =>
    lab.run(container, 'stat -c "%u:%g %a" /app/app.conf; cat /app/app.conf');

  it('and keep their owner, group and mode', async () => {
    await seen(workbench, 'Containers', container);
    await workbench.contextMenu(workbench.row(container, 'Containers'), 'Browse Files');
    await workbench.toggle(workbench.row('app', 'Files'));
    await workbench.select(workbench.row('app.conf', 'Files'));
    await until(async () => (await lines().innerText()).includes('port'), 'the file is open');
    // A click leaves the focus in the rows.
    await press('Control+1');
    await type('# mine');
    await press('Control+s');
    await until(async () => (await facts()).includes('# mine'), 'the file is saved');
    assert.equal((await facts()).trim(), '1000:1000 640\n# mine\nport=80');
    await workbench.shot('saveFile/saved');
  });

  it('unless somebody else changed them meanwhile, which is shown', async () => {
    await type('# again');
    await lab.run(
      container,
      "cd /app && touch -r app.conf old && sed -i 's/port=80/port=81/' app.conf && touch -d '2001-01-01 00:00' app.conf",
    );
    await press('Control+s');
    const toast = workbench.page.locator('.notification-toast', {
      hasText: 'is not what was opened',
    });
    await toast.first().waitFor();
    await workbench.shot('saveFile/conflict');
    assert.match(await facts(), /port=81/);
    assert.doesNotMatch(await facts(), /# again/);
    await toast.getByRole('button', { name: 'Compare' }).first().click();
    const diff = workbench.page.locator('.monaco-diff-editor');
    await until(async () => (await diff.innerText()).includes('81'), 'both are shown');
    await workbench.shot('saveFile/compare');
    await workbench.page.locator('.modified-in-monaco-diff-editor .view-lines').click();
    await press('Control+s');
    await toast.getByRole('button', { name: 'Overwrite' }).first().click();
    await until(async () => (await facts()).includes('# again'), 'the file is overwritten');
    assert.match(await facts(), /^1000:1000 640/);
  });
});
