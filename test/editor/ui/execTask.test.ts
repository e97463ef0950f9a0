// A command in a running container as a task: its problems, its exit code, and how it gets into tasks.json.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { Keys } from './keys.ts';
import { says, terminalText } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';
const OVERVIEW = 'Select an option to change, or continue';

/** A test run that fails, as linters write it. */
const FAILING = `#!/bin/sh
echo running in $PWD
echo "/app/src/sum.js: line 3, col 10, Error - expected 4, got $SUM (sum)" >&2
exit 3
`;

describeWindow(`a command as a task, on ${KIND}`, { isJourney: true }, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let keys: Keys;
  let name: string;

  const shot = (what: string): Promise<void> => workbench.shot(`exec-task-${KIND}/${what}`);
  const tasksFile = (): string => join(window.folder, '.vscode', 'tasks.json');
  const settingsFile = (): string => join(window.folder, '.vscode', 'settings.json');
  const problem = () =>
    workbench.page.locator('.markers-panel .monaco-list-row', { hasText: 'expected 4, got 5' });
  const runTask = async (label: string): Promise<void> => {
    await keys.run('Run Task', 'Tasks');
    await keys.choose('Select the task to run', label);
  };

  before(async () => {
    ({ workbench } = window);
    keys = new Keys(workbench);
    const { folder } = window;
    for (const sub of ['src', '.vscode']) mkdirSync(join(folder, sub), { recursive: true });
    writeFileSync(join(folder, 'test.sh'), FAILING);
    writeFileSync(
      join(folder, 'src', 'sum.js'),
      '// Adds.\nfunction sum(a, b) {\n  return a + b + 1;\n}\n',
    );
    const file = join(folder, 'compose.yaml');
    const project = lab.name('shop');
    writeFileSync(file, `name: ${project}\nservices: { web: { image: x } }\n`);
    writeFileSync(tasksFile(), TASKS);
    // VS Code reads the settings of a folder together with its tasks, and their effect is visible.
    writeFileSync(settingsFile(), JSON.stringify({ 'window.title': `tasks of ${project}` }));
    name = await started(folder, file, project);
    await until(async () => (await workbench.page.title()).includes(project), 'the tasks are read');
    await says(workbench, 'Containers', 'web', /^Up/);
  });

  after(() => {
    for (const file of [settingsFile(), tasksFile()]) rmSync(file, { force: true });
  });

  beforeEach(function () {
    // After a failed step, the remaining ones are skipped.
    if (this.currentTest?.parent?.tests.some(({ state: one }) => one === 'failed')) this.skip();
  });

  const started = async (folder: string, file: string, project: string): Promise<string> => {
    const container = `${project}-web-1`;
    await lab.ask('POST', `/containers/create?name=${container}`, {
      Image: lab.image,
      Cmd: ['sleep', '100000'],
      StopSignal: 'SIGKILL',
      Labels: {
        'com.docker.compose.project': project,
        'com.docker.compose.service': 'web',
        'com.docker.compose.container-number': '1',
        'com.docker.compose.config-hash': 'hash',
        'com.docker.compose.project.config_files': file,
        'com.docker.compose.project.working_dir': folder,
      },
      HostConfig: { Binds: [`${folder}:/app`] },
    });
    await lab.start(container);
    return container;
  };

  it('has its failure in Problems, at the line of the file in the workspace', async () => {
    await runTask('tests');
    await until(
      async () => (await terminalText(workbench)).includes('exit code: 3'),
      'the exit code',
    );
    const shown = (await terminalText(workbench)).replaceAll('\n', '');
    assert.ok(shown.includes(`> sh test.sh (in ${name})`), shown);
    assert.ok(shown.includes('running in /app'), shown);
    assert.ok(shown.includes(`${window.folder}/src/sum.js: line 3, col 10`), shown);
    await shot('terminal');
    await keys.run('Focus on Problems View', 'Problems');
    await problem().filter({ hasText: 'Ln 3, Col 10' }).waitFor();
    await shot('problems');
    await problem().dblclick();
    await workbench.page.locator('.tab.active', { hasText: 'sum.js' }).waitFor();
    await shot('file');
  });

  it('is saved from the row of its container, and keeps what is in the file', async () => {
    await workbench.openView('Gantry');
    await workbench.contextMenu(workbench.row('web', 'Containers'), 'More', 'Run Command...');
    await keys.enter(/Program and arguments/, 'sh test.sh --all');
    await workbench.quick.asks(OVERVIEW);
    await shot('form');
    await keys.choose(OVERVIEW, 'Problem matcher');
    await keys.choose('Problem matcher', '$eslint-compact');
    await keys.choose(OVERVIEW, 'Working directory');
    await keys.enter(/Working directory/, '/app');
    await keys.choose(OVERVIEW, 'Save as Task...');
    await workbench.page.locator('.tab.active', { hasText: 'tasks.json' }).waitFor();
    await until(() => readFileSync(tasksFile(), 'utf8').includes('--all'), 'the file is saved');
    await shot('saved');
    const saved = readFileSync(tasksFile(), 'utf8');
    assert.ok(saved.startsWith(TASKS.slice(0, TASKS.lastIndexOf('}', TASKS.length - 8))), saved);
    const added = JSON.parse(
      saved.slice(saved.lastIndexOf('    {'), saved.lastIndexOf(']')),
    ) as object;
    assert.deepEqual(added, {
      label: 'web: sh test.sh --all',
      type: 'gantry.exec',
      service: 'web',
      command: ['sh', 'test.sh', '--all'],
      folder: '/app',
      problemMatcher: ['$eslint-compact'],
    });
  });

  it('runs from there, and is ended with its terminal', async () => {
    writeFileSync(join(window.folder, 'test.sh'), 'sleep 4321');
    await runTask('web: sh test.sh --all');
    const isRunning = async () => (await lab.run(name, 'ps -o args')).includes('sleep 4321');
    await until(isRunning, 'the process in the container');
    await shot('running');
    await keys.run('Terminate Task', 'Tasks');
    await keys.choose('Select a task to terminate', 'web: sh test.sh --all');
    await until(async () => !(await isRunning()), 'the process in the container has ended');
  });
});

const TASKS = `{
  // Tasks of the shop.
  "version": "2.0.0",
  "tasks": [
    {
      "label": "tests", // in the container
      "type": "gantry.exec",
      "service": "web",
      "command": "sh test.sh",
      "folder": "/app",
      "env": ["SUM=5"],
      "problemMatcher": "$eslint-compact"
    }
  ]
}
`;
