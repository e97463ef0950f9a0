import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TargetCall } from '../../../../src/commands/command.ts';
import type { CommandContext } from '../../../../src/commands/context.ts';
import type * as recipeFiles from '../../../../src/commands/recipes/recipeFiles.ts';
import type * as command from '../../../../src/commands/recipes/saveRecipeCommand.ts';
import type { CommandTarget } from '../../../../src/commands/targets.ts';
import { InputError } from '../../../../src/engine/errors.ts';
import { act, give } from '../../support/fakeEditor.ts';
import { json } from '../../support/fakeEngine.ts';
import { Uri } from '../../support/fakeVscode.ts';
import { openLab, type Lab } from '../../support/lab.ts';

const ID = 'c'.repeat(64);

describe('recipes as files', () => {
  let files: typeof recipeFiles;
  let saveRecipe: typeof command.saveRecipeCommand;
  before(async () => {
    files = await import('../../../../src/commands/recipes/recipeFiles.ts');
    ({ saveRecipeCommand: saveRecipe } =
      await import('../../../../src/commands/recipes/saveRecipeCommand.ts'));
  });

  let lab: Lab;
  let folder: string;
  beforeEach(() => {
    lab = openLab();
    folder = mkdtempSync(join(tmpdir(), 'gantry-recipes-'));
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await lab.close();
  });

  it('are not read if they have more than 4 MiB', async () => {
    const path = join(folder, 'web.container.json');
    writeFileSync(path, `{ "image": "busybox"${' '.repeat(4 * 1024 * 1024)}}`);
    const refused = new InputError('The recipe web.container.json is too large.');
    await assert.rejects(files.readRecipeFile(await files.findRecipe(path)), refused);
  });

  /** Saves a recipe of a container where the user chooses to. @param meanwhile runs after they chose. */
  async function save(uri: Uri, meanwhile = (): void => undefined): Promise<unknown> {
    const { connection } = await lab.fake((request, response) => {
      if (request.path.startsWith('/images/')) json(response, 200, { Id: 'x', Config: {} });
      else json(response, 200, { Id: ID, Name: '/web', Config: { Image: 'busybox' } });
    });
    const connect = () => Promise.resolve(connection);
    const context = { engine: { connect } } as unknown as CommandContext;
    const target: CommandTarget = { id: ID, name: 'web', context };
    act(give(uri));
    const args = (await saveRecipe.ask?.([target])) ?? assert.fail('was not asked');
    meanwhile();
    const { signal } = new AbortController();
    const call: TargetCall<typeof args> = {
      ...{ args, text: ID, signal, isInteractive: true, connect },
      target: () => Promise.resolve(target),
    };
    return saveRecipe.run(call, context);
  }

  it('are saved over the file that the user agreed to replace', async () => {
    const path = join(folder, 'old.container.json');
    writeFileSync(path, 'old');
    await save(Uri.file(path));
    assert.match(readFileSync(path, 'utf8'), /busybox/);
  });

  it('are not saved over a file that came after the user was asked', async () => {
    const path = join(folder, 'new.container.json');
    const saving = save(Uri.file(path), () => {
      writeFileSync(path, 'of somebody else');
    });
    await assert.rejects(saving, new InputError('new.container.json is there already.'));
    assert.equal(readFileSync(path, 'utf8'), 'of somebody else');
  });

  it('are saved in any file system that the user chooses, but none that a text names', async () => {
    const path = join(folder, 'far.container.json');
    await save(new Uri('vscode-vfs', 'github', path));
    assert(existsSync(path));
    assert.throws(
      () => files.recipeUri(`vscode-vfs://github${path}`),
      /neither on this machine nor/,
    );
  });
});
