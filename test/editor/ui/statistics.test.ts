// CPU and memory in the rows of a real engine, switched on and off by the button of the view.
import assert from 'node:assert/strict';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { Keys } from './keys.ts';
import { says, seen } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';
/** Uses as much of a processor as it gets, and 30 MB. */
const LOAD = 'dd if=/dev/zero of=/dev/shm/load bs=1M count=30; while :; do :; done';

describeWindow(`statistics, on ${KIND}`, { isLast: true }, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let keys: Keys;

  before(() => {
    ({ workbench } = window);
    keys = new Keys(workbench);
  });

  const shot = (name: string) => workbench.shot(`statistics-${KIND}/${name}`);

  it('are in the rows after the button, with sums, and gone after the next', async () => {
    const project = lab.name('shop');
    const labels = (service: string) => ({
      'com.docker.compose.project': project,
      'com.docker.compose.service': service,
      'com.docker.compose.config-hash': 'x',
    });
    await lab.running('load', { cmd: ['sh', '-c', LOAD], labels: labels('load') });
    await lab.running('web', { labels: labels('web') });
    const idle = await lab.running('idle');
    await seen(workbench, 'Containers', 'load');
    await workbench.titleAction('Containers', 'Show CPU and Memory');
    await says(workbench, 'Containers', 'load', /^\d\d+% · 3\d MiB · Up/);
    const spoken = await workbench.row('load', 'Containers').getAttribute('aria-label');
    assert.match(spoken ?? '', /^Container load-\S+, running \d/);
    assert.doesNotMatch(spoken ?? '', /%/);
    await says(workbench, 'Containers', idle, /^[\d.]+% · [\d.]+ [KM]iB · Up/);
    await says(workbench, 'Containers', project, /^\d\d+% · 3\d MiB · 2 of 2 up/);
    await shot('rows');
    await keys.focus('Containers', 'load');
    await keys.run('Hide CPU and Memory', 'Gantry Containers');
    await says(workbench, 'Containers', 'load', /^Up/);
    await says(workbench, 'Containers', project, /^2 of 2 up/);
  });

  it('sort the rows', async () => {
    const names: string[] = [];
    for (const what of ['a-idle', 'b-idle']) names.push(await lab.running(what));
    names.push(await lab.running('c-load', { cmd: ['sh', '-c', LOAD] }));
    for (const name of names) await seen(workbench, 'Containers', name);
    await keys.focus('Containers', names[0] ?? '');
    await keys.press('/');
    await workbench.quick.pick('Filter and Sort', 'Sort by: Name');
    await workbench.quick.pick('Sort By', 'CPU');
    await says(workbench, 'Containers', names[2] ?? '', /^\d\d+% · /);
    const order = async () => {
      const rows = await workbench.rows('Containers');
      return rows.map(({ label }) => label).filter((label) => names.includes(label));
    };
    await until(async () => (await order())[0] === names[2], 'the busy container is first');
    await shot('sorted');
    await keys.run('Hide CPU and Memory', 'Gantry Containers');
    await until(async () => (await order()).join() === names.join(), 'sorted by name');
  });
});
