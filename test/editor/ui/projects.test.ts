import assert from 'node:assert/strict';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { gone, says } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';
const COMPOSE = 'com.docker.compose';

/** Is healthy once the container gets a signal. The check waits for that, because one failure is final. */
const SIGNALED = 'trap "touch /ready" USR1; touch /trap; while :; do sleep 0.1; done';
const CHECK = 'until test -e /ready; do sleep 0.1; done';

describeWindow(`the rows of a compose project, on ${KIND}`, {}, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  before(() => ({ workbench } = window));

  const row = (name: string) => workbench.row(name, 'Containers');
  const shot = (name: string): Promise<void> => workbench.shot(`projects-${KIND}/${name}`);

  it('start it in order, report what they wait for, and take it down', async () => {
    const project = lab.name('shop');
    const create = (
      service: string,
      number: number,
      depends = '',
      work = 'sleep 1000',
      health = '',
    ) =>
      lab.create(`shop-${service}-${number}`, {
        labels: {
          [`${COMPOSE}.project`]: project,
          [`${COMPOSE}.config-hash`]: 'hash',
          [`${COMPOSE}.service`]: service,
          [`${COMPOSE}.container-number`]: String(number),
          [`${COMPOSE}.depends_on`]: depends,
        },
        cmd: ['sh', '-c', work],
        ...(health !== '' && { health }),
      });
    const all = await Promise.all([
      create('web', 1, 'db:service_healthy:false'),
      create('web', 2, 'db:service_healthy:false'),
      create('db', 1, '', SIGNALED, CHECK),
    ]);
    await says(workbench, 'Containers', project, /^0 of 3 up$/);
    await workbench.contextMenu(row(project), 'Start');
    await says(workbench, 'Containers', 'web-1', /^waiting for db to be healthy/);
    await says(workbench, 'Containers', project, /^1 of 3 up$/);
    await shot('waiting');
    const rows = await workbench.rows('Containers');
    const at = rows.findIndex(({ label }) => label === project);
    assert.deepEqual(
      rows.slice(at, at + 5).map(({ label, level }) => [label, level]),
      [
        [project, 1],
        ['db', 2],
        ['web', 2],
        ['web-1', 3],
        ['web-2', 3],
      ],
    );
    await until(() => lab.hasFile(all[2], '/trap'), 'the container has set its trap');
    await lab.ask('POST', `/containers/${all[2]}/kill?signal=USR1`);
    await says(workbench, 'Containers', project, /^3 of 3 up$/);
    await workbench.contextMenu(row('web'), 'Stop');
    await says(workbench, 'Containers', 'web', /^0 of 2 up$/);
    await shot('stopped');
    await workbench.contextMenu(row(project), 'Down...');
    await workbench.quick.check('Select volumes and images to also remove', []);
    const { message, detail } = await workbench.notices.modal();
    assert.equal(message, `Take down ${project}?`);
    for (const name of all) assert.ok(detail.includes(name), detail);
    await shot('down');
    await workbench.notices.answer('Take Down');
    await gone(workbench, 'Containers', project);
    await until(async () => !(await lab.has(all[0])), 'the containers are removed');
  });
});
