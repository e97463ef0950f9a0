import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TargetCall } from '../../../../src/commands/frame/command.ts';
import type { CommandContext } from '../../../../src/commands/frame/commandContext.ts';
import type * as recipeFiles from '../../../../src/commands/recipes/recipeFiles.ts';
import type * as command from '../../../../src/commands/recipes/saveRecipeCommand.ts';
import type { CommandTarget } from '../../../../src/commands/frame/targets.ts';
import { InputError } from '../../../../src/engine/errors.ts';
import { act, give, shown } from '../../support/fakeEditor.ts';
import { json } from '../../support/fakeEngine.ts';
import { Uri, window, workspace } from '../../support/fakeVscode.ts';
import { openLab, type Lab } from '../../support/lab.ts';
import { check, pick, ScriptedUi } from '../../support/scriptedUi.ts';

const ID = 'c'.repeat(64);

describe('recipe files', () => {
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

  it('are not read if they are larger than 4 MiB', async () => {
    const path = join(folder, 'web.container.json');
    writeFileSync(path, `{ "image": "busybox"${' '.repeat(4 * 1024 * 1024)}}`);
    const refused = new InputError('Recipe web.container.json is too large.');
    await assert.rejects(files.readRecipeFile(await files.findRecipe(path)), refused);
  });

  it('are not found by a path that leads to none', async () => {
    await assert.rejects(
      files.findRecipe('no.container.json'),
      new InputError('Recipe no.container.json not found in the workspace.'),
    );
    const path = join(folder, 'no.container.json');
    const refused = new InputError('Recipe no.container.json not found.');
    await assert.rejects(files.readRecipeFile(await files.findRecipe(path)), refused);
  });

  it('are not read if they are links to a device', async function () {
    if (process.platform === 'win32') this.skip();
    const path = join(folder, 'web.container.json');
    symlinkSync('/dev/zero', path);
    const refused = new InputError('Cannot read recipe web.container.json.');
    await assert.rejects(files.readRecipeFile(await files.findRecipe(path)), refused);
  });

  /** Saves a recipe of a container where the user chooses. @param meanwhile runs after the user has chosen. */
  async function save(
    uri: Uri,
    meanwhile = (): void => undefined,
    {
      ui = new ScriptedUi(),
      config = {},
      name = 'web',
    }: { ui?: ScriptedUi; config?: object; name?: string } = {},
  ) {
    const { connection } = await lab.fake((request, response) => {
      if (request.path.startsWith('/images/')) json(response, 200, { Id: 'x', Config: {} });
      else
        json(response, 200, { Id: ID, Name: `/${name}`, Config: { Image: 'busybox', ...config } });
    });
    const connect = () => Promise.resolve(connection);
    const context = { ui, engine: { connect }, window: {} } as unknown as CommandContext;
    const target: CommandTarget = { id: ID, name: 'web', context };
    act(give(uri));
    const args = (await saveRecipe().ask?.([target])) ?? assert.fail('no argument was asked for');
    meanwhile();
    const { signal } = new AbortController();
    const call: TargetCall<typeof args> = {
      ...{ args, text: ID, signal, isInteractive: true, connect },
      target: () => Promise.resolve(target),
    };
    const saved = await saveRecipe().run(call, context);
    return { saved, said: await saveRecipe().message?.(saved, target) };
  }

  it('replace the file that the user agreed to replace', async () => {
    const path = join(folder, 'old.container.json');
    writeFileSync(path, 'old');
    await save(Uri.file(path));
    assert.match(readFileSync(path, 'utf8'), /busybox/);
  });

  it('are written through no link: the link is replaced', async () => {
    const path = join(folder, 'link.container.json');
    const other = join(folder, '.bashrc');
    writeFileSync(other, 'mine');
    symlinkSync(other, path);
    await save(Uri.file(path));
    assert.equal(readFileSync(other, 'utf8'), 'mine');
    assert.match(readFileSync(path, 'utf8'), /busybox/);
  });

  it('do not replace a file that was created after the user was asked', async () => {
    const path = join(folder, 'new.container.json');
    const saving = save(Uri.file(path), () => writeFileSync(path, 'of somebody else'));
    await assert.rejects(saving, new InputError('new.container.json already exists.'));
    assert.equal(readFileSync(path, 'utf8'), 'of somebody else');
  });

  it('are saved without the secrets that the user selects, and then opened', async () => {
    const path = join(folder, 'secret.container.json');
    const config = {
      ...{ Domainname: 'example.org', Labels: { 'db.password': 'in-a-label' } },
      Env: ['API_TOKEN=kept-out', 'DB_PASSWORD=written', 'TZ=UTC'],
    };
    const ui = new ScriptedUi(check('API_TOKEN'));
    const { saved, said } = await save(Uri.file(path), undefined, { ui, config });
    assert.deepEqual(
      ui.of('pickMany').map(({ items = [] }) => items.map(({ label }) => label)),
      [['API_TOKEN', 'DB_PASSWORD']],
    );
    const hidden = ['API_TOKEN'];
    const left = ['Domainname'];
    const suspect = ['db.password'];
    assert.deepEqual(saved, { path, hidden, left, suspect });
    const { env } = JSON.parse(readFileSync(path, 'utf8')) as { env: readonly string[] };
    assert.deepEqual(env, ['API_TOKEN=${env:API_TOKEN}', 'DB_PASSWORD=written', 'TZ=UTC']);
    assert.equal(shown().at(-1)?.text, Uri.file(path).toString());
    assert.equal(
      said,
      'Some container settings cannot be saved. Not included: Domainname. ' +
        'These values may contain secrets. Check them before you share the file: db.password.',
    );
  });

  it('are saved with the name of the container, unless it looks generated', async () => {
    const path = join(folder, 'named.container.json');
    const nameIn = (): unknown =>
      (JSON.parse(readFileSync(path, 'utf8')) as { name?: string }).name;
    const kept = await save(Uri.file(path), undefined, { name: 'web' });
    assert.deepEqual([nameIn(), kept.saved.leftName, kept.said], ['web', undefined, undefined]);
    for (const name of ['focused_curie2', 'my_app']) {
      const { saved, said } = await save(Uri.file(path), undefined, { name });
      assert.deepEqual([nameIn(), saved.leftName], [undefined, name]);
      assert.equal(said, `The name ${name} looks generated and is not in the recipe.`);
    }
  });

  it('are saved by the absolute path or the URI of a file', async () => {
    const path = join(folder, 'plain.container.json');
    const far = new Uri('vscode-vfs', 'github', path);
    assert.deepEqual((await save(Uri.file(path))).saved, { path, hidden: [], left: [] });
    assert.deepEqual((await save(far)).saved, { path: far.toString(), hidden: [], left: [] });
  });

  it('are saved in any file system that the user chooses, but not in any that a text names', async () => {
    const path = join(folder, 'far.container.json');
    await save(new Uri('vscode-vfs', 'github', path));
    assert(existsSync(path));
    assert.throws(
      () => files.recipeUri(`vscode-vfs://github${path}`),
      /is not on this machine or in the workspace/,
    );
  });

  describe('to pick from', () => {
    const { asRelativePath } = workspace;
    let found: readonly Uri[];
    beforeEach(() => {
      Object.assign(workspace, {
        findFiles: () => Promise.resolve(found),
        asRelativePath: ({ path }: Uri) => path.slice(1),
      });
    });
    afterEach(() => {
      Object.assign(workspace, { findFiles: undefined, asRelativePath });
      Object.assign(window, { activeTextEditor: undefined });
    });

    it('are listed by path, that of the active editor first', async () => {
      found = ['web', 'a/db', 'job'].map((name) => Uri.file(`/${name}.container.json`));
      Object.assign(window, { activeTextEditor: { document: { uri: found[2] } } });
      const ui = new ScriptedUi(pick('db.container.json'));
      assert.equal((await files.pickRecipe(ui))?.path, '/a/db.container.json');
      assert.deepEqual(
        ui.shown[0]?.items?.map(({ label, description = '' }) => [label, description]),
        [
          ['job.container.json', ''],
          ['db.container.json', 'a'],
          ['web.container.json', ''],
        ],
      );
    });

    it('may be none, which is shown to the user', async () => {
      found = [];
      const ui = new ScriptedUi();
      assert.equal(await files.pickRecipe(ui), undefined);
      assert.deepEqual(
        ui.shown.map(({ kind, text }) => `${kind}: ${text}`),
        ['info: No recipes in the workspace. Create one: web.container.json.'],
      );
    });
  });
});
