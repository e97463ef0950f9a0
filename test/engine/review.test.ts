import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { statPath } from '../../src/engine/archive/archive.ts';
import { listChanges, type FileChange } from '../../src/engine/containers/listChanges.ts';
import { commitWithCleanup } from '../../src/engine/containers/commitWithCleanup.ts';
import { containerMounts } from '../../src/engine/containers/containerDetails.ts';
import { inspectContainer } from '../../src/engine/containers/containers.ts';
import { temporaryOwner } from '../../src/engine/images/temporaryMarks.ts';
import { layerDigests, readLayers } from '../../src/engine/images/imageLayers.ts';
import { ARCHIVE_TYPE, loadImages } from '../../src/engine/images/imageArchive.ts';
import { inspectImage, listImages } from '../../src/engine/images/images.ts';
import { changeTree } from '../../src/review/changeTree.ts';
import { readComparedFile, statComparedFile } from '../../src/review/readComparedFile.ts';
import { findBaseImage } from '../../src/review/baseImage.ts';
import { layerChanges } from '../../src/review/layerChanges.ts';
import { containerFileSource, imageFileSource } from '../../src/engine/volumes/fileSource.ts';
import { tar } from '../bed/tar.ts';
import { until } from '../bed/until.ts';
import { packed } from '../unit/support/tars.ts';
import { refusal, Site } from './support.ts';

const WORK = [
  'echo new > /srv-new',
  'echo changed > /etc/passwd',
  'rm /bin/vi',
  'mkdir -p /opt/app/empty',
  'ln -s /srv-new /opt/app/link',
  'echo x > /tmp/noise',
  'echo kept > /data/kept',
  'chmod 700 /etc/group',
].join(' && ');

describe('the review of a container', function () {
  this.timeout(60_000);
  const site = new Site();
  const { connection } = site;
  const connect = () => Promise.resolve(connection);
  let id: string;

  before(async () => {
    const body = { HostConfig: { Tmpfs: { '/data': '' } } };
    // Podman mounts a container that does not run for each file.
    id = await site.run(['sh', '-c', `${WORK} && exec sleep 1000`], { body });
    const isDone = async () => (await statPath(connection, id, '/etc/group')).permissions === 0o700;
    await until(isDone, 'the container has changed all files');
  });

  after(() => site.leave());

  it('lists added, changed and deleted files, with noise kept apart', async () => {
    const tree = changeTree((await listChanges(connection, id)).changes);
    const found = new Map([...tree.main].map(({ path, kind }) => [path, kind]));
    assert.equal(found.get('/srv-new'), 'added');
    assert.equal(found.get('/etc/passwd'), 'changed');
    assert.equal(found.get('/etc/group'), 'changed');
    assert.equal(found.get('/bin/vi'), 'deleted');
    assert.equal(found.get('/opt/app/empty'), 'added');
    assert.equal(found.get('/opt/app/link'), 'added');
    for (const path of ['/etc', '/opt', '/opt/app', '/tmp/noise', '/data/kept'])
      assert.equal(found.get(path), undefined, path);
    assert.ok([...tree.ignored].some(({ path }) => path === '/tmp/noise'));
  });

  it('lists the mounts, which are not part of the changes', async () => {
    assert.deepEqual(containerMounts(await inspectContainer(connection, id)), [
      { type: 'tmpfs', target: '/data', source: '', isReadOnly: false },
    ]);
  });

  it('reads both versions of a file', async () => {
    const { imageId } = await inspectContainer(connection, id);
    const before = imageFileSource(connect, imageId, temporaryOwner('test'));
    const after = containerFileSource(connect, id);
    const text = async (side: typeof before, path: string): Promise<string | undefined> => {
      const found = await readComparedFile(side, path);
      return found?.content && Buffer.from(found.content).toString();
    };
    assert.match((await text(before, '/etc/passwd')) ?? '', /^root:/);
    assert.equal(await text(after, '/etc/passwd'), 'changed\n');
    assert.equal(await readComparedFile(before, '/srv-new'), undefined);
    assert.equal((await readComparedFile(after, '/opt/app/link'))?.target, '/srv-new');
    assert.equal((await readComparedFile(after, '/opt/app'))?.kind, 'folder');
    assert.equal((await statComparedFile(after, '/etc/group'))?.permissions, 0o700);
    assert.equal(await statComparedFile(after, '/bin/vi'), undefined);
  });

  it('is empty if only the engine made changes', async () => {
    const same = await site.create(['true']);
    assert.equal(changeTree((await listChanges(connection, same)).changes).main.size, 0);
  });

  it("fails with the engine's message for a missing container", async () => {
    const { engineMessage } = await refusal(listChanges(connection, 'f'.repeat(64)));
    assert.match(engineMessage ?? '', /no such container|not found/i);
  });

  it('finds the same changes in the image committed from it', async () => {
    const repository = site.repository();
    site.owns(`${repository}:1`);
    const request = { id, repository, tag: '1', pause: false };
    const { imageId } = await commitWithCleanup(connection, request);
    const image = await inspectImage(connection, imageId);
    const base = await findBaseImage(connection, image, await listImages(connection, {}));
    assert.equal(base?.id, (await inspectContainer(connection, id)).imageId);
    const read = await readLayers(connection, imageId);
    assert.equal(read.layers.length, layerDigests(image.raw).length);
    const told = (changes: Iterable<FileChange>): readonly string[] =>
      [...changes].map(({ path, kind }) => `${kind} ${path}`).sort();
    const ofContainer = changeTree((await listChanges(connection, id)).changes);
    const ofImage = changeTree(layerChanges(read, base.layers).changes);
    assert.deepEqual(told(ofImage.main), told(ofContainer.main));
  });

  it('leaves no image behind if the engine creates one and then fails', async () => {
    const images = async (): Promise<readonly string[]> =>
      (await listImages(connection, {})).map((one) => one.id).sort();
    const before = await images();
    // Bypasses our own validation: an older engine commits first and parses the name afterwards.
    const request = { id, repository: 'UPPER/Case', tag: '1', pause: false };
    await refusal(commitWithCleanup(connection, request));
    assert.deepEqual(await images(), before);
  });
});

