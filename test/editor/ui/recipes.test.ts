// A recipe in its editor: what VS Code offers while it is written, and the button that makes a container of it.
import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { bed } from '../../bed/env.ts';
import { until } from '../../bed/vscode/workbench.ts';
import { openWorkbench, shotOnFailure, type Editor } from '../harness.ts';
import { Lab } from './lab.ts';

describe('a recipe in its editor', function () {
  this.timeout(120_000);
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'gantry-recipes-'));
  const lab = new Lab();
  const name = lab.name('made');
  let editor: Editor;

  before(async () => {
    const text = `// a recipe\n{\n  "image": "${bed().image}",\n  "name": "${name}",\n  \n}\n`;
    writeFileSync(join(folder, 'web.container.json'), text);
    writeFileSync(join(folder, 'bad.container.json'), '{\n  "image": "a",\n  "ports": ["x"]\n}\n');
    editor = await openWorkbench({ folder, size: { width: 1300, height: 800 } });
  });
  after(async () => {
    await editor.close();
    await lab.clean();
    rmSync(folder, { recursive: true, force: true });
  });
  shotOnFailure(() => editor);

  async function open(file: string): Promise<void> {
    const row = editor.page.locator('.explorer-folders-view .monaco-list-row', { hasText: file });
    await row.dblclick();
    await editor.page.locator('.tab.active', { hasText: file }).waitFor();
    // The first file that a window opens takes its time.
    await editor.page
      .locator('.view-line', { hasText: '"image"' })
      .first()
      .waitFor({ timeout: 60_000 });
  }

  const button = (): Locator =>
    editor.page
      .locator('.editor-group-container .editor-actions')
      .getByRole('button', { name: /Create Container from Recipe/ });

  it('offers fields, and says what each is', async () => {
    const { page, workbench } = editor;
    await open('web.container.json');
    await page.locator('.view-line', { hasText: '"name"' }).click();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await page.keyboard.press('Control+Space');
    const widget = page.locator('.suggest-widget.visible');
    await widget.waitFor();
    await until(
      async () => (await widget.innerText()).includes('autoRemove'),
      'fields are offered',
    );
    await workbench.shot('recipes-completion');
    await page.keyboard.press('Escape');
    await page
      .locator('.view-line', { hasText: '"image"' })
      .locator('span span', { hasText: '"image"' })
      .hover();
    const hover = page.locator('.monaco-hover:not(.hidden)', { hasText: 'The image: a reference' });
    await hover.waitFor();
    await workbench.shot('recipes-hover');
  });

  it('makes its container by the button above it', async () => {
    await button().click();
    await until(async () => (await lab.state(name)) === 'created', 'the container is there');
    await editor.workbench.shot('recipes-created');
  });

  it('says where it is wrong, and opens there', async () => {
    const { page, workbench } = editor;
    await open('bad.container.json');
    await until(
      async () => (await page.locator('.squiggly-warning, .squiggly-error').count()) > 0,
      'the fault is marked',
    );
    await button().click();
    const toast = page.locator('.notification-toast', { hasText: 'bad.container.json:3:13' });
    await toast.waitFor();
    await workbench.shot('recipes-fault');
    await toast.getByRole('button', { name: 'Open' }).click();
    const status = page.locator('.statusbar-item', { hasText: 'Ln 3, Col 13' });
    await status.waitFor();
    assert.ok(await status.isVisible());
  });
});
