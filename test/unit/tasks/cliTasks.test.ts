import assert from 'node:assert/strict';
import type { CliTasks } from '../../../src/tasks/cliTasks.ts';
import '../support/fakeEditor.ts';
import { tasks } from '../support/fakeVscode.ts';

describe('the tasks that run programs', () => {
  let programs: CliTasks;
  let started: number;
  beforeEach(async () => {
    started = 0;
    Object.assign(tasks, { executeTask: () => Promise.resolve(void started++) });
    programs = new (await import('../../../src/tasks/cliTasks.ts')).CliTasks();
  });
  afterEach(() => Reflect.deleteProperty(tasks, 'executeTask'));

  it('do not start if they are canceled before', async () => {
    const call = { file: 'docker', args: ['up'], env: {}, variables: {} };
    const options = { type: 'gantry-compose', title: 'up', linesOf: (line: string) => [line] };
    assert.equal(await programs.run(call, { ...options, signal: AbortSignal.abort() }), 125);
    assert.equal(started, 0);
  });
});
