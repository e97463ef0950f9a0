import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { readLayers, type LayerNames } from '../../../src/engine/imageLayers.ts';
import { failedWith } from '../../../src/engine/errors.ts';
import { tar, type Entry } from '../../bed/tar.ts';
import { openLab, type Lab } from '../support/lab.ts';

const file = (name: string, data: Buffer | string = ''): Entry => ({
  ...{ name, kind: 'file', data: Buffer.from(data) },
});
const layer = (...names: readonly string[]): Buffer => tar(names.map((name) => file(name)));
const manifest = (...Layers: readonly string[]): Entry =>
  file('manifest.json', JSON.stringify([{ Layers }]));

describe('engine/imageLayers', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  /** What is read of an archive that comes in pieces of odd sizes. */
  const read = async (archive: Buffer): Promise<readonly LayerNames[]> => {
    const { connection } = await lab.fake((_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-tar' });
      for (let at = 0; at < archive.length; at += 777)
        response.write(archive.subarray(at, at + 777));
      response.end();
    });
    return readLayers(connection, 'me/app:1');
  };

  it('reads layers in the order of the list, wherever that stands', async () => {
    const [one, two] = [file('b/layer.tar', layer('x', 'y')), file('a/layer.tar', layer('z'))];
    const wanted = [['x', 'y'], ['z']];
    const list = manifest('b/layer.tar', 'a/layer.tar');
    assert.deepEqual(await read(tar([one, two, list])), wanted);
    assert.deepEqual(await read(tar([list, two, one])), wanted);
  });

  it('follows links to layers that are the same, and unpacks what is packed', async () => {
    const archive = tar([
      file('blobs/sha256/1', gzipSync(layer('packed'))),
      file('blobs/sha256/2', '{"config":{}}'),
      { name: 'c/layer.tar', kind: 'link', target: '../blobs/sha256/1' },
      manifest('blobs/sha256/1', 'c/layer.tar'),
    ]);
    assert.deepEqual(await read(archive), [['packed'], ['packed']]);
  });

  const bad: [what: string, archive: Buffer][] = [
    ['without a list', tar([file('a.tar', layer('x'))])],
    ['whose list is no JSON', tar([file('manifest.json', '{{')])],
    ['with a layer that is not there', tar([manifest('a.tar')])],
    ['with a layer that is no tar', tar([file('a.tar', 'x'.repeat(2000)), manifest('a.tar')])],
    [
      'packed in another way',
      tar([file('a.tar', Buffer.from('28b52ffd', 'hex')), manifest('a.tar')]),
    ],
    ['that is no tar', Buffer.from('x'.repeat(3000))],
    ['that ends too early', tar([file('a.tar', layer('x')), manifest('a.tar')]).subarray(0, 900)],
  ];
  for (const [what, archive] of bad) {
    it(`refuses an archive ${what}`, async () => {
      await assert.rejects(read(archive), (error) => failedWith(error, 'badAnswer', 'cut'));
    });
  }
});
