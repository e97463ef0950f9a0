import assert from 'node:assert/strict';
import { imageViewCommands } from '../../../../src/commands/images/imageViewCommands.ts';
import { Arrangements } from '../../../../src/views/arrangement/arrangements.ts';
import { fakeMemento, runAsEditor } from '../../support/commandLab.ts';
import { settle } from '../../support/lab.ts';

describe('the commands that set how images are shown', () => {
  it('replace what was chosen for the workspace', async () => {
    const set: unknown[] = [];
    const settings = { setImages: (...args: unknown[]) => Promise.resolve(void set.push(args)) };
    const arrangements = new Arrangements(fakeMemento(), () => ({ groupBy: 'registry' }));
    arrangements.show('images', { groupBy: 'repository', sortBy: 'size' });
    const commands = imageViewCommands({ settings: settings as never }, { arrangements });
    runAsEditor(commands, 'gantry.images.groupByRegistry');
    await settle();
    assert.deepEqual(set, [['groupBy', 'registry']]);
    const { groupBy, sortBy } = arrangements.of('images');
    assert.deepEqual([groupBy, sortBy], ['registry', 'size']);
  });
});
