import assert from 'node:assert/strict';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { Keys } from './keys.ts';
import { seen } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';

describeWindow(`container commands, on ${KIND}`, {}, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  const shot = (name: string): Promise<void> => workbench.shot(`commands-${KIND}/${name}`);
  const row = (name: string) => workbench.row(name, 'Containers');

  before(() => ({ workbench } = window));

  it('inspect shows a container as read-only JSON', async () => {
    const name = await lab.create('inspected');
    await seen(workbench, 'Containers', name);
    await workbench.contextMenu(row(name), 'More', 'Inspect');
    await workbench.page.getByRole('tab', { name: `${name}.json` }).waitFor();
    const lines = workbench.page.locator('.part.editor .view-lines');
    await until(
      async () => /"Id": "[0-9a-f]{64}"/.test(await plainText(lines)),
      'the inspected JSON is shown',
    );
    const before = await plainText(lines);
    await lines.click();
    await workbench.page.keyboard.type('x');
    await shot('inspect');
    assert.equal(await plainText(lines), before);
    assert.equal(await workbench.page.locator('.tab.dirty').count(), 0);
    await workbench.closeEditors();
  });

  it('are found in the palette by the words of other tools, typed by hand', async () => {
    const keys = new Keys(workbench);
    for (const [words, title] of [
      ['compose up', 'Gantry Compose: Up'],
      ['compose down', 'Gantry Compose: Down...'],
      ['exec', 'Gantry Containers: Open Shell (exec)'],
      ['create container', 'Gantry Containers: Create Container...'],
      ['prune', 'Gantry Engines: Clean Up (Prune)...'],
    ] as const) {
      await keys.openPalette();
      await keys.type(words);
      await workbench.quick.row(title).waitFor();
      await shot(`palette-${words.replace(' ', '-')}`);
      await workbench.quick.cancel();
    }
  });
});

/** Returns the lines in view of a text editor, with normal spaces: VS Code renders non-breaking ones. */
async function plainText(lines: ReturnType<Workbench['row']>): Promise<string> {
  return (await lines.innerText()).replaceAll('\u00a0', ' ');
}
