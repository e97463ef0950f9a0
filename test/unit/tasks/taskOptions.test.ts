import assert from 'node:assert/strict';
import { InputError } from '../../../src/engine/errors.ts';
import {
  inputEnd,
  readTaskOptions,
  taskArguments,
  type TaskOptions,
} from '../../../src/tasks/taskOptions.ts';

const read = (definition: Record<string, unknown>): TaskOptions =>
  readTaskOptions({ type: 'gantry', ...definition }, () => undefined);
const refuses = (definition: Record<string, unknown>, words: RegExp): void => {
  assert.throws(
    () => read(definition),
    (error) => error instanceof InputError && words.test(error.message),
  );
};

describe('tasks/taskOptions', () => {
  it('has the least intrusive defaults', () => {
    const wishes = { fields: { image: 'a' }, remove: false, pull: 'missing' };
    assert.deepEqual(read({ image: 'a' }), wishes);
  });

  it('separates the options of the task from those of the container', () => {
    const own = { recipe: 'x.container.json', engine: 'e', remove: 'onSuccess', pull: 'never' };
    assert.deepEqual(read({ ...own, env: ['A=1'] }), { ...own, fields: { env: ['A=1'] } });
  });

  it('parses a command line', () => {
    const { fields } = read({ image: 'a', command: "sh -c 'exit 3'" });
    assert.deepEqual(fields, { image: 'a', cmd: ['sh', '-c', 'exit 3'] });
  });

  it('names the invalid field', () => {
    refuses({}, /needs a "recipe" or an "image"/);
    refuses({ image: 'a', remove: 'always' }, /"remove" must be one of true, false, "onSuccess"/);
    refuses({ image: 'a', pull: true }, /"pull" must be one of/);
    refuses({ recipe: 7 }, /"recipe" must be a string/);
    refuses({ image: 'a', command: "'" }, /Missing closing quotation mark/);
    refuses({ image: 'a', command: 'b', cmd: ['b'] }, /both "command" and "cmd"/);
  });

  it('removes the container itself if the recipe has autoRemove', () => {
    const { args, isRemoved } = taskArguments({
      image: 'a',
      autoRemove: true,
      start: true,
      restart: 'no',
      name: 'b',
    });
    assert.deepEqual([args, isRemoved], [{ image: 'a', name: 'b' }, true]);
  });

  it('closes stdin with the input, unless there is a TTY', () => {
    assert.deepEqual(inputEnd({ image: 'a', openStdin: true }), { StdinOnce: true });
    assert.deepEqual(inputEnd({ image: 'a', openStdin: true, tty: true }), {});
    assert.deepEqual(inputEnd({ image: 'a' }), {});
  });

  it('rejects a restart policy', () => {
    assert.throws(() => taskArguments({ image: 'a', restart: 'always' }), InputError);
  });
});
