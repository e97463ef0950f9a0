import assert from 'node:assert/strict';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { describeWindow } from './describeWindow.ts';
import { gone, says, seen } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';

describeWindow(`the Volumes and Networks views, on ${KIND}`, {}, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  const shot = (name: string): Promise<void> => workbench.shot(`volumes-${KIND}/${name}`);

  before(() => ({ workbench } = window));

  it('follow volumes, networks, and the containers that use them', async () => {
    const volume = await lab.volume('data');
    const network = await lab.network('web');
    await workbench.expand('Volumes', true);
    await workbench.expand('Networks', true);
    await says(workbench, 'Volumes', volume, /^unused$/);
    await says(workbench, 'Networks', network, /^unused/);
    const name = await lab.running('db', { volume, network });
    await says(workbench, 'Volumes', volume, new RegExp(`^used by ${name}$`));
    await says(workbench, 'Networks', network, /^1 container · /);
    await workbench.toggle(workbench.row(network, 'Networks'));
    const { description } = await seen(workbench, 'Networks', name, ({ level }) => level === 2);
    assert.match(description, /^\d+\.\d+\.\d+\.\d+$/);
    await shot('used');
    await lab.ask('POST', `/containers/${name}/stop`);
    await says(workbench, 'Volumes', volume, /\(stopped\)$/);
    await says(workbench, 'Networks', name, /^not running/);
    const later = await lab.volume('later');
    await seen(workbench, 'Volumes', later);
    await lab.clean();
    await gone(workbench, 'Volumes', volume);
    await gone(workbench, 'Networks', network);
  });

  it('connect a container that is dragged onto a network', async () => {
    // Not running: the row of a new run is repainted each second, which can end the drag.
    const name = await lab.create('api');
    const network = await lab.network('front');
    await workbench.expand('Networks', true);
    await says(workbench, 'Networks', network, /^unused/);
    await says(workbench, 'Containers', name, /^Created/);
    await workbench.drag(workbench.row(name, 'Containers'), workbench.row(network, 'Networks'));
    await says(workbench, 'Networks', network, /^1 container · /);
    await lab.clean();
  });
});
