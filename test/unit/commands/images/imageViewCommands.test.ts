import assert from 'node:assert/strict';
import type { Command } from '../../../../src/commands/frame/command.ts';
import { imageViewCommands } from '../../../../src/commands/images/imageViewCommands.ts';
import { runAsEditor } from '../../support/commandLab.ts';
import { settle } from '../../support/lab.ts';
import { ESCAPE, give, ScriptedUi, type Answer } from '../../support/scriptedUi.ts';

describe('the image filter', () => {
  let ui: ScriptedUi;
  let commands: readonly Command[];
  beforeEach(() => {
    ui = new ScriptedUi();
    commands = imageViewCommands(ui);
  });

  const filter = async (answer: Answer) => {
    ui.act(answer);
    runAsEditor(commands, 'gantry.images.filter');
    await settle();
  };

  it('shows the images with the text in their names, until it is cleared', async () => {
    await filter(give(' app '));
    const [shown] = ui.of('input');
    assert.equal(shown?.text, 'Filter Images');
    assert.equal(ui.filter, 'app');
    runAsEditor(commands, 'gantry.images.clearFilter');
    assert.equal(ui.filter, '');
  });

  it('applies while the user types, and Escape restores the previous filter', async () => {
    ui.filter = 'before';
    await filter((shown) => {
      assert.equal(shown.input?.value, 'before');
      shown.input.onType?.('web');
      assert.equal(ui.filter, 'web');
      return ESCAPE(shown);
    });
    assert.equal(ui.filter, 'before');
  });
});
