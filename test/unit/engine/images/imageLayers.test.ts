import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mock } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';

import type { Connection } from '../../../../src/engine/http/connection.ts';
import type { EngineRequest } from '../../../../src/engine/http/engineRequest.ts';
import {
  readLayers,
  type ImageLayers,
  type LayerNames,
} from '../../../../src/engine/images/imageLayers.ts';
import { failedWith } from '../../../../src/engine/errors.ts';
import { tar, type Entry } from '../../../bed/tar.ts';
import { openLab, settle, when, type Lab } from '../../support/lab.ts';
import { packed } from '../../support/tars.ts';

const file = (name: string, data: Buffer | string = ''): Entry => ({
  ...{ name, kind: 'file', data: Buffer.from(data) },
});
const layer = (...names: readonly string[]): Buffer => tar(names.map((name) => file(name)));
const manifest = (...Layers: readonly string[]): Entry =>
  file('manifest.json', JSON.stringify([{ Layers }]));
/** Reports the length of each chunk when the reader asks for the next one. */
async function* counted(
  body: AsyncIterable<Uint8Array>,
  onTaken: (length: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    yield chunk;
    onTaken(chunk.length);
  }
}

/** Sends the rest of an archive when the reader has processed its first bytes. */
async function* inTwo(archive: Buffer, length: number): AsyncGenerator<Uint8Array> {
  yield archive.subarray(0, length);
  await settle();
  yield archive.subarray(length);
}

/** More bytes than a stream buffers for its reader. */
const MANY = 1024 * 1024;
const ZSTD = Buffer.from('28b52ffd', 'hex');

