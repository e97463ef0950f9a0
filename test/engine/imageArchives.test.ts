import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { archiveUpload } from '../../src/files/archiveUpload.ts';
import { writeAtomically } from '../../src/base/writeAtomically.ts';
import {
  ARCHIVE_TYPE,
  importImage,
  loadImages,
  saveImages,
} from '../../src/engine/images/imageArchive.ts';
import { commitContainer } from '../../src/engine/containers/containers.ts';
import {
  imageHistory,
  instructionOf,
  layersOf,
  relativesIn,
} from '../../src/engine/images/imageHistory.ts';
import {
  findImage,
  inspectImage,
  listImages,
  removeImage,
  tagImage,
  hasContainerdStore,
} from '../../src/engine/images/images.ts';
import { readLayers } from '../../src/engine/images/imageLayers.ts';
import { pullImage } from '../../src/engine/images/pullImage.ts';
import { pushImage } from '../../src/engine/images/pushImage.ts';
import type { Upload } from '../../src/engine/http/engineRequest.ts';
import { imageDiskUse } from '../../src/engine/system/system.ts';
import { openSpace, runIn } from '../bed/space.ts';
import { tar, type Entry } from '../bed/tar.ts';
import { itOnDocker, refusal, Site } from './support.ts';

const ROOT = tar([{ name: 'proof', kind: 'file', data: Buffer.from('imported') }]);

function uploadOf(bytes: Uint8Array): Upload {
  return {
    type: ARCHIVE_TYPE,
    async *open() {
      await Promise.resolve();
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
    },
  };
}

/** Returns an archive in the OCI layout of an image of one layer. */
function ociArchive(name: string, layer: Buffer, compression: 'gzip' | 'zstd'): Buffer {
  const blobs: Entry[] = [];
  const add = (mediaType: string, data: Buffer) => {
    const digest = createHash('sha256').update(data).digest('hex');
    blobs.push({ name: `blobs/sha256/${digest}`, kind: 'file', data });
    return { mediaType, digest: `sha256:${digest}`, size: data.length };
  };
  const TYPE = 'application/vnd.oci.image';
  const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));
  const diff = `sha256:${createHash('sha256').update(layer).digest('hex')}`;
  const rootfs = { type: 'layers', diff_ids: [diff] };
  const architecture = { x64: 'amd64' }[process.arch as string] ?? process.arch;
  const config = add(`${TYPE}.config.v1+json`, json({ architecture, os: 'linux', rootfs }));
  const packed = compression === 'gzip' ? gzipSync(layer) : zstdCompressSync(layer);
  const layers = [add(`${TYPE}.layer.v1.tar+${compression}`, packed)];
  const manifest = add(`${TYPE}.manifest.v1+json`, json({ schemaVersion: 2, config, layers }));
  const annotations = { 'io.containerd.image.name': name };
  const index = json({ schemaVersion: 2, manifests: [{ ...manifest, annotations }] });
  return tar([
    ...blobs,
    { name: 'oci-layout', kind: 'file', data: json({ imageLayoutVersion: '1.0.0' }) },
    { name: 'index.json', kind: 'file', data: index },
  ]);
}

