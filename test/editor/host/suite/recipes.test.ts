import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { bed } from '../../../bed/env.ts';
import { refusal, run } from '../kit/commands.ts';
import { at, inspect } from '../kit/engine.ts';
import { stateOf, useLab } from '../kit/lab.ts';
import { WorkFiles, workFolder } from '../kit/workspace.ts';

describe('recipes', () => {
  const lab = useLab('recipe');
  const files = new WorkFiles();
  afterEach(() => files.clean());
  const { image } = bed();

  it('create a container from a Uri, a path in the workspace, or an absolute path', async () => {
    const uri = files.write('sub/web.container.json', `// web\n{ "image": "${image}", }`);
    for (const argument of [uri, { path: 'sub/web.container.json' }, { path: uri.fsPath }]) {
      const created = await run('recipes.create', argument);
      lab.keep(created.id);
      assert.deepEqual(Object.keys(created).sort(), ['id', 'warnings']);
      assert.equal(await stateOf(created.id), 'created');
    }
  });

  it('start the container if set, with relative mounts and environment variables', async () => {
    process.env['GANTRY_TEST_WORD'] = 'from outside';
    const name = lab.name();
    const uri = files.write('sub/web.container.json', {
      ...{ image, name, start: true, cmd: ['sleep', '1000'], stopSignal: 'SIGKILL' },
      env: ['WORD=${env:GANTRY_TEST_WORD}'],
      mounts: ['./data:/data', '${workspaceFolder}:/work:ro'],
    });
    await run('recipes.create', uri);
    assert.equal(await stateOf(name), 'running');
    const made = await inspect(name);
    assert.ok((at(made, 'Config', 'Env') as readonly string[]).includes('WORD=from outside'));
    const folder = workFolder().uri.fsPath;
    const binds = at(made, 'HostConfig', 'Binds') as readonly string[];
    assert.ok(
      binds.some((bind) => bind.startsWith(`${folder}/sub/data:/data`)),
      String(binds),
    );
    assert.ok(
      binds.some((bind) => bind.startsWith(`${folder}:/work:ro`)),
      String(binds),
    );
  });

  it('are read with their unsaved changes', async () => {
    const uri = files.write('web.container.json', '{ "image": 7 }');
    const document = await vscode.workspace.openTextDocument(uri);
    const edit = new vscode.WorkspaceEdit();
    const all = new vscode.Range(0, 0, document.lineCount, 0);
    edit.replace(uri, all, JSON.stringify({ image, name: lab.name() }));
    await vscode.workspace.applyEdit(edit);
    const { id } = await run('recipes.create', uri);
    assert.equal(await stateOf(id), 'created');
    await document.save();
  });

  it('are saved from a container, and create an equal one', async () => {
    const id = await lab.container(['sleep', '7'], 'origin', {
      Env: ['PLAIN=1', 'API_TOKEN=hush'],
      HostConfig: { OomScoreAdj: 100, Binds: ['/tmp:/there:ro'] },
    });
    const path = files.path('saved.container.json');
    const saved = await run('recipes.save', { id, path });
    assert.deepEqual(saved, { path, hidden: ['API_TOKEN'], left: ['OomScoreAdj'] });
    const recipe = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    // Podman does not preserve the order.
    const env = [...(recipe['env'] as readonly string[])].sort();
    assert.deepEqual(env, ['API_TOKEN=${env:API_TOKEN}', 'PLAIN=1']);
    assert.deepEqual([recipe['cmd'], recipe['mounts']], [['sleep', '7'], ['/tmp:/there:ro']]);
    await refusal(run('recipes.save', { id, path }), /already exists/);
    await run('recipes.save', { id, path, overwrite: true, hide: [] });
    assert.match(readFileSync(path, 'utf8'), /API_TOKEN=hush/);
    const renamed = { ...recipe, name: lab.name('again'), env: ['PLAIN=1'] };
    const again = await run('recipes.create', files.write('again.container.json', renamed));
    assert.deepEqual(at(await inspect(again.id), 'Config', 'Cmd'), ['sleep', '7']);
  });
});
