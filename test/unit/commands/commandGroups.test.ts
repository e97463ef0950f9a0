import assert from 'node:assert/strict';
import { COMMAND_IDS } from '../../../src/commands/commandIds.ts';
import { openCommandLab, type CommandLab } from '../support/commandLab.ts';

describe('commands/commandGroups', () => {
  let lab: CommandLab;
  beforeEach(async () => {
    lab = await openCommandLab((_, response) => {
      response.writeHead(404).end();
    });
  });
  afterEach(() => lab.close());

  it('load every command', async () => {
    const { CommandGroups } = await import('../../../src/commands/commandGroups.ts');
    const unused = (): Promise<object> => Promise.resolve({});
    const late = { reviews: unused, compose: unused, upChanges: unused, tabs: unused };
    const groups = new CommandGroups({ ...lab.context, ...late } as never);
    for (const id of COMMAND_IDS) assert.equal(typeof (await groups.handlerOf(id)), 'function', id);
  });
});
