import assert from 'node:assert/strict';
import { join } from 'node:path';
import { startEngineOf, type BedEngine } from '../../bed/engines.ts';
import { BED_IMAGE, importBusybox } from '../../bed/images.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { Keys } from './keys.ts';
import { Lab } from './lab.ts';
import { gone, says, seen } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] === 'podman' ? 'podman' : 'docker';

describeWindow(`the views when something is wrong, on ${KIND}`, { isJourney: true }, (window) => {
  let folder: string;
  let workbench: Workbench;
  const shot = (name: string): Promise<void> => workbench.shot(`states-${KIND}/${name}`);

  /**
   * Asserts that the Containers view shows the problem with Retry and Diagnose, and the Images view shows one
   * line.
   */
  const welcomes = async (words: RegExp, line = words): Promise<void> => {
    await until(async () => {
      const text = await workbench.welcome('Containers');
      return [words, /Retry/, /Diagnose Connection/].every((part) => part.test(text));
    }, `Containers: ${words.source}`);
    await until(async () => line.test(await workbench.message('Images')), `Images: ${line.source}`);
    assert.equal(await workbench.welcome('Images'), '');
  };

  /** Sets an address at which nothing listens, and waits until the views show that. */
  const leave = async (): Promise<void> => {
    await window.changeSettings({ 'gantry.host': join(folder, 'none.sock') });
    await welcomes(
      /^The socket of the container engine does not exist/,
      /^Cannot connect to unix:\/\/.*\/none\.sock \(from gantry\.host\)\.$/,
    );
  };

  const details = (): Promise<void> =>
    workbench.quick.run('Gantry Engines: Show Connection Details');

  const press = (button: string): Promise<void> =>
    workbench
      .pane('Containers')
      .locator('.welcome-view-content')
      .getByRole('button', { name: button, exact: true })
      .click();

  before(() => ({ folder, workbench } = window));

  describe('without an engine', () => {
    it('show that nothing listens at the address, and where the address comes from', async () => {
      await leave();
      assert.match(await workbench.welcome('Containers'), /the setting gantry\.host\./);
      const title = workbench.pane('Containers').locator('.pane-header .description');
      assert.equal(await title.innerText(), `unix://${join(folder, 'none.sock')}`);
      await shot('absent');
      await details();
      const { message, detail } = await workbench.notices.modal();
      assert.match(message, /socket .*none\.sock not found/);
      assert.match(detail, /none\.sock/);
      await shot('absent-details');
      await workbench.notices.answer('Cancel');
    });
  });

  describe('with an engine that starts and stops', () => {
    let engine: BedEngine;
    let lab: Lab;

    before(async () => {
      engine = await startEngineOf(KIND);
      lab = new Lab({ socket: engine.socket, image: BED_IMAGE });
    });

    after(() => engine.stop());

    it('connect after a settings change without a reload, and show that the engine is empty', async () => {
      await window.changeSettings({ 'gantry.host': engine.socket });
      const containers = () => workbench.welcome('Containers');
      await until(
        async () => (await containers()).includes('no containers yet'),
        'no containers yet',
      );
      const images = () => workbench.welcome('Images');
      await until(async () => (await images()).includes('no images yet'), 'no images yet');
      await shot('empty');
      await press('Create Container...');
      await workbench.quick.asks('Create Container');
      await workbench.quick.cancel();
    });

    it('show that the filter hides everything, and offer to clear it', async () => {
      await importBusybox(engine);
      const name = await lab.exited('over', 0);
      await says(workbench, 'Containers', name, /^Exited \(0\)/);
      await workbench.titleAction('Containers', 'Filter and Sort... (/)');
      await workbench.quick.pick('Filter and Sort', 'Hide Stopped Containers');
      const welcome = () => workbench.welcome('Containers');
      await until(
        async () => (await welcome()).includes('Stopped containers are hidden'),
        'the welcome text says that all are hidden',
      );
      await shot('all-hidden');
      await press('Show Stopped Containers');
      await seen(workbench, 'Containers', name);
    });

    it('keep the rows with a message when the engine is lost, and remove the message when it is back', async () => {
      const name = lab.name('over');
      await seen(workbench, 'Containers', name);
      await engine.kill();
      const message = () => workbench.message('Containers');
      await until(
        async () => (await message()).includes('Connection lost'),
        'the message is shown',
      );
      assert.equal(
        await workbench.message('Images'),
        '',
        'only the Containers view shows the message',
      );
      await seen(workbench, 'Containers', name);
      const diagnose = workbench.pane('Containers').getByRole('button', { name: /^Diagnose/ });
      await until(() => diagnose.isVisible(), 'Diagnose is shown in the title of the view');
      await shot('lost');
      const keys = new Keys(workbench);
      await keys.focus('Containers', name);
      await keys.run('Diagnose Connection', 'Gantry Engines');
      await workbench.page.getByRole('tab', { name: /Diagnosis of engines\.txt/ }).waitFor();
      const report = workbench.page.locator('.editor-instance .view-lines').first();
      await until(
        async () => /diagnosis.of.engines/.test(await report.innerText()),
        'the report is shown',
      );
      await workbench.closeEditors();
      await engine.restart();
      await until(async () => (await message()) === '', 'the message is removed');
      await seen(workbench, 'Containers', name);
      const next = await lab.running('next');
      await says(workbench, 'Containers', next, /^Up/);
      await lab.ask('DELETE', `/containers/${name}`);
      await gone(workbench, 'Containers', name);
      await shot('back');
    });

    it('remove all rows when another address is set', async () => {
      const name = lab.name('next');
      await seen(workbench, 'Containers', name);
      await leave();
      await gone(workbench, 'Containers', name);
      await until(async () => (await workbench.badge('Gantry')) === '', 'the badge is removed');
    });

    it('have a button to choose an engine that the keyboard can reach', async () => {
      const { quick, page } = workbench;
      const button = workbench.pane('Containers').getByRole('button', { name: 'Select Engine...' });
      const keys = new Keys(workbench);
      await keys.run('Focus on Containers View');
      await until(async () => {
        if (await button.and(page.locator(':focus')).isVisible()) return true;
        await keys.press('Tab');
        return false;
      }, 'the button has the focus');
      await keys.press('Enter');
      await quick.asks(/Select an engine or enter an address|No engine was found/);
      await shot('choose');
      await quick.cancel();
    });

    // Must be the last test, because here VS Code itself writes the settings file that the tests write.
    it('show that the Docker CLI uses another engine, and switch to it on a click', async () => {
      const name = await window.lab.running('cli');
      const welcome = () => workbench.welcome('Containers');
      await until(
        async () => (await welcome()).includes('uses a different engine'),
        'the hint is shown',
      );
      await shot('other-engine');
      await press("Use the Docker CLI's Engine");
      await until(
        async () => !(await welcome()).includes('uses a different engine'),
        'the hint is removed',
      );
      await seen(workbench, 'Containers', name);
    });
  });
});
