// The form of a new container with what the engine has, and with a folder of this machine.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bed } from '../../bed/env.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { fillIn, openFile, pickRow } from './forms.ts';
import { imageLabel } from './seen.ts';

interface Inspected {
  readonly Mounts: readonly {
    readonly Name?: string;
    readonly Source: string;
    readonly Destination: string;
  }[];
  readonly NetworkSettings: { readonly Networks: object };
}

describeWindow('the form of a new container', { isJourney: true }, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let network = '';
  let volume = '';

  before(async () => {
    ({ workbench } = window);
    network = await lab.network('back');
    volume = await lab.volume('data');
    mkdirSync(join(window.folder, 'site'));
    writeFileSync(join(window.folder, 'site.conf'), 'listen 80\n');
  });

  it('offers the networks and volumes of the engine, and browses for files', async () => {
    const { quick, page } = workbench;
    const name = lab.name('made');
    await workbench.contextMenu(
      workbench.row(imageLabel(bed().image), 'Images').first(),
      'Create Container...',
    );
    await fillIn(workbench, 'Name', name);
    await pickRow(workbench, 'Network');
    await quick.row(network).waitFor();
    await workbench.shot('create-form/networks');
    await quick.typeText(network);
    await quick.pick('Network', network);
    await pickRow(workbench, 'Mounts');
    await quick.row(volume).waitFor();
    await workbench.shot('create-form/mounts');
    await quick.typeText(volume);
    await quick.row(volume).click();
    await until(async () => (await quick.box.inputValue()) === `${volume}:/data`, 'the mount');
    // The path in the container is selected: typing replaces it.
    await page.keyboard.type('/var/lib/app', { delay: 30 });
    assert.equal(await quick.box.inputValue(), `${volume}:/var/lib/app`);
    await page.keyboard.press('Enter');
    await quick.row('Browse for a File...').click();
    const file = join(window.folder, 'site.conf');
    await openFile(workbench, file);
    await until(async () => (await quick.box.inputValue()) === `${file}:/site.conf`, 'the mount');
    await workbench.shot('create-form/target');
    await page.keyboard.press('Enter');
    await quick.row(`${file}:/site.conf`).waitFor();
    await workbench.shot('create-form/done');
    await quick.accept('Done');
    await pickRow(workbench, 'Create');
    await until(() => lab.has(name), 'the container is created');
    const { Mounts, NetworkSettings } = JSON.parse(
      await lab.ask('GET', `/containers/${name}/json`),
    ) as Inspected;
    assert.deepEqual(Object.keys(NetworkSettings.Networks), [network]);
    const mounts = Mounts.map(({ Name = '', Source, Destination }) => {
      return `${Name === '' ? Source : Name}:${Destination}`;
    });
    const wanted = [`${volume}:/var/lib/app`, `${file}:/site.conf`];
    assert.deepEqual(mounts.toSorted(), wanted.toSorted());
  });
});
