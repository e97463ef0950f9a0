import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { act, shown } from '../../support/fakeEditor.ts';
import { json } from '../../support/fakeEngine.ts';
import { Uri, workspace } from '../../support/fakeVscode.ts';
import { give } from '../../support/scriptedUi.ts';

const ID = 'c'.repeat(64);

describe('creating a container from a recipe', () => {
  let lab: CommandLab;
  let folder: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-recipes-'));
    lab = await openCommandLab(({ path }, response) => {
      if (path.endsWith('/start')) json(response, 500, { message: 'port is already allocated' });
      else json(response, 201, { Id: ID, Warnings: [] });
    });
    const command = await import('../../../../src/commands/recipes/createFromRecipeCommand.ts');
    lab.register([command.createFromRecipeCommand()]);
    act();
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await lab.close();
  });

  /** Runs the command as the editor title button of this file does. */
  async function create(name: string, text: string): Promise<Uri> {
    const uri = Uri.file(join(folder, name));
    writeFileSync(uri.fsPath, text);
    await lab.handlerOf('gantry.recipes.create')(uri, { groupId: 0 });
    return uri;
  }

  it('shows the error, with a button that opens the recipe at its position', async () => {
    const text = '{\n  "image": "a",\n  "ports": ["x"]\n}\n';
    const uri = await create('bad.container.json', text);
    const [message] = lab.ui.shown;
    assert.equal(message?.kind, 'error');
    assert.match(message.text, /^bad\.container\.json:3:13: "x" is not a port\./);
    assert.deepEqual(message.buttons, ['Open']);
    await message.press?.('Open');
    assert.equal(shown().at(-1)?.text, `${uri.toString()}:2:12`);
    assert.deepEqual(lab.engine.seen, []);
  });

  it('names in Restricted Mode the proxies that the container gets, without their values', async () => {
    await lab.close();
    const proxies = () => Promise.resolve({ HTTP_PROXY: 'http://me:pw@p', NO_PROXY: 'n' });
    lab = await openCommandLab((_, response) => json(response, 500, {}), { window: { proxies } });
    const command = await import('../../../../src/commands/recipes/createFromRecipeCommand.ts');
    lab.register([command.createFromRecipeCommand()]);
    lab.ui.act(give(undefined));
    workspace.isTrusted = false;
    try {
      await create('web.container.json', '{ "image": "a" }');
    } finally {
      workspace.isTrusted = true;
    }
    const [question] = lab.ui.of('confirm');
    const lines = question?.detail?.split('\n');
    assert.deepEqual(lines, ['Image: a', 'Proxies of the Docker CLI: HTTP_PROXY, NO_PROXY']);
    assert.deepEqual(lab.engine.seen, []);
  });

  it('reveals the created container, without a message', async () => {
    await create('web.container.json', '// a recipe\n{ "image": "a", "name": "web" }\n');
    const [request] = lab.engine.seen;
    assert.equal(request?.query.get('name'), 'web');
    assert.deepEqual(lab.revealed, [ID]);
    assert.deepEqual(
      lab.ui.shown.map(({ kind }) => kind),
      ['progress'],
    );
  });

  it('reveals a container that could not be started, and offers to remove it', async () => {
    await create('web.container.json', '{ "image": "a", "start": true }');
    const message = lab.ui.shown.at(-1);
    assert.match(message?.text ?? '', /^Created c+, but could not start it: .*already allocated/);
    assert.deepEqual([lab.revealed, message?.buttons], [[ID], ['Remove']]);
    await message?.press?.('Remove');
    assert.deepEqual(
      lab.engine.seen.map(({ method, path }) => `${method} ${path.replace(ID, 'c')}`).slice(-1),
      ['DELETE /containers/c'],
    );
  });
});
