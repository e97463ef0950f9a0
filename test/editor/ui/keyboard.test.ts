// Workflows that use only the keyboard. They show what a pointer hides, such as a list without an active row.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { Keys } from './keys.ts';
import { Lab } from './lab.ts';
import { says, seen } from './seen.ts';

const OVERVIEW = 'Select an option to change, or continue';

describeWindow('using only the keyboard', {}, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let keys: Keys;

  const tasks = new Lab();

  before(() => {
    ({ workbench } = window);
    keys = new Keys(workbench);
    writeTask(window.folder, tasks);
  });

  after(() => tasks.clean());

  it('a container is committed with a name and Enter twice', async () => {
    const name = await lab.running('source');
    await says(workbench, 'Containers', name, /^Up/);
    await keys.focus('Containers', name);
    await keys.run('Commit to Image...', 'Gantry Containers');
    await keys.enter(/: Image$/m, `localhost/${name}:2`);
    await workbench.quick.asks(OVERVIEW);
    await workbench.quick.accept('Commit');
    await seen(workbench, 'Images', `${name}:2`);
    assert.deepEqual(await workbench.notices.outcomes(/^Committing /), []);
  });

  it('a name in use is reported while typing', async () => {
    const name = await lab.running('renamed');
    const other = await lab.create('taken');
    await says(workbench, 'Containers', name, /^Up/);
    await seen(workbench, 'Containers', other);
    await keys.focus('Containers', name);
    await keys.press('F2');
    await workbench.quick.asks(`Rename ${name}`);
    await keys.type(other);
    const problem = `A container named ${other} already exists.`;
    await until(async () => (await workbench.quick.message()).includes(problem), problem);
    await workbench.shot('keyboard/taken');
    await keys.press('Enter');
    await keys.type('-2');
    await until(
      async () => !(await workbench.quick.message()).includes(problem),
      'no problem is shown',
    );
    await keys.press('Enter');
    await says(workbench, 'Containers', `${other}-2`, /^Up/);
  });

  it('keys on a project never act on a container', async () => {
    const project = lab.name('shop');
    const labels = {
      'com.docker.compose.project': project,
      'com.docker.compose.config-hash': 'hash',
      'com.docker.compose.service': 'web',
      'com.docker.compose.container-number': '1',
    };
    const member = await lab.running('shop-web-1', { labels });
    const stranger = await lab.running('a-stranger');
    await seen(workbench, 'Containers', stranger);
    await keys.focus('Containers', project);
    await keys.press('F2');
    await workbench.notices.says('Select only containers.');
    await workbench.notices.clear();
    await keys.focus('Containers', project);
    await keys.press('Delete');
    const { message, detail } = await workbench.notices.modal();
    assert.equal(message, `Take down ${project}?`);
    assert.match(detail, new RegExp(`^Containers to remove: ${member}\\.$`, 'm'));
    await workbench.shot('keyboard/down');
    await keys.press('Escape');
    await workbench.notices.dialog.waitFor({ state: 'hidden' });
    assert.deepEqual([await lab.has(member), await lab.has(stranger)], [true, true]);
  });

  it('a task is run', async () => {
    // At the end of a refresh, VS Code returns the focus to the tree, which would close its list of tasks.
    const rows = async () => (await workbench.rows('Containers')).length;
    await until(async () => (await rows()) === 0, 'the containers of the other tests are gone');
    await keys.run('Run Task', 'Tasks');
    await keys.choose('Select the task to run', 'Hello');
    await says(workbench, 'Containers', tasks.name('made'), /^Exited \(0\)/);
    await workbench.shot('keyboard/task');
  });
});

/** Writes a task that uses a recipe with a name. */
function writeTask(folder: string, lab: Lab): void {
  const recipe = { image: lab.image, name: lab.name('made'), cmd: ['echo', 'hello'] };
  writeFileSync(join(folder, 'web.container.json'), JSON.stringify(recipe));
  mkdirSync(join(folder, '.vscode'));
  const task = { type: 'gantry', label: 'Hello', recipe: 'web.container.json', problemMatcher: [] };
  const file = { version: '2.0.0', tasks: [task] };
  writeFileSync(join(folder, '.vscode/tasks.json'), JSON.stringify(file));
}
