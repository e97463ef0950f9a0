import assert from 'node:assert/strict';
import { listChanges, type FileChange } from '../../src/engine/changes.ts';
import { commitTidily } from '../../src/engine/commitTidily.ts';
import { mountsOf } from '../../src/engine/containerMounts.ts';
import { inspectContainer } from '../../src/engine/containers.ts';
import { newOwner } from '../../src/engine/imageContainer.ts';
import { layerDigests, readLayers } from '../../src/engine/imageLayers.ts';
import { inspectImage, listImages } from '../../src/engine/images.ts';
import { changeTree } from '../../src/review/changeTree.ts';
import { readFound, statFound } from '../../src/review/foundFile.ts';
import { findBase } from '../../src/review/imageBase.ts';
import { layerChanges } from '../../src/review/layerChanges.ts';
import { containerSide, imageSide } from '../../src/review/sides.ts';
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
    ({ id } = await site.runToEnd(['sh', '-c', WORK], { body }));
  });

  after(() => site.leave());

  it('tells what was added, changed and deleted, and keeps the noise apart', async () => {
    const tree = changeTree(await listChanges(connection, id));
    const found = new Map([...tree.main].map(({ path, kind }) => [path, kind]));
    assert.equal(found.get('/srv-new'), 'added');
    assert.equal(found.get('/etc/passwd'), 'changed');
    assert.equal(found.get('/etc/group'), 'changed');
    assert.equal(found.get('/bin/vi'), 'deleted');
    assert.equal(found.get('/opt/app/empty'), 'added');
    assert.equal(found.get('/opt/app/link'), 'added');
    for (const path of ['/etc', '/opt', '/opt/app', '/tmp/noise', '/data/kept'])
      assert.equal(found.get(path), undefined, path);
    assert.ok([...tree.noise].some(({ path }) => path === '/tmp/noise'));
  });

  it('names the mounts, which are no part of it', async () => {
    assert.deepEqual(mountsOf(await inspectContainer(connection, id)), [
      { type: 'tmpfs', target: '/data', source: '' },
    ]);
  });

  it('reads both sides of a path', async () => {
    const { imageId } = await inspectContainer(connection, id);
    const [before, after] = [imageSide(connect, imageId, newOwner()), containerSide(connect, id)];
    const text = async (side: typeof before, path: string): Promise<string | undefined> => {
      const found = await readFound(side, path);
      return found?.content && Buffer.from(found.content).toString();
    };
    assert.match((await text(before, '/etc/passwd')) ?? '', /^root:/);
    assert.equal(await text(after, '/etc/passwd'), 'changed\n');
    assert.equal(await readFound(before, '/srv-new'), undefined);
    assert.equal((await readFound(after, '/opt/app/link'))?.target, '/srv-new');
    assert.equal((await readFound(after, '/opt/app'))?.kind, 'folder');
    assert.equal((await statFound(after, '/etc/group'))?.permissions, 0o700);
    assert.equal(await statFound(after, '/bin/vi'), undefined);
  });

  it('says nothing of a container that changed nothing but what engines do', async () => {
    const same = await site.create(['true']);
    assert.equal(changeTree(await listChanges(connection, same)).main.size, 0);
  });

  it('rejects with the engine’s words for a container that is not there', async () => {
    const { engineMessage } = await refusal(listChanges(connection, 'f'.repeat(64)));
    assert.match(engineMessage ?? '', /no such container|not found/i);
  });

  it('finds the same in the image that is made of it', async () => {
    const repository = site.repository();
    site.owns(`${repository}:1`);
    const request = { id, repository, tag: '1', pause: false };
    const { imageId } = await commitTidily(connection, request);
    const image = await inspectImage(connection, imageId);
    const base = await findBase(connection, image, await listImages(connection, {}));
    assert.equal(base?.id, (await inspectContainer(connection, id)).imageId);
    const layers = await readLayers(connection, imageId);
    assert.equal(layers.length, layerDigests(image.raw).length);
    const told = (changes: Iterable<FileChange>): readonly string[] =>
      [...changes].map(({ path, kind }) => `${kind} ${path}`).sort();
    const ofContainer = changeTree(await listChanges(connection, id));
    const ofImage = changeTree(layerChanges(layers, base.layers));
    assert.deepEqual(told(ofImage.main), told(ofContainer.main));
  });

  it('leaves no image behind where the engine makes one and then fails', async () => {
    const images = async (): Promise<readonly string[]> =>
      (await listImages(connection, {})).map((one) => one.id).sort();
    const before = await images();
    // Past our own check: an older engine commits first and reads the name afterwards.
    const request = { id, repository: 'UPPER/Case', tag: '1', pause: false };
    await refusal(commitTidily(connection, request));
    assert.deepEqual(await images(), before);
  });
});
