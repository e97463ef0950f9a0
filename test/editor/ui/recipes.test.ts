// A recipe in the text editor: what VS Code offers while typing, and the command that
// creates the container.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bed } from '../../bed/env.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';

const OPTIONS = { isJourney: true, size: { width: 1300, height: 800 } };

describeWindow('a recipe in the text editor', OPTIONS, (window) => {
  const { lab } = window;
  const name = lab.name('made');

  before(() => {
    const text = `// a recipe\n{\n  "image": "${bed().image}",\n  "name": "${name}",\n  \n}\n`;
    writeFileSync(join(window.folder, 'web.container.json'), text);
    writeFileSync(
      join(window.folder, 'bad.container.json'),
      '{\n  "image": "a",\n  "ports": ["x"]\n}\n',
    );
  });

  async function open(file: string): Promise<void> {
    await window.workbench.quick.openFile(file);
    await window.workbench.page.locator('.tab.active', { hasText: file }).waitFor();
    // The first file that a window opens is slow.
    await window.workbench.page
      .locator('.view-line', { hasText: '"image"' })
      .first()
      .waitFor({ timeout: 60_000 });
  }

  it('has completion and hovers for its fields', async () => {
    const { workbench } = window;
    const { page } = workbench;
    await open('web.container.json');
    await page.locator('.view-line', { hasText: '"name"' }).click();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    const widget = page.locator('.suggest-widget.visible');
    await until(async () => {
      // Request it again: a request before VS Code has read the schema stays without it.
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+Space');
      await widget.waitFor({ timeout: 1000 });
      return until(
        async () => (await widget.innerText()).includes('autoRemove'),
        'autoRemove is offered',
        1000,
      );
    }, 'fields are offered');
    await workbench.shot('recipes-completion');
    await page.keyboard.press('Escape');
    await page
      .locator('.view-line', { hasText: '"image"' })
      .locator('span span', { hasText: '"image"' })
      .hover();
    const hover = page.locator('.monaco-hover:not(.hidden)', { hasText: 'Image name such as' });
    await hover.waitFor();
    await workbench.shot('recipes-hover');
  });

  it('creates its container from the palette', async () => {
    const { quick } = window.workbench;
    await quick.run('Gantry Containers: Create from Recipe...');
    await quick.pick('Select a recipe', 'web.container.json');
    await until(async () => (await lab.state(name)) === 'created', 'the container is created');
    await window.workbench.shot('recipes-created');
  });

  it('marks errors', async () => {
    const { workbench } = window;
    const { page } = workbench;
    await open('bad.container.json');
    await until(
      async () => (await page.locator('.squiggly-warning, .squiggly-error').count()) > 0,
      'the error is marked',
    );
    await workbench.shot('recipes-fault');
  });
});
