// Tasks on a compose project, and its item in the status bar.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow, PLUGINS_FOLDER } from './describeWindow.ts';
import { Keys } from './keys.ts';
import { gone, says } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';

/** Checked often until it is healthy. */
const HEALTH = {
  test: 'test -f /ready',
  interval: '1h',
  start_period: '1m',
  start_interval: '200ms',
};

describeWindow(`tasks on a compose project, on ${KIND}`, { isJourney: true }, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let keys: Keys;
  let project: string;

  const shot = (name: string): Promise<void> => workbench.shot(`compose-tasks/${name}`);
  const state = (service: string): Promise<string> => lab.state(`${project}-${service}-1`);
  const item = () => workbench.page.locator('#gantry\\.gantry\\.gantry\\.project');
  const settingsFile = (): string => join(window.folder, '.vscode', 'settings.json');
  const runTask = async (label: string): Promise<void> => {
    await keys.run('Run Task', 'Tasks');
    await keys.choose('Select the task to run', label);
  };

  before(async function () {
    // Distributions differ in what they have.
    if (KIND !== 'docker' || !existsSync(join(PLUGINS_FOLDER, 'docker-compose'))) this.skip();
    ({ workbench } = window);
    keys = new Keys(workbench);
    project = lab.name('shop');
    writeFileSync(join(window.folder, 'compose.yaml'), composeFile(project, lab.image));
    writeTasks(window.folder, lab.name('done'), lab.image);
    // VS Code reads the settings of a folder together with its tasks, and their effect is visible.
    const settings = { 'window.title': `tasks of ${project}` };
    writeFileSync(settingsFile(), JSON.stringify(settings));
    const { page } = workbench;
    await until(async () => (await page.title()).includes(project), 'the tasks are read');
  });

  after(() => rmSync(settingsFile(), { force: true }));

  beforeEach(function () {
    // After a failed step, the remaining ones are skipped.
    if (this.currentTest?.parent?.tests.some(({ state: one }) => one === 'failed')) this.skip();
  });

  it('run what depends on them once the project is healthy and Compose watches', async () => {
    await runTask('debug');
    await says(workbench, 'Containers', lab.name('done'), /^Exited \(0\)/);
    assert.deepEqual([await state('db'), await state('web')], ['running', 'running']);
    await shot('debug');
    await keys.run('Terminate Task', 'Tasks');
    await workbench.quick.cancel();
  });

  it('are shown in the status bar', async () => {
    await until(async () => (await item().textContent())?.trim() === `${project} 2/2`, 'all up');
    await shot('status');
    await lab.ask('POST', `/containers/${project}-web-1/stop`);
    await until(async () => (await item().textContent())?.includes(' 1/2'), 'one is down');
  });

  it('have a menu there, by a click and by keyboard', async () => {
    await item().click();
    await workbench.quick.pick('Select what to do', 'Start');
    await until(async () => (await state('web')) === 'running', 'the project was started');
    await item().filter({ hasText: '2/2' }).waitFor();
    await item().locator('a').focus();
    await keys.press('Enter');
    await workbench.quick.asks('Select what to do');
    await shot('menu');
    await keys.choose('Select what to do', 'Show in Containers');
    await until(
      async () => (await workbench.rows('Containers')).some(({ selected }) => selected),
      'a row of the project is selected',
    );
  });

  it('end with Down', async () => {
    await runTask('down');
    await gone(workbench, 'Containers', project);
    await until(async () => !(await item().isVisible()), 'the status bar says nothing');
  });
});

function composeFile(name: string, image: string): string {
  const sleeping = { image, stop_signal: 'SIGKILL', command: ['sleep', '100000'] };
  const services = {
    db: {
      ...sleeping,
      command: ['sh', '-c', 'sleep 1; touch /ready; sleep 100000'],
      healthcheck: HEALTH,
    },
    web: { ...sleeping, develop: { watch: [{ action: 'sync', path: './app', target: '/app' }] } },
  };
  return stringify({ name, services }, { aliasDuplicateObjects: false });
}

function writeTasks(folder: string, name: string, image: string): void {
  const compose = (label: string, fields: object) => ({ type: 'gantry.compose', label, ...fields });
  const tasks = [
    compose('up', { command: 'up', waitFor: 'healthy' }),
    compose('watch', { command: 'watch', dependsOn: 'up' }),
    compose('down', { command: 'down' }),
    {
      ...{ type: 'gantry', label: 'debug', dependsOn: ['watch'], problemMatcher: [] },
      ...{ image, name, cmd: ['true'] },
    },
  ];
  mkdirSync(join(folder, 'app'));
  mkdirSync(join(folder, '.vscode'));
  const file = join(folder, '.vscode', 'tasks.json');
  writeFileSync(file, JSON.stringify({ version: '2.0.0', tasks }));
}
