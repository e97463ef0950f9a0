import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { saveImagesCommand } from '../../../../src/commands/images/saveImagesCommand.ts';
import { ImageNode } from '../../../../src/views/images/imageNode.ts';
import { UnfinishedWork } from '../../../../src/files/unfinishedWork.ts';
import { partPath } from '../../../../src/base/writeAtomically.ts';
import { image } from '../../inventory/support/nouns.ts';
import {
  fakeMemento,
  imageRow,
  openCommandLab,
  type CommandLab,
} from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';
import { file, give, type Answer } from '../../support/scriptedUi.ts';
import { packed } from '../../support/tars.ts';

describe('commands/saveImagesCommand', () => {
  let lab: CommandLab;
  let folder: string;
  let archive: Buffer;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-save-'));
    archive = await packed([{ name: 'index.json', size: 1500 }]);
    lab = await openCommandLab((_request, response) => {
      response.end(archive);
    });
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await lab.close();
  });

  const save = (...answers: readonly Answer[]) => {
    lab.ui.act(...answers);
    const row = imageRow(image('a', { tags: ['ghcr.io/me/web:1'] }));
    return lab.run(saveImagesCommand(), row);
  };

  it('writes the chosen file, and reports how large it is', async () => {
    const path = join(folder, 'saved.tar');
    const saved = await save(give(file(path)));
    assert.deepEqual(lab.ui.of('error'), []);
    assert.deepEqual(saved, { path, size: archive.length });
    assert.deepEqual(readFileSync(path), archive);
    const [dialog] = lab.ui.of('saveDialog');
    assert.deepEqual([dialog?.text, dialog?.detail], ['Save ghcr.io/me/web:1', 'web-1.tar']);
    assert.equal(lab.ui.of('info')[0]?.text, `Saved ghcr.io/me/web:1 (3.1 kB) to ${path}`);
    assert.equal(lab.engine.seen[0]?.query.get('names'), 'ghcr.io/me/web:1');
  });

  it('reports that the engine does not have all layers, and leaves no file', async () => {
    archive = await packed([{ name: 'blobs/sha256/1', size: 1500 }]);
    const path = join(folder, 'saved.tar');
    await save(give(file(path)));
    const [error] = lab.ui.of('error');
    assert.match(error?.text ?? '', /The engine does not have all layers of the image\./);
    assert.deepEqual([readdirSync(folder), lab.ui.of('info')], [[], []]);
  });

  it('does not leave out images of another engine without a word', async () => {
    const far = image('b', { tags: ['far:1'] });
    const rows = [imageRow(image('a')), new ImageNode('podman', far, 'far:1')];
    await lab.run(saveImagesCommand(), ...rows);
    const [error] = lab.ui.of('error');
    assert.equal(
      error?.text,
      'Select images of one engine only. An archive has images of one engine.',
    );
    assert.deepEqual([lab.ui.of('saveDialog'), lab.engine.seen], [[], []]);
  });

  it('leaves to the next window what it needs to clean up, if this one ends first', async () => {
    const memory = fakeMemento();
    const asked = Promise.withResolvers<undefined>();
    const cut = await openCommandLab(
      (_request, response) => {
        response.write(archive.subarray(0, 600));
        asked.resolve(undefined);
      },
      { window: { work: new UnfinishedWork(memory) } },
    );
    const path = join(folder, 'saved.tar');
    cut.ui.act(give(file(path)));
    const saving = cut.run(saveImagesCommand(), imageRow(image('a', { tags: ['web:1'] })));
    await asked.promise;
    const [left] = new UnfinishedWork(memory).left;
    const part = partPath(path, left?.file?.token ?? '');
    assert.equal(left?.name, 'web:1');
    assert.deepEqual(left.again, {
      command: 'gantry.images.save',
      argument: { ids: ['web:1'], path, overwrite: false, engine: 'Docker' },
      asks: false,
    });
    assert.deepEqual(readdirSync(folder), [basename(part)]);
    cut.ui.cancel();
    await saving;
    await cut.close();
    assert.deepEqual(new UnfinishedWork(memory).left, []);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('replaces a file for a caller only if that is allowed', async () => {
    const path = join(folder, 'saved.tar');
    writeFileSync(path, 'mine');
    const call = (more: object) => lab.call(saveImagesCommand(), { id: 'me/web:1', path, ...more });
    lab.engine.answer((request, response) => {
      if (request.path.endsWith('/json')) json(response, 200, { Id: image('a').id, RepoTags: [] });
      else response.end(archive);
    });
    await assert.rejects(call({}), /already exists/);
    assert.equal(readFileSync(path, 'utf8'), 'mine');
    assert.deepEqual(await call({ overwrite: true }), { path, size: archive.length });
    assert.deepEqual(readdirSync(folder), ['saved.tar']);
    await assert.rejects(call({ ids: ['a'] }), /set either "id" or "ids"/);
  });

  it('sends no request if the user cancels', async () => {
    assert.equal(await save(), undefined);
    assert.deepEqual(lab.engine.seen, []);
    assert.deepEqual(lab.ui.of('info'), []);
  });
});
