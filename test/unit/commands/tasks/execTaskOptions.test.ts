import assert from 'node:assert/strict';
import { readExecTaskOptions } from '../../../../src/commands/tasks/execTaskOptions.ts';

describe('the definition of a task in a container', () => {
  const read = (fields: object) => readExecTaskOptions({ type: 'gantry.exec', ...fields });

  it('names a service or a container, and a command in words or as a line', () => {
    const defaults = { env: [], tty: false, mapPaths: true };
    assert.deepEqual(read({ service: 'web', command: ['npm', 'run', 'a b'] }), {
      ...defaults,
      target: { service: 'web' },
      command: ['npm', 'run', 'a b'],
    });
    assert.deepEqual(read({ container: 'c', command: `sh -c 'a | b' "$X"` }), {
      ...defaults,
      target: { container: 'c' },
      command: ['sh', '-c', 'a | b', '$X'],
    });
    const all = {
      user: '1:1',
      folder: '/app',
      env: ['A='],
      tty: true,
      mapPaths: false,
      engine: 'e',
    };
    assert.deepEqual(read({ project: 'p', service: 's', command: ['x'], ...all }), {
      ...all,
      target: { service: 's', project: 'p' },
      command: ['x'],
    });
  });

  const refused: readonly [fields: object, message: RegExp][] = [
    [{ service: 'web' }, /"command" is required/],
    [{ service: 'web', command: 7 }, /"command" must be a string or an array of strings/],
    [{ service: 'web', command: [7] }, /"command" must be a string or an array of strings/],
    [{ service: 'web', command: [] }, /"command" names no program/],
    [{ service: 'web', command: '  ' }, /"command" names no program/],
    [{ service: 'web', command: "'a" }, /closing quotation mark/],
    [{ command: ['x'] }, /Set either "service" or "container"/],
    [{ command: ['x'], service: 's', container: 'c' }, /Set either "service" or "container"/],
    [{ command: ['x'], service: ' ' }, /Set either "service" or "container"/],
    [{ command: ['x'], container: 'c', project: 'p' }, /"project" is only for a service/],
    [{ command: ['x'], service: 's', folder: 'src' }, /"folder" must be an absolute path/],
    [{ command: ['x'], service: 's', env: ['A'] }, /"env" must have the form NAME=value/],
    [{ command: ['x\0'], service: 's' }, /NUL/],
    [{ command: ['x'], service: 's', shell: true }, /unknown property "shell"/],
  ];
  for (const [fields, message] of refused) {
    it(`is refused as ${JSON.stringify(fields)}`, () => {
      assert.throws(() => read(fields), message);
    });
  }
});
