import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { tar } from '../../../bed/tar.ts';
import { refusal, run } from '../kit/commands.ts';
import { raw } from '../kit/engine.ts';
import { useLab } from '../kit/lab.ts';

describe('images', () => {
  const lab = useLab('images');

  it('are committed, tagged, listed, and removed tag by tag', async () => {
    const container = await lab.ended(['sh', '-c', 'echo kept > /file'], 'source');
    const repository = `localhost/${lab.name()}`;
    const { imageId } = await run('containers.commit', { id: container, repository });
    const first = `${repository}:latest`;
    assert.deepEqual(await run('images.tag', { id: imageId, repository, tag: '2' }), {
      outcome: 'tagged',
    });
    const list = await run('images.list', {});
    assert.deepEqual(JSON.parse(JSON.stringify(list)), list);
    const one = list.find(({ id }) => id === imageId);
    assert.deepEqual([...(one?.tags ?? [])].sort(), [`${repository}:2`, first]);
    const { steps, madeFrom } = await run('images.history', { id: first });
    assert.ok(steps.length >= 2 && madeFrom.length > 0, `${steps.length}, ${madeFrom.join()}`);
    assert.deepEqual(
      await run('images.inspect', { id: first }),
      await raw('GET', `/images/${first}/json`),
    );
    await run('containers.create', { image: first, name: lab.name('user') });
    const remove = (id: string): Promise<unknown> => run('images.remove', { id });
    assert.deepEqual(await remove(`${repository}:2`), { outcome: 'untagged' });
    await refusal(remove(first), /us(?:ed|ing)/);
    await run('containers.remove', { id: lab.name('user') });
    assert.deepEqual(await remove(first), { outcome: 'removed' });
    assert.deepEqual(await remove(imageId), { outcome: 'alreadyGone' });
  });

  it('are imported from a file, saved to one, and loaded again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gantry-images-'));
    try {
      const path = join(folder, 'rootfs.tar');
      const data = Buffer.from(lab.name());
      writeFileSync(path, tar([{ name: 'proof', kind: 'file', data }]));
      const name = `localhost/${lab.name()}:1`;
      const { imageId } = await run('images.import', { path, repository: name });
      const archive = join(folder, 'image.tar');
      const saved = await run('images.save', { id: name, path: archive });
      assert.deepEqual(saved, { path: archive, size: readFileSync(archive).length });
      await run('images.remove', { id: name });
      assert.deepEqual(await run('images.load', { path: archive }), { images: [name] });
      for (const id of [name, imageId]) {
        await run('images.copyId', { id });
        assert.equal(await vscode.env.clipboard.readText(), imageId);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
