import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { bed } from '../../../bed/env.ts';
import { until } from '../../../bed/until.ts';
import { at, inspect, isThere, statusOf } from '../kit/engine.ts';
import { stateOf, useLab } from '../kit/lab.ts';
import { offerInRegistry } from '../kit/registry.ts';
import { WorkFiles, workFolder } from '../kit/workspace.ts';

interface Definition {
  readonly label: string;
  readonly [field: string]: unknown;
}

/** Sets a property of tasks.json; undefined removes it. */
function setTasks(property: string, value: unknown): Thenable<void> {
  const settings = vscode.workspace.getConfiguration('tasks', workFolder().uri);
  return settings.update(property, value, vscode.ConfigurationTarget.WorkspaceFolder);
}

/** Writes tasks to tasks.json as a user does; resolves to the tasks that VS Code reads from it. */
async function tasksOf(...definitions: readonly Definition[]): Promise<readonly vscode.Task[]> {
  const all = definitions.map((one) => ({ type: 'gantry', problemMatcher: [], ...one }));
  await setTasks('tasks', all);
  let found: readonly vscode.Task[] = [];
  await until(async () => {
    found = await vscode.tasks.fetchTasks({ type: 'gantry' });
    return definitions.every(({ label }) => found.some(({ name }) => name === label));
  }, 'the tasks are listed');
  return definitions.map(({ label }) => found.find(({ name }) => name === label)!);
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
  before(() => setTasks('version', '2.0.0'));
  afterEach(() => {
    files.clean();
  });
  // Each test replaces the tasks of the one before.
  after(() => setTasks('tasks', undefined));

  for (const code of [0, 3]) {
    it(`ends with exit code ${code} of its container, and keeps the container`, async () => {
      const [name, label] = [lab.name(), lab.name(`task${code}`)];
      const [task] = await tasksOf({ label, image, name, cmd: ['sh', '-c', `exit ${code}`] });
      assert.equal(await runToEnd(task!), code);
      assert.equal(await stateOf(name), 'exited');
    });
  }

  it('removes its container if requested, or only on success if requested', async () => {
    const end = async (remove: unknown, code: number): Promise<boolean> => {
      const [name, label] = [lab.name(), lab.name(`task-${String(remove)}-${code}`)];
      const [task] = await tasksOf({ label, image, name, remove, command: `sh -c 'exit ${code}'` });
      assert.equal(await runToEnd(task!), code);
      const stays = await isThere(name);
      await lab.clean();
      return stays;
    };
    assert.deepEqual(
      [await end(true, 3), await end('onSuccess', 0), await end('onSuccess', 4)],
      [false, false, true],
    );
  });

  it('stops its container when it is terminated', async () => {
    const [name, label] = [lab.name(), lab.name('terminated')];
    const cmd = ['sh', '-c', 'trap "exit 7" TERM; touch /ready; while :; do sleep 0.1; done'];
    const [task] = await tasksOf({ label, image, name, cmd });
    const execution = await vscode.tasks.executeTask(task!);
    const ready = `/containers/${name}/archive?path=/ready`;
    await until(
      async () => (await statusOf('GET', ready)) === 200,
      'the container has set its trap',
    );
    execution.terminate();
    await until(async () => (await stateOf(name)) === 'exited', 'the container has exited');
    assert.equal(at(await inspect(name), 'State', 'ExitCode'), 7);
  });

  it('pulls a missing image, unless "pull" is "never"', async () => {
    const reference = lab.keep(await offerInRegistry(lab.name('image')));
    const [never, missing] = await tasksOf(
      { label: lab.name('never'), image: reference, command: 'true', pull: 'never', remove: true },
      { label: lab.name('missing'), image: reference, command: 'true', remove: true },
    );
    assert.equal(await runToEnd(never!), 125);
    assert.equal(await runToEnd(missing!), 0);
  });

  it('is provided for each recipe, and its own fields override those of the recipe', async () => {
    const name = lab.name();
    files.write(`ci/${name}.container.json`, { image, name, cmd: ['sh', '-c', 'exit 5'] });
    const label = lab.name('own');
    const recipe = `ci/${name}.container.json`;
    const [own] = await tasksOf({ label, recipe, cmd: ['sh', '-c', 'exit 6'], remove: true });
    assert.equal(await runToEnd(own!), 6);
    let given: vscode.Task | undefined;
    await until(async () => {
      const all = await vscode.tasks.fetchTasks({ type: 'gantry' });
      given = all.find((task) => task.name.endsWith(`ci/${name}`));
      return given !== undefined;
    }, 'the recipe is listed as a task');
    assert.equal(await runToEnd(given!), 5);
  });

  it('mounts a folder relative to the workspace, and resolves variables', async () => {
    files.write('input.txt', 'hello');
    const [task] = await tasksOf({
      label: lab.name('mounts'),
      image,
      mounts: ['./:/here:ro', '${workspaceFolder}:/there:ro'],
      cmd: ['sh', '-c', 'test "$(cat /here/input.txt)" = hello && test -f /there/input.txt'],
      remove: true,
    });
    assert.equal(await runToEnd(task!), 0);
  });

  it('runs after the task it depends on, but not if that failed', async () => {
    const [first, second] = [lab.name('first'), lab.name('second')];
    const build = (code: number): Definition => ({
      ...{ label: `${first}-${code}`, image, remove: true, command: `sh -c 'exit ${code}'` },
    });
    const after = (code: number): Definition => ({
      ...{ label: `${second}-${code}`, name: `${second}-${code}`, image, command: 'true' },
      dependsOn: `${first}-${code}`,
    });
    const tasks = await tasksOf(build(0), after(0), build(1), after(1));
    assert.equal(await runToEnd(tasks[1]!), 0);
    assert.equal(await stateOf(`${second}-0`), 'exited');
    const failed = new Promise<void>((resolve) => {
      const ended = vscode.tasks.onDidEndTaskProcess(({ execution }) => {
        if (execution.task.name !== `${first}-1`) return;
        ended.dispose();
        resolve();
      });
    });
    // VS Code reports the skipped task in different ways; that no container exists does not change.
    void vscode.tasks.executeTask(tasks[3]!).then(undefined, () => undefined);
    await failed;
    assert.equal(await isThere(`${second}-1`), false);
  });

  it('reports problems with a problem matcher', async () => {
    files.write('broken.c', 'x\n');
    const [task] = await tasksOf({
      label: lab.name('matcher'),
      image,
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
    assert.equal(await runToEnd(task!), 1);
    const uri = vscode.Uri.joinPath(workFolder().uri, 'broken.c');
    await until(
      () =>
        Promise.resolve(
          vscode.languages.getDiagnostics(uri).some(({ message }) => message === 'it is'),
        ),
      'the problem is shown',
    );
  });

  it('exits with code 125 to 128 if its definition or its command is invalid', async () => {
    const [restart, field, program] = await tasksOf(
      { label: lab.name('restart'), image, restart: 'always' },
      { label: lab.name('field'), image, ports: ['x'] },
      { label: lab.name('program'), image, command: '/no/such/program', remove: true },
    );
    assert.equal(await runToEnd(restart!), 125);
    assert.equal(await runToEnd(field!), 125);
    const status = await runToEnd(program!);
    assert.ok(status !== undefined && status >= 125 && status <= 128, String(status));
  });
});
