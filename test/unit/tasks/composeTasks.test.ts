import assert from 'node:assert/strict';
import type { TaskDefinition } from 'vscode';
import type { EngineChoice } from '../../../src/commands/frame/engineChoice.ts';
import { InputError } from '../../../src/engine/errors.ts';
import type * as taskModule from '../../../src/tasks/composeTasks.ts';
import '../support/fakeEditor.ts';
import { Uri, workspace, type Task } from '../support/fakeVscode.ts';
import { when } from '../support/lab.ts';

describe('the tasks on compose projects', () => {
  let tasks: taskModule.ComposeTasks;
  let asked: unknown[];
  const root = { uri: Uri.file('/work') };
  const { findFiles, getWorkspaceFolder, asRelativePath } = workspace as unknown as Record<
    string,
    unknown
  >;

  beforeEach(async () => {
    asked = [];
    const forArgument = (engine: unknown): never => {
      asked.push(engine);
      throw new InputError('no engine');
    };
    const { ComposeTasks } = await import('../../../src/tasks/composeTasks.ts');
    tasks = new ComposeTasks({ forArgument } as unknown as EngineChoice);
    const files = ['compose.yaml', 'compose.override.yaml', 'shop/docker-compose.yml'];
    const find = () => Promise.resolve(files.map((name) => Uri.file(`/work/${name}`)));
    const relative = ({ path }: Uri): string => path.replace('/work/', '');
    Object.assign(workspace, {
      ...{ findFiles: find, getWorkspaceFolder: () => root, asRelativePath: relative },
    });
  });
  afterEach(() => Object.assign(workspace, { findFiles, getWorkspaceFolder, asRelativePath }));

  const resolve = (fields: object): Task | undefined => {
    const definition: TaskDefinition = { type: 'gantry.compose', ...fields };
    return tasks.resolveTask({ definition, name: 'job', scope: root } as never) as unknown as Task;
  };

  it('are offered for each compose file, but not for one that overrides another', async () => {
    const offered = (await tasks.provideTasks()) as unknown as readonly Task[];
    assert.deepEqual(
      offered.map(({ name, definition }) => [name, definition]),
      ['compose.yaml', 'shop/docker-compose.yml'].map((file) => [
        `compose up ${file}`,
        { type: 'gantry.compose', command: 'up', files: [file] },
      ]),
    );
  });

  it('are in the background if they watch, with the matcher of the manifest', () => {
    const watch = resolve({ command: 'watch' }) ?? assert.fail();
    assert.deepEqual(
      [watch.isBackground, watch.problemMatchers],
      [true, ['$gantry-compose-watch']],
    );
    const up = resolve({ command: 'up' }) ?? assert.fail();
    assert.deepEqual([up.isBackground, up.problemMatchers], [false, []]);
  });

  it('are not resolved for a run of a command', () => {
    assert.equal(resolve({ run: 'x' }), undefined);
  });

  it('end with the reason and code 125 if they cannot be run', async () => {
    for (const [fields, reason] of [
      [{ command: 'up', engine: 'far' }, 'no engine'],
      [{ command: 'off' }, '"command" must be one of'],
    ] as const) {
      const task = resolve(fields) ?? assert.fail();
      const pty = await task.execution.callback(task.definition);
      let text = '';
      let code: unknown;
      pty.onDidWrite((part) => (text += part));
      pty.onDidClose?.((ended) => (code = ended));
      pty.open(undefined);
      await when(() => code !== undefined);
      assert.equal(code, 125);
      assert.ok(text.includes(reason), text);
    }
    assert.deepEqual(asked, ['far']);
    await tasks.end();
  });
});