describe('an image archive on a real engine', () => {
  let site: Site;
  let folder: string;
  beforeEach(() => {
    site = new Site();
    folder = mkdtempSync(join(tmpdir(), 'gantry-archives-'));
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await site.leave();
  });

  /** Imports a small image that shares no layer with others. */
  const image = async (text = site.name()): Promise<{ name: string; imageId: string }> => {
    const name = site.owns(`${site.repository()}:1`);
    const root = tar([{ name: 'proof', kind: 'file', data: Buffer.from(text) }]);
    const request = { repository: name };
    const { imageId } = await importImage(site.connection, request, uploadOf(root));
    return { name, imageId };
  };

  const save = async (names: readonly string[], path: string): Promise<number> =>
    writeAtomically(await saveImages(site.connection, names), path, { overwrite: false });

  const load = async (path: string): Promise<readonly string[]> =>
    (await loadImages(site.connection, await archiveUpload(path, ARCHIVE_TYPE))).images;

  it('is saved to a file and loaded again, with its tags', async () => {
    const one = await image();
    const two = await image();
    const path = join(folder, 'both.tar');
    const size = await save([one.name, two.name], path);
    assert.equal(readFileSync(path).length, size);
    for (const { name } of [one, two]) await removeImage(site.connection, name);
    assert.deepEqual([...(await load(path))].sort(), [one.name, two.name].sort());
    for (const { name, imageId } of [one, two]) {
      assert.equal((await inspectImage(site.connection, name)).id, imageId);
    }
  });

  it('of an image ID contains no tag, and restores the same ID', async () => {
    const { name, imageId } = await image();
    const path = join(folder, 'it.tar');
    await save([imageId], path);
    await removeImage(site.connection, name);
    assert.equal(await findImage(site.connection, imageId), undefined);
    site.owns(imageId);
    const [loaded = ''] = await load(path);
    // Podman reports an untagged image by its bare ID.
    assert.equal((await inspectImage(site.connection, loaded)).id, imageId);
  });

  it('of a missing image is rejected, and leaves no file', async () => {
    const { name } = await image();
    for (const names of [['localhost/nobody:1'], [name, 'localhost/nobody:1'], ['f'.repeat(64)]]) {
      const error = await refusal(save(names, join(folder, 'it.tar')));
      assert.match(error.message, /not known|not exist|no such|not find|failed to find/i);
      assert.deepEqual(readdirSync(folder), []);
    }
  });

  itOnDocker(
    'without a layer that the engine does not have is rejected',
    async function (this: Mocha.Context) {
      if (!(await hasContainerdStore(site.connection))) this.skip();
      const layer = tar([{ name: 'proof', kind: 'file', data: Buffer.from(site.name()) }]);
      const name = site.owns(`${site.facts.registry}/gantry/${site.name()}:1`);
      // Pulled after the same layer came in another compression, the layer of the image is not downloaded.
      await loadImages(site.connection, uploadOf(ociArchive(name, layer, 'gzip')));
      await pushImage(site.connection, { reference: name }, () => undefined);
      await removeImage(site.connection, name);
      const base = site.owns(`${site.repository()}:1`);
      await loadImages(site.connection, uploadOf(ociArchive(base, layer, 'zstd')));
      await pullImage(site.connection, { reference: name }, () => undefined);
      await assert.rejects(save([name], join(folder, 'it.tar')), { problem: 'missingLayers' });
      assert.deepEqual(readdirSync(folder), []);
      await assert.rejects(readLayers(site.connection, name), { problem: 'missingLayers' });
      assert.deepEqual((await readLayers(site.connection, base)).layers, [['proof']]);
    },
  );

  it('leaves no file if the save is canceled', async () => {
    const controller = new AbortController();
    const { image: busybox } = site.facts;
    const source = await saveImages(site.connection, [busybox], controller.signal);
    const writing = writeAtomically(source, join(folder, 'it.tar'), {
      overwrite: false,
      onBytes: () => controller.abort(),
    });
    await assert.rejects(writing, { name: 'AbortError' });
    assert.deepEqual(readdirSync(folder), []);
  });

  itOnDocker('leaves no file if the disk is full, and reports the error', async () => {
    const space = await openSpace();
    const small = join(space.folder, 'small');
    mkdirSync(small);
    const path = join(small, 'it.tar');
    const code = `
      import { writeAtomically } from ${JSON.stringify(join(import.meta.dirname, '../../src/base/writeAtomically.ts'))};
      import { readdirSync } from 'node:fs';
      async function* source() { for (let i = 0; i < 40; i++) yield Buffer.alloc(65536); }
      const code = await writeAtomically(source(), ${JSON.stringify(path)}, { overwrite: false }).catch((e) => e.code);
      console.log(code, readdirSync(${JSON.stringify(small)}).length);`;
    try {
      await runIn(space, ['mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', small]);
      const node = [process.execPath, '--input-type=module', '--eval', code];
      const { stdout, stderr } = await runIn(space, node);
      assert.equal(stdout.trim(), 'ENOSPC 0', stderr);
    } finally {
      await space.close();
    }
  });

  it("is rejected with the engine's message if it is invalid or truncated", async () => {
    const whole = join(folder, 'whole.tar');
    await save([site.facts.image], whole);
    const bytes = readFileSync(whole);
    const idsOf = async (): Promise<readonly string[]> =>
      (await listImages(site.connection, {})).map(({ id }) => id).sort();
    const before = await idsOf();
    const texts = Buffer.from('no archive at all, but long enough to look at. '.repeat(100));
    for (const bad of [texts, bytes.subarray(0, bytes.length >> 1), ROOT]) {
      const path = join(folder, 'bad.tar');
      writeFileSync(path, bad);
      await refusal(load(path));
    }
    assert.deepEqual(await idsOf(), before);
  });

  it('causes no engine error if the file disappears during the upload', async () => {
    const upload: Upload = {
      type: ARCHIVE_TYPE,
      async *open() {
        yield ROOT;
        await Promise.reject(new Error('the disk is gone'));
      },
    };
    const loading = loadImages(site.connection, upload);
    await assert.rejects(loading, { name: 'UploadError', message: 'the disk is gone' });
  });

  it('leaves no image if the load is canceled', async () => {
    const { name, imageId } = await image();
    const path = join(folder, 'it.tar');
    await save([name], path);
    await removeImage(site.connection, name);
    const controller = new AbortController();
    const bytes = readFileSync(path);
    const upload: Upload = {
      type: ARCHIVE_TYPE,
      async *open() {
        yield bytes.subarray(0, 1000);
        controller.abort();
        await new Promise((resolve) => setImmediate(resolve));
        yield bytes.subarray(1000);
      },
    };
    const loading = loadImages(site.connection, upload, controller.signal);
    await assert.rejects(loading, { name: 'AbortError' });
    assert.equal(await findImage(site.connection, imageId), undefined);
  });

  it('of files is imported as an image with message and changes', async () => {
    const repository = site.repository();
    site.owns(`${repository}:2`);
    const { imageId } = await importImage(
      site.connection,
      { repository, tag: '2', message: 'by hand', changes: ['CMD ["sh"]', 'ENV A=b'] },
      uploadOf(ROOT),
    );
    const { id, raw } = await inspectImage(site.connection, `${repository}:2`);
    assert.equal(id, imageId);
    const { Comment, Config } = raw as {
      Comment: string;
      Config: { Cmd: string[]; Env: string[] };
    };
    assert.deepEqual([Config.Cmd, Config.Env.includes('A=b')], [['sh'], true]);
    assert.equal(Comment, 'by hand');
  });

  it('of files is rejected if it is invalid, or has an invalid name or change', async () => {
    const repository = site.repository();
    const doImport = (more: object, bytes: Uint8Array = ROOT): Promise<unknown> =>
      importImage(site.connection, { repository, ...more }, uploadOf(bytes));
    await refusal(doImport({}, Buffer.alloc(5000, 'x')));
    await assert.rejects(doImport({ repository: 'Not A Name' }), { name: 'InputError' });
    await assert.rejects(doImport({ changes: ['RUN x'] }), { name: 'InputError' });
    // The containerd image store keeps an image that it could not extract.
    if (await hasContainerdStore(site.connection)) site.owns(`${repository}:latest`);
    else assert.equal(await findImage(site.connection, `${repository}:latest`), undefined);
  });
});

