import assert from 'node:assert/strict';
import type { TaskDefinition } from 'vscode';
import type { EngineChoice } from '../../../src/commands/frame/engineChoice.ts';
import { InputError } from '../../../src/engine/errors.ts';
import type * as taskModule from '../../../src/tasks/execTasks.ts';
import '../support/fakeEditor.ts';
import { tasks as editorTasks, type Task } from '../support/fakeVscode.ts';
import { when } from '../support/lab.ts';

describe('the tasks with a command in a container', () => {
  let tasks: taskModule.ExecTasks;
  let asked: unknown[];
  let notes: string[];

  beforeEach(async () => {
    asked = [];
    notes = [];
    const forArgument = (...given: unknown[]): never => {
      asked.push(given);
      throw new InputError('no engine');
    };
    const begin = ({ name }: { readonly name: string }) => {
      notes.push(name);
      return { [Symbol.dispose]: () => undefined };
    };
    const { ExecTasks } = await import('../../../src/tasks/execTasks.ts');
    tasks = new ExecTasks({ forArgument } as unknown as EngineChoice, { begin });
  });

  const resolve = (fields: object): Task | undefined => {
    const definition: TaskDefinition = { type: 'gantry.exec', ...fields };
    return tasks.resolveTask({ definition, name: 'job', scope: undefined } as never) as unknown as
      | Task
      | undefined;
  };

  /** Runs a task to its end. */
  const run = async (task: Task): Promise<{ readonly text: string; readonly code: unknown }> => {
    const pty = await task.execution.callback(task.definition);
    let text = '';
    let code: unknown;
    pty.onDidWrite((part) => (text += part));
    pty.onDidClose?.((ended) => (code = ended));
    pty.open(undefined);
    await when(() => code !== undefined);
    return { text, code };
  };

  it('end with the reason and code 125 if they cannot be run', async () => {
    for (const [fields, reason] of [
      [{ service: 'web', command: ['x'], engine: 'far' }, 'no engine'],
      [{ service: 'web' }, '"command" is required'],
    ] as const) {
      const task = resolve(fields) ?? assert.fail();
      assert.deepEqual(task.problemMatchers, []);
      const { text, code } = await run(task);
      assert.equal(code, 125);
      assert.ok(text.includes(reason), text);
    }
    assert.deepEqual(asked, [['far', undefined]]);
  });

  it('are not resolved for a run of a command', () => {
    assert.equal(resolve({ run: 'x' }), undefined);
  });

  it('of a command have nothing of it in their definitions, which VS Code keeps', async () => {
    let started: Task | undefined;
    const executeTask = (task: Task): Promise<unknown> => {
      started = task;
      return run(task);
    };
    Object.assign(editorTasks, { executeTask });
    try {
      const code = await tasks.run({
        title: 'web:\nnpm test',
        engine: 'far',
        container: 'abc',
        command: ['x', '--token', 'secret'],
        problemMatcher: ['$tsc'],
      });
      assert.equal(code, 125);
    } finally {
      Reflect.deleteProperty(editorTasks, 'executeTask');
    }
    const { name, definition, problemMatchers } = started ?? assert.fail();
    assert.deepEqual(Object.keys(definition), ['type', 'run']);
    assert.deepEqual([problemMatchers, name.includes('\n')], [['$tsc'], false]);
    assert.deepEqual(asked, [['far', 'abc']]);
    assert.deepEqual(notes, []);
    // Rerun Last Task of VS Code calls the same execution again.
    const { text, code } = await run(started ?? assert.fail());
    assert.equal(code, 125);
    assert.ok(text.includes('no engine'), text);
    assert.equal(asked.length, 2);
  });
});
