import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import type { Command } from '../../../src/commands/frame/command.ts';
import type { CommandId } from '../../../src/commands/ui/ui.ts';
import { openCommandLab, type CommandLab } from '../support/commandLab.ts';
import { manifest, root } from '../support/manifest.ts';

describe('commands/commands', () => {
  let lab: CommandLab;
  let parts: never;
  beforeEach(async () => {
    lab = await openCommandLab((_, response) => {
      response.writeHead(404).end();
    });
    const unused = (): Promise<object> => Promise.resolve({});
    parts = { ...lab.context, reviews: unused, rows: {} } as never;
  });
  afterEach(() => lab.close());

  it('have every command of the manifest, and no other', async () => {
    const { Commands } = await import('../../../src/commands/commands.ts');
    const all = new Commands(parts);
    const declared = manifest.contributes.commands.map(({ command }) => command as CommandId);
    for (const id of declared) assert.equal(typeof (await all.handlerOf(id)), 'function', id);
    const lists = globSync('src/commands/*/commands.ts', { cwd: root }).map(async (file) => {
      const { commands } = (await import(`../../../${file}`)) as {
        readonly commands: (parts: never) => Promise<readonly Command[]>;
      };
      return commands(parts);
    });
    const ids = (await Promise.all(lists)).flat().map(({ id }) => id);
    assert.deepEqual(ids.sort(), declared.sort());
  });
});