describe('the review of a malicious image', function () {
  this.timeout(120_000);
  const site = new Site();
  const { connection } = site;

  after(() => site.leave());

  it('resolves its file names as the engine extracts them', async () => {
    const reference = site.owns(`${site.repository()}:1`);
    const slashes = '/'.repeat(900_000);
    const names = ['f0', 'f1', 'f2'].map((name) => `etc${slashes}${name}`);
    await load(await layer(['usr']), await layer(names), reference);
    const { id, raw } = await inspectImage(connection, reference);
    assert.equal(layerDigests(raw).length, 2);
    const { changes, leftOut } = layerChanges(await readLayers(connection, id), 1);
    const paths = [...changeTree(changes).main].map(({ path, kind }) => `${kind} ${path}`);
    assert.deepEqual(paths, ['added /etc/f0', 'added /etc/f1', 'added /etc/f2']);
    assert.equal(leftOut, 0);
  });

  const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  /** Packs names of any length, which PAX records allow. */
  const layer = (names: readonly string[]): Promise<Buffer> =>
    packed(names.map((name) => ({ name, pax: {} })));

  async function load(below: Buffer, above: Buffer, reference: string): Promise<void> {
    const layers = [below, above].map((data) => ({ data, name: `${digest(data)}.tar` }));
    const config = Buffer.from(
      JSON.stringify({
        architecture: 'amd64',
        os: 'linux',
        config: {},
        rootfs: { type: 'layers', diff_ids: [below, above].map((one) => `sha256:${digest(one)}`) },
      }),
    );
    const Config = `${digest(config)}.json`;
    const Layers = layers.map(({ name }) => name);
    const manifest = Buffer.from(JSON.stringify([{ Config, RepoTags: [reference], Layers }]));
    const archive = tar(
      [{ name: Config, data: config }, ...layers, { name: 'manifest.json', data: manifest }].map(
        (file) => ({ ...file, kind: 'file' }),
      ),
    );
    await loadImages(connection, { type: ARCHIVE_TYPE, open: () => Readable.from([archive]) });
  }
});
