import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngineOf, type BedEngine } from '../../bed/engines.ts';
import { BED_IMAGE, importBusybox } from '../../bed/images.ts';
import { until, type Workbench } from '../../bed/vscode/workbench.ts';
import { openWorkbench, shotOnFailure, type Editor } from '../harness.ts';
import { Keys } from './keys.ts';
import { Lab } from './lab.ts';
import { gone, says, seen } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] === 'podman' ? 'podman' : 'docker';

describe(`the views when all is not well, on ${KIND}`, function () {
  this.timeout(120_000);
  let folder: string;
  let editor: Editor;
  let workbench: Workbench;
  const shot = (name: string): Promise<string> => workbench.shot(`states-${KIND}/${name}`);

  /** One view says it, with a way to try again and one to learn more; the other in a line. */
  const welcomes = async (words: RegExp, line = words): Promise<void> => {
    await until(async () => {
      const text = await workbench.welcome('Containers');
      return [words, /Retry/, /Diagnose/].every((part) => part.test(text));
    }, `Containers: ${words.source}`);
    await until(async () => line.test(await workbench.message('Images')), `Images: ${line.source}`);
    assert.equal(await workbench.welcome('Images'), '');
  };

  const nothingAt = (path: string, source: string): Promise<void> =>
    welcomes(
      /^Nothing listens at the address of the engine/,
      new RegExp(`^Nothing listens at unix://.*/${path} \\(from ${source}\\)\\.$`),
    );

  const details = (): Promise<void> => workbench.quick.run('Gantry: Show Connection Details');

  const press = (button: string): Promise<void> =>
    workbench
      .pane('Containers')
      .locator('.welcome-view-content')
      .getByRole('button', { name: button, exact: true })
      .click();

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-states-'));
    editor = await openWorkbench({ dockerHost: `unix://${join(folder, 'none.sock')}` });
    ({ workbench } = editor);
    await workbench.openView('Gantry');
  });

  after(async () => {
    await editor.close();
    rmSync(folder, { recursive: true, force: true });
  });

  shotOnFailure(() => editor);

  describe('without an engine', () => {
    let server: Server | undefined;

    after(() => {
      server?.closeAllConnections();
      server?.close();
    });

    it('says that there is none, and where it looked', async () => {
      await nothingAt('none.sock', 'DOCKER_HOST');
      assert.match(await workbench.welcome('Containers'), /variable DOCKER_HOST\./);
      const title = workbench.pane('Containers').locator('.pane-header .description');
      assert.equal(await title.innerText(), `unix://${join(folder, 'none.sock')}`);
      await shot('absent');
      await details();
      const { message, detail } = await workbench.notices.modal();
      assert.match(message, /there is no socket at .*none\.sock/);
      assert.match(detail, /none\.sock/);
      await shot('absent-details');
      await workbench.notices.answer('Cancel');
    });

    it('says of a folder and of a plain file that no engine is there', async () => {
      for (const [name, make] of [
        [
          'folder',
          (path: string) => {
            mkdirSync(path);
          },
        ],
        [
          'file',
          (path: string) => {
            writeFileSync(path, '');
          },
        ],
      ] as const) {
        const path = join(folder, name);
        make(path);
        editor.served.changeSettings({ 'gantry.host': path });
        await welcomes(/not a container engine/, new RegExp(`/${name} is no socket`));
        await details();
        assert.match(
          (await workbench.notices.modal()).message,
          new RegExp(`/${name} is no socket`),
        );
        await workbench.notices.answer('Cancel');
        editor.served.changeSettings({ 'gantry.host': join(folder, 'nothing.sock') });
        await nothingAt('nothing.sock', 'gantry.host');
      }
    });

    it('says of a web server that it is no engine, and asks it again on Retry', async () => {
      let asked = 0;
      server = createServer((_, answer) => {
        asked += 1;
        answer.setHeader('content-type', 'text/html').end('<html><body>Hello</body></html>');
      });
      const socket = join(folder, 'web.sock');
      await new Promise<void>((resolve) => server?.listen(socket, resolve));
      editor.served.changeSettings({ 'gantry.host': `unix://${socket}` });
      await welcomes(/a web page, not a container engine/);
      await shot('not-an-engine');
      const before = asked;
      await press('Retry');
      await until(() => asked > before, 'another request');
      await welcomes(/not a container engine/);
    });
  });

  describe('with an engine that comes and goes', () => {
    let engine: BedEngine;
    let lab: Lab;

    before(async () => {
      engine = await startEngineOf(KIND);
      lab = new Lab({ socket: engine.socket, image: BED_IMAGE });
    });

    after(() => engine.stop());

    it('finds it by a changed setting, without a reload, and says that it is empty', async () => {
      editor.served.changeSettings({ 'gantry.host': engine.socket });
      const containers = () => workbench.welcome('Containers');
      await until(
        async () => (await containers()).includes('no containers yet'),
        'no containers yet',
      );
      const images = () => workbench.welcome('Images');
      await until(async () => (await images()).includes('no images yet'), 'no images yet');
      await shot('empty');
      await press('Create Container…');
      await workbench.quick.asks('Create Container');
      await workbench.quick.cancel();
    });

    it('says so where the filter hides everything, and offers to lift it', async () => {
      await importBusybox(engine);
      const name = await lab.exited('over', 0);
      await says(workbench, 'Containers', name, /^Exited \(0\)/);
      await workbench.titleAction('Containers', 'Hide Stopped Containers');
      const welcome = () => workbench.welcome('Containers');
      await until(async () => (await welcome()).includes('Stopped ones are hidden'), 'all hidden');
      await shot('all-hidden');
      await press('Show Stopped Containers');
      await seen(workbench, 'Containers', name);
    });

    it('keeps the rows under a message when the engine goes, and drops it when it is back', async () => {
      const name = lab.name('over');
      await seen(workbench, 'Containers', name);
      await engine.kill();
      const message = () => workbench.message('Containers');
      await until(async () => (await message()).includes('Connection lost'), 'the message');
      assert.equal(await workbench.message('Images'), '', 'it is said once');
      await seen(workbench, 'Containers', name);
      const diagnose = workbench.pane('Containers').getByRole('button', { name: /^Diagnose/ });
      await until(() => diagnose.isVisible(), 'Diagnose in the title of the view');
      await shot('lost');
      const keys = new Keys(workbench);
      await keys.focus('Containers', name);
      await keys.run('Diagnose Engines');
      await workbench.page.getByRole('tab', { name: /Diagnosis of engines\.txt/ }).waitFor();
      await keys.run('Close All Editors', 'View');
      await engine.restart();
      await until(async () => (await message()) === '', 'the message to go');
      await seen(workbench, 'Containers', name);
      const next = await lab.running('next');
      await says(workbench, 'Containers', next, /^Up/);
      await lab.ask('DELETE', `/containers/${name}`);
      await gone(workbench, 'Containers', name);
      await shot('back');
    });

    it('leaves no row of it when another address is set', async () => {
      const name = lab.name('next');
      await seen(workbench, 'Containers', name);
      editor.served.changeSettings({ 'gantry.host': join(folder, 'none.sock') });
      await nothingAt('none.sock', 'gantry.host');
      await gone(workbench, 'Containers', name);
      await until(async () => (await workbench.badge('Gantry')) === '', 'no badge');
    });

    // The last one, for here the editor itself writes the settings that the tests write.
    it('hints at another engine that the command line would use, and goes there on a click', async () => {
      editor.served.changeSettings({ 'gantry.host': join(folder, 'nothing.sock') });
      const welcome = () => workbench.welcome('Containers');
      await until(async () => (await welcome()).includes('leads to another engine'), 'a hint');
      await shot('other-engine');
      await press('Use the command line’s engine');
      await until(async () => !(await welcome()).includes('leads to another'), 'no hint');
      await nothingAt('none.sock', 'DOCKER_HOST');
    });

    it('is chosen by keyboard from an address that is tried first', async () => {
      const { quick, notices, page } = workbench;
      const button = workbench
        .pane('Containers')
        .getByRole('button', { name: 'Choose an Engine…' });
      const keys = new Keys(workbench);
      await keys.run('Focus on Containers View');
      await until(async () => {
        if (await button.and(page.locator(':focus')).isVisible()) return true;
        await keys.press('Tab');
        return false;
      }, 'the focus on the button');
      await keys.press('Enter');
      await quick.asks('Choose an engine that was found, or enter an address');
      await shot('choose');
      await page.keyboard.press('Enter');
      await quick.asks('Where does the engine listen?');
      await page.keyboard.type(join(folder, 'nobody.sock'));
      await page.keyboard.press('Enter');
      const { message, buttons } = await notices.modal();
      assert.match(message, /nobody\.sock could not be reached$/);
      assert.deepEqual([...buttons].sort(), ['Cancel', 'Edit…', 'Use Anyway']);
      await page.keyboard.press('Enter');
      await quick.asks('Where does the engine listen?');
      assert.equal(await quick.box.inputValue(), join(folder, 'nobody.sock'));
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type(engine.socket);
      await page.keyboard.press('Enter');
      await says(workbench, 'Containers', lab.name('next'), /^Up/);
    });
  });
});
