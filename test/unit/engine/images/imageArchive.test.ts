import assert from 'node:assert/strict';
import { saveImages } from '../../../../src/engine/images/imageArchive.ts';
import { tar, type Entry } from '../../../bed/tar.ts';
import { openLab, type Lab } from '../../support/lab.ts';

const file = (name: string, data: string): Entry => ({
  ...{ name, kind: 'file', data: Buffer.from(data) },
});
const manifest = (...Layers: readonly string[]): Entry =>
  file('manifest.json', JSON.stringify([{ Config: 'config.json', Layers }]));
const MISSING = { name: 'ImageContentError', problem: 'missingLayers' };

describe('engine/imageArchive: save', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  /** Saves an archive that arrives in small chunks of odd length. Returns how many bytes arrived. */
  const save = async (...entries: readonly Entry[]): Promise<number> => {
    const archive = tar(entries);
    const { connection } = await lab.fake((_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-tar' });
      for (let at = 0; at < archive.length; at += 777)
        response.write(archive.subarray(at, at + 777));
      response.end();
    });
    let size = 0;
    for await (const chunk of await saveImages(connection, ['me/app:1'])) size += chunk.length;
    assert.equal(size, archive.length);
    return size;
  };

  it('is complete if it has all that its manifest lists, wherever that is', async () => {
    const config = file('config.json', '{}');
    const layer = file('a/layer.tar', 'x'.repeat(2000));
    await save(config, layer, manifest('a/layer.tar'));
    await save(manifest('./a/layer.tar'), layer, config);
    const link: Entry = { name: 'b/layer.tar', kind: 'link', target: '../a/layer.tar' };
    await save(config, layer, link, manifest('a/layer.tar', 'b/layer.tar'));
  });

  it('is incomplete without a layer, a configuration, or a manifest', async () => {
    const config = file('config.json', '{}');
    const layer = file('a.tar', 'x');
    await assert.rejects(save(config, layer, manifest('a.tar', 'b.tar')), MISSING);
    await assert.rejects(save(layer, manifest('a.tar')), MISSING);
    await assert.rejects(save(config, layer), MISSING);
  });

  it('is incomplete without any image', async () => {
    await assert.rejects(save(file('manifest.json', '[]')), MISSING);
  });

  it('is incomplete without a layer of a platform that only the OCI layout lists', async () => {
    const blob = (name: string, data: string): Entry => file(`blobs/sha256/${name}`, data);
    const descriptor = (name: string) => ({ digest: `sha256:${name}` });
    const other = { config: descriptor('c2'), layers: [descriptor('l2')] };
    const own = [file('config.json', '{}'), file('a.tar', 'x'), manifest('a.tar')];
    const listed = [...own, blob('m2', JSON.stringify(other)), blob('c2', '{"config":{}}')];
    await save(...listed, blob('l2', '{'.repeat(5000)));
    await assert.rejects(save(...listed), MISSING);
    const layers = [{ ...descriptor('far'), urls: ['https://registry.test/far'] }];
    await save(...own, blob('c2', '{}'), blob('m2', JSON.stringify({ ...other, layers })));
  });

  it('of an engine that writes only an OCI layout is accepted', async () => {
    await save(file('index.json', '{}'), file('blobs/sha256/1', 'x'));
  });
});
