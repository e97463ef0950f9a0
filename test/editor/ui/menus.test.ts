// The menus as VS Code shows them, and how much room the views have.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { saveAs } from './forms.ts';
import { imageLabel, says, seen } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';

const PROJECT = 'com.docker.compose.project';
const SERVICE = 'com.docker.compose.service';
const VIEWS = ['Containers', 'Images', 'Builds', 'Volumes', 'Networks'];
const OF_CONTAINER = ['Show Details', 'Open Shell (exec)', 'Browse Files'];
const REST = ['Compose', 'Image', 'Network', 'Copy', 'More', 'Rename...', 'Remove...'];

describeWindow(`menus, on ${KIND}`, { size: { width: 1280, height: 900 } }, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  const shot = (name: string): Promise<void> => workbench.shot(`menus-${KIND}/${name}`);
  const row = (name: string) => workbench.row(name, 'Containers');

  before(() => ({ workbench } = window));

  /** Opens the menu of a row and a submenu of it as a person does, and keeps a picture. Resolves to the entries, with those of the submenu below it. */
  const look = async (at: Locator, name: string, submenu?: string): Promise<readonly string[]> => {
    const { page, menus } = workbench;
    const { entries } = menus;
    await until(async () => {
      await at.locator('.label-name').click({ button: 'right', timeout: 2000 });
      return entries.first().isVisible();
    }, `the menu of ${name}`);
    if (submenu !== undefined) {
      await entries.filter({ hasText: submenu }).last().hover();
      await page.locator('.monaco-submenu').waitFor();
    }
    await shot(name);
    const labels = (await entries.locator('.action-label').allInnerTexts()).map((one) =>
      one.trim(),
    );
    for (let left = 3; left > 0 && (await entries.count()) > 0; left--)
      await page.keyboard.press('Escape');
    return labels;
  };

  it('are short, and have what is needed rarely in submenus', async () => {
    const project = lab.name('shop');
    const labels = (service: string) => ({
      [PROJECT]: project,
      [SERVICE]: service,
      'com.docker.compose.config-hash': 'hash',
    });
    await lab.running('web', { labels: labels('web'), port: 80 });
    const worker = await lab.running('worker', { labels: labels('worker') });
    await says(workbench, 'Containers', project, /^2 of 2 up/);
    assert.deepEqual(await look(row('web'), 'container', 'More'), [
      ...['Stop', 'Restart', 'Show Logs', 'Show Details', 'Open in Browser', 'Open Shell (exec)'],
      ...['Browse Files', ...REST.slice(0, -2)],
      ...['Pause', 'Kill', 'Open Log Viewer', 'Open Shell with Options...', 'Run Command...'],
      ...['Attach to Main Process', 'Attach Visual Studio Code', 'Inspect', 'Show Statistics'],
      ...['Duplicate...', 'Duplicate and Run', 'Export File System...'],
      ...['Save as Compose Service...', 'Pin', ...REST.slice(-2)],
    ]);
    await look(row('web'), 'container-compose', 'Compose');
    await look(row('web'), 'container-copy', 'Copy');
    await look(row(project), 'project-compose', 'Compose');
    assert.deepEqual(await look(row(project), 'project', 'More'), [
      ...['Stop', 'Restart', 'Open Log Viewer', 'Compose', 'More'],
      ...[
        'Pause',
        'Kill',
        'Pull Images',
        'Show Statistics',
        'Open in Browser',
        'Remove Containers...',
        'Pin',
        'Down...',
      ],
    ]);
    await lab.ask('POST', `/containers/${worker}/pause`);
    await says(workbench, 'Containers', 'worker', /^Paused/);
    const paused = await look(row('worker'), 'container-paused');
    assert.deepEqual(
      paused.filter((one) => !REST.includes(one) && !OF_CONTAINER.includes(one)),
      ['Unpause', 'Stop', 'Restart', 'Show Logs'],
    );
    const several = await look(row(project), 'project-paused');
    assert.ok(several.includes('Unpause') && !several.includes('Start'));
    await row('worker').hover();
    await shot('paused-buttons');
    await workbench.inlineAction(row('worker'), 'Unpause');
    await says(workbench, 'Containers', 'worker', /^Up/);
    await lab.ask('POST', `/containers/${worker}/stop?t=0`);
    await says(workbench, 'Containers', project, /^1 of 2 up/);
    await look(row('worker'), 'container-stopped');
  });

  it('attach VS Code and export files, in the submenu for what is needed rarely', async () => {
    const volume = await lab.volume('data');
    const name = await lab.running('web', { volume });
    await says(workbench, 'Containers', name, /^Up/);
    await workbench.contextMenu(row(name), 'More', 'Attach Visual Studio Code');
    const told = await workbench.notices.says(/^Attaching to/);
    assert.equal(told, `Attaching to ${await lab.id(name)}`);
    await workbench.notices.clear();
    await workbench.contextMenu(row(name), 'More', 'Export File System...');
    await workbench.notices.dialog.waitFor();
    await shot('export');
    await workbench.notices.answer('Export');
    const path = await saveAs(workbench, window.folder, 'web.tar');
    await workbench.notices.says(/^Exported /);
    await shot('exported');
    assert.ok(statSync(path).size > 1024);
    await workbench.notices.clear();
  });

  it('of images, volumes, networks and views are short, too', async () => {
    const image = await lab.tag('web');
    const volume = await lab.volume('data');
    const network = await lab.network('front');
    await seen(workbench, 'Images', imageLabel(image));
    assert.deepEqual(await look(workbench.row(imageLabel(image), 'Images'), 'image', 'More'), [
      ...['Create Container...', 'Show Details', 'Show History', 'Browse Files'],
      ...['Pull Again', 'Push', 'Tag...', 'Copy', 'More', 'Compare with Base Image', 'Inspect'],
      ...(KIND === 'docker' ? ['Check for Newer Image'] : []),
      ...['Save to Tar Archive...', 'Remove...'],
    ]);
    await workbench.expand('Volumes', true);
    await workbench.expand('Networks', true);
    assert.deepEqual(await look(workbench.row(volume, 'Volumes'), 'volume', 'More'), [
      ...['Browse Files', 'Inspect', 'Show Details', 'Export to File...', 'Copy Name', 'More'],
      ...['Import from File...', 'Clone...', 'Empty...', 'Remove...'],
    ]);
    assert.deepEqual(await look(workbench.row(network, 'Networks'), 'network'), [
      ...['Connect...', 'Inspect', 'Show Details', 'Copy Name', 'Remove...'],
    ]);
    await workbench.titleAction('Volumes', 'Clean Up...');
    await workbench.page.getByRole('tab', { name: 'Clean Up' }).waitFor();
    await shot('clean-up-volumes');
    await workbench.closeEditors();
  });

  it('leave the views their room: Containers have the most, also while Files is open', async () => {
    const name = await lab.running('web');
    await says(workbench, 'Containers', name, /^Up/);
    for (const view of VIEWS) await workbench.expand(view, true);
    await workbench.contextMenu(row(name), 'Browse Files');
    await seen(workbench, 'Files', 'etc');
    const titles = await workbench.sideBar.locator('.pane-header .title').allInnerTexts();
    assert.deepEqual(
      titles.map((title) => title.trim()),
      VIEWS,
    );
    const [containers = 0, ...others] = await Promise.all(
      VIEWS.map(async (view) => (await workbench.pane(view).boundingBox())?.height ?? 0),
    );
    await shot('room');
    assert.ok(containers > Math.max(...others), `${containers} of ${others.join()}`);
    await workbench.inlineAction(workbench.row(name, 'Files'), 'Close Files');
    for (const view of VIEWS.slice(2)) await workbench.expand(view, false);
  });
});