describe('the history and disk usage of an image on a real engine', () => {
  let site: Site;
  beforeEach(() => (site = new Site()));
  afterEach(() => site.leave());

  it('list the steps, and identify the parent image by its layers', async () => {
    const { id: written } = await site.runToEnd([
      'sh',
      '-c',
      'dd if=/dev/zero of=/f bs=1k count=50',
    ]);
    const repository = site.repository();
    site.owns(`${repository}:1`);
    const commit = { id: written, repository, tag: '1', message: 'one more', pause: false };
    const { imageId } = await commitContainer(site.connection, commit);
    const steps = await imageHistory(site.connection, imageId);
    const [newest] = steps;
    // Podman shows the parent image there.
    if (!site.isPodman) assert.equal(newest?.comment, 'one more');
    assert.equal(newest?.imageId, imageId);
    assert.ok(newest.size >= 50 * 1024, String(newest.size));
    assert.ok(steps.length >= 2);
    for (const step of steps) assert.doesNotMatch(instructionOf(step.createdBy), /#\(nop\)/);
    const base = await inspectImage(site.connection, site.facts.image);
    const layers = new Map<string, readonly string[]>();
    for (const one of [imageId, base.id]) layers.set(one, await layersOf(site.connection, one));
    assert.deepEqual(relativesIn(layers, imageId), { madeFrom: [base.id], madeInto: [] });
    assert.deepEqual(relativesIn(layers, base.id), { madeFrom: [], madeInto: [imageId] });
  });

  it('are rejected for a missing image', async () => {
    const missing = imageHistory(site.connection, 'localhost/nobody:1');
    assert.equal((await refusal(missing)).reason, 'notFound');
  });

  it('count shared layers once, if the engine reports them', async () => {
    const before = await imageDiskUse(site.connection);
    const repository = site.repository();
    site.owns(`${repository}:1`);
    const { id: written } = await site.runToEnd(['sh', '-c', 'echo more > /f']);
    const commit = { id: written, repository, tag: '1', pause: false };
    const { imageId } = await commitContainer(site.connection, commit);
    await tagImage(site.connection, imageId, { repository, tag: '2' });
    site.owns(`${repository}:2`);
    const use = await imageDiskUse(site.connection);
    const one = use.images.get(imageId);
    assert.ok(one);
    if (use.layers === undefined) {
      assert.ok(site.isPodman);
      assert.equal(one.shared, undefined);
      return;
    }
    assert.ok(one.shared !== undefined && one.shared > 1_000_000 && one.shared < one.size);
    // Not compared with the images: Podman counts what a canceled pull has left behind, too.
    const grown = use.layers - (before.layers ?? 0);
    assert.ok(grown < one.size - 1_000_000, `${grown} bytes more for an image of ${one.size}`);
  });
});
