import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { bed } from '../../../bed/env.ts';
import { tar } from '../../../bed/tar.ts';
import { refusal, run } from '../kit/commands.ts';
import { allImages, at, raw, statusOf } from '../kit/engine.ts';
import { useLab } from '../kit/lab.ts';

describe('images and files', () => {
  const lab = useLab('images');
  let folder: string;

  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'gantry-images-'))));
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const isThere = async (name: string): Promise<boolean> =>
    (await statusOf('GET', `/images/${name}/json`)) === 200;
  const idOf = async (name: string): Promise<string> =>
    `sha256:${String(at(await raw('GET', `/images/${name}/json`), 'Id')).replace('sha256:', '')}`;

  /** Imports an image with one small file through the extension. */
  const imported = async (what: string): Promise<{ name: string; imageId: string }> => {
    const path = join(folder, `${what}.rootfs.tar`);
    const data = Buffer.from(lab.name(what));
    writeFileSync(path, tar([{ name: 'proof', kind: 'file', data }]));
    const name = `localhost/${lab.name(what)}:1`;
    const { imageId } = await run('images.import', { path, repository: name });
    lab.keep(imageId);
    return { name, imageId };
  };

  /** Creates an unused dangling image. */
  const dangling = async (what: string): Promise<string> => {
    const { name, imageId } = await imported(what);
    const other = await imported(`${what}-other`);
    const [repo = ''] = name.split(/:(?=\d)/);
    await raw('POST', `/images/${other.imageId}/tag?repo=${repo}&tag=1`);
    return imageId;
  };

  it('are saved to a file and loaded again, with their tags', async () => {
    const [one, two] = [await imported('one'), await imported('two')];
    const path = join(folder, 'both.tar');
    const saved = await run('images.save', { ids: [one.name, two.name], path });
    assert.deepEqual(saved, { path, size: readFileSync(path).length });
    for (const { name } of [one, two]) await run('images.remove', { id: name });
    assert.equal(await isThere(one.name), false);
    const { images } = await run('images.load', { path });
    assert.deepEqual([...images].sort(), [one.name, two.name].sort());
    assert.equal(await idOf(two.name), two.imageId);
  });

  it('do not overwrite a file unless requested, and leave no file on failure', async () => {
    const { name } = await imported('it');
    const path = join(folder, 'it.tar');
    writeFileSync(path, 'mine');
    await refusal(run('images.save', { id: name, path }), /already/);
    assert.equal(readFileSync(path, 'utf8'), 'mine');
    await run('images.save', { id: name, path, overwrite: true });
    assert.ok(readFileSync(path).length > 1024);
    const missing = join(folder, 'missing.tar');
    await refusal(run('images.save', { id: `localhost/${lab.name('nobody')}`, path: missing }));
    await refusal(
      run('images.save', { id: name, path: join(folder, 'no', 'it.tar') }),
      /" not found/,
    );
    assert.equal(existsSync(missing), false);
    assert.ok(!readdirSync(folder).some((file) => file.endsWith('.part')));
  });

  it('are not loaded from an invalid archive or a missing file', async () => {
    const garbage = join(folder, 'garbage.tar');
    writeFileSync(garbage, 'x'.repeat(5000));
    const empty = join(folder, 'empty.tar');
    writeFileSync(empty, '');
    await assert.rejects(run('images.load', { path: garbage }), /archive|tar/);
    await refusal(run('images.load', { path: empty }), /empty/);
    await refusal(run('images.load', { path: folder }), /folder/);
    await refusal(run('images.load', { path: join(folder, 'none.tar') }), /" not found/);
    await refusal(run('images.load', { path: 'relative.tar' }), /not an absolute file path/);
    await refusal(run('images.load', {}), /"path" or "paths"/);
    await refusal(run('images.save', { path: garbage }), /"id" or "ids"/);
    const repository = `localhost/${lab.name()}`;
    await refusal(run('images.import', { path: empty, repository }), /empty/);
    await refusal(run('images.import', { path: garbage, repository: 'UP' }), /must be lowercase/);
    await refusal(run('images.import', { path: garbage, repository, changes: ['RUN x'] }), /RUN/);
    assert.equal(await isThere(`${repository}:latest`), false);
  });

  it('show their history, their parents, and the containers that use them', async () => {
    const base = await lab.image('1', 'base');
    const container = await lab.ended(['sh', '-c', 'echo more > /f'], 'user');
    const made = `localhost/${lab.name('made')}`;
    await run('containers.commit', { id: container, repository: made, tag: '1' });
    const { steps, madeFrom } = await run('images.history', { id: `${made}:1` });
    assert.ok(steps.length >= 2 && (steps[0]?.size ?? 0) > 0);
    const bases = (await allImages()).find(({ RepoTags }) => RepoTags?.includes(base));
    assert.ok(
      madeFrom.some((name) => bases?.RepoTags?.includes(name)),
      madeFrom.join(),
    );
    const { madeInto, usedBy } = await run('images.history', { id: base });
    assert.ok(madeInto.includes(`${made}:1`), madeInto.join());
    assert.ok(usedBy.includes(lab.name('user')), usedBy.join());
    await refusal(run('images.history', { id: `localhost/${lab.name('nobody')}` }));
  });

  it('are pruned only if nothing uses them', async () => {
    const gone = await dangling('gone');
    const used = await dangling('used');
    await raw('POST', `/containers/create?name=${lab.name('user')}`, { Image: used, Cmd: ['x'] });
    const named = await imported('named');
    const preview = await run('images.prune', { dryRun: true });
    assert.ok(preview.removed.includes(gone));
    assert.ok(!preview.removed.includes(used) && !preview.removed.includes(named.imageId));
    assert.equal(await isThere(gone), true);
    const pruned = await run('images.prune', {});
    assert.ok(pruned.removed.includes(gone));
    assert.deepEqual(pruned.kept, []);
    if (bed().kind === 'docker') assert.ok((pruned.freed ?? 0) > 0);
    assert.equal(await isThere(gone), false);
    assert.equal(await isThere(used), true);
    const all = await run('images.prune', { all: true, dryRun: true });
    assert.ok(all.removed.includes(named.imageId));
    assert.ok(!all.removed.includes(used));
  });

  it('are removed with all tags if requested, but keep all if in use', async () => {
    const { name, imageId } = await imported('named');
    await run('images.tag', { id: name, repository: name.replace(/:1$/, ''), tag: '2' });
    const path = `/containers/create?name=${lab.name('user')}`;
    const { Id } = (await raw('POST', path, { Image: imageId, Cmd: ['x'] })) as { Id: string };
    await refusal(run('images.remove', { id: name, allNames: true }), /container uses/);
    assert.equal(await isThere(name), true);
    await run('containers.remove', { id: Id });
    const removed = await run('images.remove', { id: name, allNames: true });
    assert.deepEqual(removed, { outcome: 'removed' });
    assert.equal(await isThere(imageId), false);
    const again = await run('images.remove', { id: imageId, allNames: true });
    assert.deepEqual(again, { outcome: 'alreadyGone' });
  });

  it('report their disk usage, and copy their ID and digest', async () => {
    const { name, imageId } = await imported('it');
    const { images, size } = await run('images.diskUse', {});
    assert.ok(images > 0 && size > 0);
    await run('images.copyId', { id: name });
    assert.equal(await vscode.env.clipboard.readText(), imageId);
    if (bed().kind === 'docker') {
      await refusal(run('images.copyDigest', { id: name }), /no digest/);
      return;
    }
    await run('images.copyDigest', { id: name });
    assert.match(await vscode.env.clipboard.readText(), /@sha256:[0-9a-f]{64}$/);
  });
});
