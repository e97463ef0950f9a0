import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { bed } from '../../../bed/env.ts';
import { until } from '../../../bed/until.ts';
import { at, inspect, isThere, statusOf } from '../kit/engine.ts';
import { stateOf, useLab } from '../kit/lab.ts';
import { WorkFiles, workFolder } from '../kit/workspace.ts';

type Definition = Readonly<Record<string, unknown>>;

/** No test looks at a terminal, so VS Code need not draw it. */
const DEFAULTS = { type: 'gantry', problemMatcher: [], presentation: { reveal: 'never' } };

/** Sets a property of tasks.json; undefined removes it. */
function setTasks(property: string, value: unknown): Thenable<void> {
  const settings = vscode.workspace.getConfiguration('tasks', workFolder().uri);
  return settings.update(property, value, vscode.ConfigurationTarget.WorkspaceFolder);
}

/** Runs a task to its end; resolves to its exit code. */
async function runToEnd(task: vscode.Task): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const ended = vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => {
    if (execution.task.name === task.name) resolve(exitCode);
  });
  try {
    await vscode.tasks.executeTask(task);
    return await promise;
  } finally {
    ended.dispose();
  }
}

describe('a container task', () => {
  const lab = useLab('task');
  const files = new WorkFiles();
  const { image } = bed();
  const definitions: Definition[] = [];
  let listed: readonly vscode.Task[] = [];

  /**
   * Adds a task to those of tasks.json; returns its label. All are written at once, because VS Code reads all tasks
   * again after each change.
   */
  const define = (what: string, fields: Definition): string => {
    const label = lab.name(what);
    definitions.push({ ...DEFAULTS, label, image, ...fields });
    return label;
  };
  const taskOf = (label: string): vscode.Task => listed.find(({ name }) => name === label)!;
  const run = (label: string): Promise<number | undefined> => runToEnd(taskOf(label));

  before(async () => {
    await setTasks('version', '2.0.0');
    await setTasks('tasks', definitions);
    await until(async () => {
      listed = await vscode.tasks.fetchTasks({ type: 'gantry' });
      return definitions.every(({ label }) => listed.some(({ name }) => name === label));
    }, 'the tasks are listed');
  });
  afterEach(() => files.clean());
  after(() => setTasks('tasks', undefined));

  const kept = define('kept', { name: lab.name('kept'), cmd: ['sh', '-c', 'exit 3'] });
  it('ends with the exit code of its container, and keeps the container', async () => {
    assert.equal(await run(kept), 3);
    assert.equal(await stateOf(lab.name('kept')), 'exited');
  });

  const terminated = define('terminated', {
    name: lab.name('stopped'),
    cmd: ['sh', '-c', 'trap "exit 7" TERM; touch /ready; while :; do sleep 0.1; done'],
  });
  it('stops its container when it is terminated', async () => {
    const name = lab.name('stopped');
    const execution = await vscode.tasks.executeTask(taskOf(terminated));
    const ready = `/containers/${name}/archive?path=/ready`;
    await until(
      async () => (await statusOf('GET', ready)) === 200,
      'the container has set its trap',
    );
    execution.terminate();
    await until(async () => (await stateOf(name)) === 'exited', 'the container has exited');
    assert.equal(at(await inspect(name), 'State', 'ExitCode'), 7);
  });

  it('is provided for each recipe', async () => {
    const name = lab.name();
    files.write(`ci/${name}.container.json`, { image, name, cmd: ['sh', '-c', 'exit 5'] });
    let given: vscode.Task | undefined;
    await until(async () => {
      const all = await vscode.tasks.fetchTasks({ type: 'gantry' });
      given = all.find((task) => task.name.endsWith(`ci/${name}`));
      return given !== undefined;
    }, 'the recipe is listed as a task');
    assert.equal(await runToEnd(given!), 5);
  });

  const mounts = define('mounts', {
    mounts: ['./:/here:ro', '${workspaceFolder}:/there:ro'],
    cmd: ['sh', '-c', 'test "$(cat /here/input.txt)" = hello && test -f /there/input.txt'],
    remove: true,
  });
  it('mounts a folder relative to the workspace, and resolves variables', async () => {
    files.write('input.txt', 'hello');
    assert.equal(await run(mounts), 0);
  });

  const first = lab.name('first');
  const second = lab.name('second');
  for (const code of [0, 1]) {
    define(`first-${code}`, { remove: true, command: `sh -c 'exit ${code}'` });
    define(`second-${code}`, {
      ...{ name: `${second}-${code}`, command: 'true', dependsOn: `${first}-${code}` },
    });
  }
  it('runs after the task it depends on, but not if that failed', async () => {
    assert.equal(await run(`${second}-0`), 0);
    assert.equal(await stateOf(`${second}-0`), 'exited');
    const failed = new Promise<void>((resolve) => {
      const ended = vscode.tasks.onDidEndTaskProcess(({ execution }) => {
        if (execution.task.name !== `${first}-1`) return;
        ended.dispose();
        resolve();
      });
    });
    // VS Code reports the skipped task in different ways; that no container exists does not change.
    void vscode.tasks.executeTask(taskOf(`${second}-1`)).then(undefined, () => undefined);
    await failed;
    assert.equal(await isThere(`${second}-1`), false);
  });

  const matcher = define('matcher', {
    command: "sh -c 'echo broken.c:1:1: error: it is; exit 1'",
    remove: true,
    problemMatcher: {
      owner: 'test',
      fileLocation: ['relative', '${workspaceFolder}'],
      pattern: {
        regexp: '^(.*):(\\d+):(\\d+): (error): (.*)$',
        ...{ file: 1, line: 2, column: 3, severity: 4, message: 5 },
      },
    },
  });
  it('reports problems with a problem matcher', async () => {
    files.write('broken.c', 'x\n');
    assert.equal(await run(matcher), 1);
    const uri = vscode.Uri.joinPath(workFolder().uri, 'broken.c');
    await until(
      () =>
        Promise.resolve(
          vscode.languages.getDiagnostics(uri).some(({ message }) => message === 'it is'),
        ),
      'the problem is shown',
    );
  });
});
