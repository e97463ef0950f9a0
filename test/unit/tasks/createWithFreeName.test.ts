import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/errors.ts';
import type { Container } from '../../../src/engine/model.ts';
import { createWithFreeName } from '../../../src/tasks/createWithFreeName.ts';

describe('tasks/freeName', () => {
  /** An engine with these names, the last of which the list does not have yet. */
  const create = async (
    wanted: string | undefined,
    taken: readonly string[],
  ): Promise<string | undefined> => {
    const { name } = await createWithFreeName(wanted, {
      create: (asked) =>
        asked !== undefined && taken.includes(asked)
          ? Promise.reject(new EngineError('conflict'))
          : Promise.resolve('id'),
      list: () =>
        Promise.resolve(taken.map((one) => ({ name: one, names: [one] }) as unknown as Container)),
    });
    return name;
  };

  it('takes the name that is wanted where it is free', async () => {
    assert.equal(await create('build', []), 'build');
    assert.equal(await create(undefined, []), undefined);
  });

  it('takes the next free one after the container of the last run', async () => {
    assert.equal(await create('build', ['build']), 'build-2');
    assert.equal(await create('build', ['build', 'build-2']), 'build-3');
  });

  it('tells a conflict that is about something else', async () => {
    const conflict = new EngineError('conflict');
    const asked = createWithFreeName('build', {
      create: () => Promise.reject(conflict),
      list: () => Promise.resolve([]),
    });
    await assert.rejects(asked, conflict);
  });
});