describe('engine/imageLayers', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  /** Reads an archive that arrives in small chunks of odd length. */
  const read = async (archive: Buffer): Promise<readonly LayerNames[]> => {
    const { connection } = await lab.fake((_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-tar' });
      for (let at = 0; at < archive.length; at += 777)
        response.write(archive.subarray(at, at + 777));
      response.end();
    });
    const { layers, leftOut } = await readLayers(connection, 'me/app:1');
    assert.equal(leftOut, 0);
    return layers;
  };

  it('returns layers in the order of the manifest, wherever it is in the archive', async () => {
    const one = file('b/layer.tar', layer('x', 'y'));
    const two = file('a/layer.tar', layer('z'));
    const wanted = [['x', 'y'], ['z']];
    const list = manifest('b/layer.tar', 'a/layer.tar');
    assert.deepEqual(await read(tar([one, two, list])), wanted);
    assert.deepEqual(await read(tar([list, two, one])), wanted);
  });

  it('marks names by contents, permissions, and link target if asked for', async () => {
    const variants: readonly Entry[] = [
      file('x', 'one'),
      file('x', 'two'),
      { name: 'x', kind: 'file', data: Buffer.from('one'), mode: 0o755 },
      { name: 'x', kind: 'link', target: 'one' },
      { name: 'x', kind: 'link', target: 'two' },
    ];
    const layers = [...variants, ...variants].map((entry, index) =>
      file(`${index}/layer.tar`, tar([entry])),
    );
    const archive = tar([...layers, manifest(...layers.map(({ name }) => name))]);
    const options = { hasMarks: true };
    const connection = await served(archive);
    const { marks = [] } = await readLayers(connection, 'me/app:1', undefined, options);
    const texts = marks.map(([mark]) => mark);
    assert.equal(new Set(texts.slice(0, variants.length)).size, variants.length);
    assert.deepEqual(texts.slice(0, variants.length), texts.slice(variants.length));
    assert.equal((await readLayers(connection, 'me/app:1')).marks, undefined);
  });

  it('marks a folder that claims to have contents', async () => {
    const claiming = tar([{ name: 'd/', kind: 'folder' }, file('x')]);
    // The size becomes 512, which adds 1 to the checksum.
    claiming.write('1', 131);
    const sum = parseInt(claiming.toString('latin1', 148, 154), 8) + 1;
    claiming.write(sum.toString(8).padStart(6, '0'), 148);
    const connection = await served(tar([file('a.tar', claiming), manifest('a.tar')]));
    const options = { hasMarks: true };
    const { layers } = await readLayers(connection, 'me/app:1', undefined, options);
    assert.deepEqual(layers, [['d/', 'x']]);
  });

  it('follows links to shared layers and decompresses layers', async () => {
    const archive = tar([
      file('blobs/sha256/1', gzipSync(layer('packed'))),
      file('blobs/sha256/2', '{"config":{}}'),
      { name: 'c/layer.tar', kind: 'link', target: '../blobs/sha256/1' },
      manifest('blobs/sha256/1', 'c/layer.tar'),
    ]);
    assert.deepEqual(await read(archive), [['packed'], ['packed']]);
  });

  it('decompresses a layer whose first piece is a single byte', async () => {
    const archive = tar([file('a.tar', gzipSync(layer('packed'))), manifest('a.tar')]);
    const connection = await served(Buffer.alloc(0));
    const open = connection.stream.bind(connection);
    mock.method(connection, 'stream', async (request: EngineRequest) => {
      const reply = await open(request);
      return { ...reply, body: inTwo(archive, 513) };
    });
    assert.deepEqual((await readLayers(connection, 'me/app:1')).layers, [['packed']]);
  });

  it('skips blobs that are not layers, whatever their size', async () => {
    const archive = tar([
      file('blobs/sha256/1', `{${' '.repeat(MANY)}}`),
      file('blobs/sha256/3', layer('x')),
      manifest('blobs/sha256/3'),
    ]);
    assert.deepEqual(await read(archive), [['x']]);
  });

  it('decompresses Zstandard, or reports that it cannot', async () => {
    const archive = tar([
      file('blobs/sha256/3', zstdCompressSync(layer('x'))),
      manifest('blobs/sha256/3'),
    ]);
    assert.deepEqual(await read(archive), [['x']]);
    const connection = await served(archive);
    const reading = readLayers(connection, 'me/app:1', undefined, { zstandard: () => undefined });
    await assert.rejects(reading, { name: 'ImageContentError', problem: 'zstandard' });
  });

  it('reports layers that the engine does not have', async () => {
    const problem = { name: 'ImageContentError', problem: 'missingLayers' };
    await assert.rejects(read(tar([file('b.tar', layer('x')), manifest('a.tar')])), problem);
  });

  const served = async (archive: Buffer): Promise<Connection> => {
    const { connection } = await lab.fake((_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-tar' });
      response.end(archive);
    });
    return connection;
  };

  it('collapses repeated slashes, and counts names that no file system accepts', async () => {
    const slashes = '/'.repeat(900_000);
    const names = [`etc${slashes}f0`, `etc/${'x'.repeat(4096)}`, 'd/'.repeat(200), 'usr/'];
    const contents = await packed(names.map((name) => ({ name, pax: {} })));
    const archive = tar([file('a.tar', gzipSync(contents)), manifest('a.tar')]);
    const read = await readLayers(await served(archive), 'a');
    assert.deepEqual(read, { layers: [['etc/f0', 'usr/']], leftOut: 2 });
  });

  it('limits the size of all names, however small they compress', async () => {
    const name = `etc${'/'.repeat(900_000)}f`;
    const END = 1024;
    const one = (await packed([{ name, pax: {} }])).subarray(0, -END);
    const member = gzipSync(one, { level: 1 });
    const end = gzipSync(Buffer.alloc(END));
    const layer = Buffer.concat([...Array.from({ length: 5 }, () => member), end]);
    assert(layer.length < MANY);
    const archive = tar([file('a.tar', layer), manifest('a.tar')]);
    const failure = { reason: 'tooLarge', operation: 'GET /images/a/get' };
    const read = async (mostCharacters: number): Promise<ImageLayers> =>
      readLayers(await served(archive), 'a', undefined, { mostCharacters });
    await assert.rejects(read(4_000_000), failure);
    assert.equal((await read(5_000_000)).layers.length, 1);
  });

  it('rejects a manifest that lists a large layer many times', async () => {
    const names = Array.from({ length: 2000 }, (_, at) => `${at}`);
    const list = manifest(...Array.from({ length: 600 }, () => 'a.tar'));
    const archive = tar([file('a.tar', layer(...names)), list]);
    await assert.rejects(readLayers(await served(archive), 'a'), { reason: 'tooLarge' });
  });

  it('aborts in the middle of a compressed layer', async () => {
    const archive = tar([file('a.tar', gzipSync(tar([file('x', randomBytes(MANY))])))]);
    const { connection } = await lab.fake((_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-tar' });
      response.write(archive.subarray(0, MANY / 2));
    });
    let taken = 0;
    const open = connection.stream.bind(connection);
    mock.method(connection, 'stream', async (request: EngineRequest) => {
      const reply = await open(request);
      return { ...reply, body: counted(reply.body, (length) => (taken += length)) };
    });
    const controller = new AbortController();
    const reading = readLayers(connection, 'me/app:1', controller.signal);
    reading.catch(() => undefined);
    await when(() => taken >= MANY / 4);
    controller.abort();
    await assert.rejects(reading, { name: 'AbortError' });
  });

  const bad: [what: string, archive: Buffer][] = [
    ['without a manifest', tar([file('a.tar', layer('x'))])],
    ['whose manifest is not JSON', tar([file('manifest.json', '{{')])],
    [
      'with a layer that is not a tar archive',
      tar([file('a.tar', 'x'.repeat(2000)), manifest('a.tar')]),
    ],
    ['with a broken layer', tar([file('a.tar', ZSTD), manifest('a.tar')])],
    ['that is not a tar archive', Buffer.from('x'.repeat(3000))],
    [
      'that ends within a compressed layer',
      tar([file('a.tar', gzipSync(tar([file('x', randomBytes(MANY))])))]).subarray(0, MANY / 2),
    ],
    [
      'that ends within a layer',
      tar([file('a.tar', layer('x')), manifest('a.tar')]).subarray(0, 900),
    ],
  ];
  for (const [what, archive] of bad) {
    it(`rejects an archive ${what}`, async () => {
      await assert.rejects(read(archive), (error) => failedWith(error, 'badAnswer', 'cut'));
    });
  }
});
