// What is above the services of a compose file, and the ways between the file, its rows and Problems.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { pressLens } from '../../bed/vscode/press.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow, PLUGINS_FOLDER } from './describeWindow.ts';
import { Keys } from './keys.ts';
import { gone, says } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';
const MENU = 'Select what to do';
const BY_KEYS = 'Show CodeLens Commands for Current Line';

describeWindow(`a compose file in the editor, on ${KIND}`, { isJourney: true }, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let keys: Keys;
  let project: string;
  let file: string;
  const shot = (name: string): Promise<void> => workbench.shot(`composeFile-${KIND}/${name}`);

  /** `web` is in line 7. */
  const write = (extra = ''): void => {
    const service = (name: string): string =>
      `  ${name}:\n    image: ${lab.image}\n    command: sleep 1000\n    stop_signal: SIGKILL\n`;
    writeFileSync(file, `name: ${project}\nservices:\n${service('db')}${service('web')}${extra}`);
  };
  const lenses = (): Locator => workbench.page.locator('.codelens-decoration a');
  const lensTexts = async (): Promise<readonly string[]> =>
    (await lenses().allInnerTexts()).map((text) => text.replaceAll('\u00a0', ' ').trim());
  const lensesSay = (...texts: readonly string[]): Promise<unknown> =>
    until(
      async () => {
        const shown = await lensTexts();
        return JSON.stringify(shown) === JSON.stringify(texts);
      },
      `the lenses ${texts.join(', ')}`,
    );
  /** Without those of builds, which the engine remembers. */
  const problems = (): Locator =>
    workbench.page
      .locator('.markers-panel .monaco-list-row')
      .filter({ hasText: /comand|undefined network/ });
  const tab = (): Locator => workbench.page.locator('.tab', { hasText: 'compose.yaml' });
  /** Resolves when the cursor is there, as the status bar says. */
  const cursorIs = (place: string): Promise<void> =>
    workbench.page.locator('.statusbar-item', { hasText: place }).first().waitFor();

  before(async function () {
    // Distributions differ in what they have.
    if (!existsSync(join(PLUGINS_FOLDER, 'docker-compose'))) this.skip();
    ({ workbench } = window);
    keys = new Keys(workbench);
    project = lab.name('lens');
    file = join(window.folder, 'compose.yaml');
    write();
    await workbench.started();
  });

  beforeEach(function () {
    // After a failed step, the remaining ones are skipped.
    if (this.currentTest?.parent?.tests.some(({ state }) => state === 'failed')) this.skip();
  });

  it('has one quiet line for each service, whose click only opens a menu', async () => {
    await workbench.quick.openFile('compose.yaml');
    await lensesSay('not created', 'not created', 'not created');
    await pressLens(lenses().nth(2));
    await workbench.quick.asks(MENU);
    await workbench.quick.row('Up').waitFor();
    await shot('menu');
    await workbench.quick.cancel();
    assert.equal(await workbench.page.locator('.terminal-wrapper').count(), 0);
  });

  it('brings up a service from its menu, by keys alone', async () => {
    await keys.openPalette();
    await keys.press('Backspace');
    await keys.type(':7');
    await keys.press('Enter');
    await cursorIs('Ln 7');
    await keys.openPalette();
    await keys.type(BY_KEYS);
    await until(async () => (await keys.active()) === BY_KEYS, 'the command of VS Code');
    await keys.press('Enter');
    await workbench.quick.asks('Select a command');
    await shot('lens-of-line');
    await workbench.page.waitForTimeout(1000);
    await keys.press('Enter');
    await keys.choose(MENU, 'Up');
    await lensesSay('1 of 2 up', 'not created', 'running');
    await says(workbench, 'Containers', project, /^1 of 2 up$/);
    await pressLens(lenses().nth(0));
    await workbench.quick.asks(MENU);
    await workbench.quick.row('Down...').waitFor();
    await shot('menu-of-project');
    await workbench.quick.cancel();
    await pressLens(lenses().nth(2));
    await workbench.quick.asks(MENU);
    await workbench.quick.row('Open Shell').waitFor();
    await shot('menu-running');
    await workbench.quick.cancel();
  });

  it('is opened from the row of its project, and at the line of a service', async () => {
    await workbench.closeEditors();
    await workbench.contextMenu(
      workbench.row(project, 'Containers'),
      'Compose',
      'Open Compose File',
    );
    await tab().waitFor();
    // Above the service, so that the next one has to move it.
    await lensesSay('1 of 2 up', 'not created', 'running');
    await keys.press('ControlOrMeta+Home');
    await cursorIs('Ln 1, Col 1');
    await workbench.closeEditors();
    await workbench.contextMenu(workbench.row('web', 'Containers'), 'Compose', 'Open Compose File');
    await cursorIs('Ln 7, Col 1');
    await tab().waitFor();
    await shot('opened');
  });

  it('has a problem at the line that Compose refuses, until it is changed', async () => {
    write('    comand: x\n');
    await pressLens(lenses().nth(2));
    await workbench.quick.pick(MENU, 'Up');
    // Before, the terminal of Compose may come to the front.
    await workbench.page.locator('.squiggly-error').first().waitFor();
    await workbench.quick.run('Problems: Focus on Problems View');
    const words = /additional properties 'comand' not allowed.*\[Ln 11, Col 5\]/s;
    await problems().filter({ hasText: words }).first().waitFor();
    await shot('problem');
    write('    labels: {x: y}\n');
    await until(async () => (await problems().count()) === 0, 'the problem is gone');
    await pressLens(lenses().nth(2));
    await workbench.quick.asks(MENU);
    // Compose can read it before the editor does.
    write('    networks: [nothing]\n');
    await workbench.quick.pick(MENU, 'What Would Up Change?');
    await workbench.notices.says(/refers to undefined network nothing/);
    await problems()
      .filter({ hasText: /undefined network nothing.*\[Ln 11, Col 16\]/s })
      .first()
      .waitFor();
    await workbench.notices.clear();
    write();
    await until(async () => (await problems().count()) === 0, 'the problem is gone');
  });

  it('has buttons or nothing as the setting says, at once', async () => {
    await window.changeSettings({ 'gantry.codeLens': 'off' });
    await until(async () => (await lenses().count()) === 0, 'there are no lenses');
    await window.changeSettings({ 'gantry.codeLens': 'actions' });
    await lenses().filter({ hasText: /^Up$/ }).nth(2).waitFor();
    await shot('actions');
    await window.changeSettings({ 'gantry.codeLens': 'state' });
    await lensesSay('1 of 2 up', 'not created', 'running');
  });

  it('takes the project down from the menu above all services', async () => {
    await pressLens(lenses().nth(0));
    await workbench.quick.pick(MENU, 'Down...');
    await workbench.quick.check('Select volumes and images to also remove', []);
    await workbench.notices.answer('Take Down');
    await gone(workbench, 'Containers', project);
    await lensesSay('not created', 'not created', 'not created');
  });
});
