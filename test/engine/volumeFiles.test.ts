import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { listContainers } from '../../src/engine/containers/containers.ts';
import { failedWith } from '../../src/engine/errors.ts';
import { listImages } from '../../src/engine/images/images.ts';
import { removeLeftImage } from '../../src/engine/images/removeLeftImage.ts';
import {
  isTemporaryContainer,
  temporaryImageOwner,
  temporaryOwner,
} from '../../src/engine/images/temporaryMarks.ts';
import {
  isLeftImage,
  removeLeftBehind,
} from '../../src/engine/containers/openTemporaryContainer.ts';
import type { Container, Image } from '../../src/engine/model.ts';
import { removeVolume } from '../../src/engine/volumes/removeVolume.ts';
import { VolumeContainers } from '../../src/engine/volumes/volumeContainers.ts';
import { inspectVolume, listVolumes } from '../../src/engine/volumes/volumes.ts';
import { downloadPath } from '../../src/files/downloadPath.ts';
import { volumeFileSource, type FileSource } from '../../src/engine/volumes/fileSource.ts';
import { FileTreeReader } from '../../src/files/fileTreeReader.ts';
import { uploadPaths } from '../../src/files/uploadPaths.ts';
import { Site } from './support.ts';

const SETUP = `
mkdir -p /data/conf && echo hello > /data/conf/app.ini && chown -R 1000:1000 /data/conf
ln -s conf/app.ini /data/in && ln -s /etc/passwd /data/out && ln -s conf /data/dir`;

describe('files of a volume', () => {
  const site = new Site();
  const { connection } = site;
  const owner = temporaryOwner(site.name());
  const containers = new VolumeContainers(owner);
  const name = site.volume();
  const connect = () => Promise.resolve(connection);
  const source: FileSource = volumeFileSource(connect, name, containers);
  const files = new FileTreeReader({ access: source, isMoving: () => false, now: Date.now });
  let folder: string;
  let user: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-volume-'));
    const body = { HostConfig: { Binds: [`${name}:/data`] } };
    ({ id: user } = await site.runToEnd(['sh', '-c', SETUP], { body }));
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    for (const image of await ours()) await removeLeftImage(connection, image);
    await site.leave();
  });

  async function ours(): Promise<readonly Image[]> {
    const all = await listImages(connection, {});
    return all.filter((one) => temporaryImageOwner(one) === owner);
  }

  async function helpers(): Promise<readonly Container[]> {
    return (await listContainers(connection, { all: true })).filter(isTemporaryContainer);
  }

  it('are read at once by several readers, with one image and no container left', async () => {
    const before = (await listImages(connection, { all: true })).length;
    const [root, ini, link] = await Promise.all([
      files.list('/'),
      files.read('/conf/app.ini', 100),
      files.follow('/in'),
    ]);
    assert.deepEqual(
      root.entries.map((one) => one.name),
      ['conf', 'dir', 'in', 'out'],
    );
    assert.equal(Buffer.from(ini).toString(), 'hello\n');
    // Podman follows links in a volume itself.
    assert.equal(link.path, site.isPodman ? '/in' : '/conf/app.ini');
    assert.equal(link.stat.kind, 'file');
    assert.equal((await ours()).length, 1);
    assert.equal((await listImages(connection, { all: true })).length, before + 1);
    assert.deepEqual(await helpers(), []);
  });

  it('are the only ones: nothing outside of the volume is found', async () => {
    assert.equal((await files.stat('/')).kind, 'folder');
    assert.equal((await files.stat('/dir')).linkTarget, site.isPodman ? '' : '/conf');
    for (const path of ['/etc', '/nothing', '/volume'])
      await assert.rejects(files.stat(path), (error) => failedWith(error, 'notFound'), path);
    await assert.rejects(files.follow('/out'), (error) => failedWith(error, 'notFound'));
    await assert.rejects(files.read('/out', 100), (error) => failedWith(error, 'notFound'));
  });

  it('are downloaded and uploaded', async () => {
    const to = join(folder, 'down');
    await downloadPath(source, '/conf', to, { replace: false });
    assert.equal(readFileSync(join(to, 'app.ini'), 'utf8'), 'hello\n');
    const from = join(folder, 'new.txt');
    writeFileSync(from, 'new');
    await uploadPaths(source, [from], '/dir', {});
    const script = 'cat /data/conf/new.txt; stat -c %u /data/conf/app.ini';
    const body = { HostConfig: { Binds: [`${name}:/data`] } };
    const { end } = await site.runToEnd(['sh', '-c', `test "$(${script})" = new1000`], { body });
    assert.equal(end.exitCode, 0);
  });

  it('with names that are not UTF-8 are kept apart and named, and never renamed', async () => {
    const script =
      "mkdir /data/odd && cd /data/odd && printf a > $(printf 'caf\\351') && printf b > $(printf 'caf\\350')";
    const body = { HostConfig: { Binds: [`${name}:/data`] } };
    const { end } = await site.runToEnd(['sh', '-c', script], { body });
    assert.equal(end.exitCode, 0);
    files.drop();
    const { entries } = await files.list('/odd');
    assert.deepEqual(
      entries.map((one) => one.name),
      ['caf\uFFFD', 'caf\uFFFD (2)'],
    );
    await assert.rejects(files.read('/odd/caf\uFFFD', 9), { name: 'NameEncodingError' });
    const to = join(folder, 'down-odd');
    const { leftOut } = await downloadPath(source, '/odd', to, { replace: false });
    assert.deepEqual(
      leftOut.map(({ name, reason }) => [name.replace('./', ''), reason]),
      [
        ['caf\uFFFD', 'name'],
        ['caf\uFFFD', 'name'],
      ],
    );
    assert.deepEqual(readdirSync(to), []);
  });

  async function use(volume: string, work?: () => Promise<void>): Promise<void> {
    await using _mounted = await containers.open(connection, volume);
    await work?.();
  }

  it('of a missing volume are not found, and the volume is not created', async () => {
    const missing = site.name();
    for (const volume of [missing, '/etc', '../x', ''])
      await assert.rejects(containers.open(connection, volume), (error) =>
        failedWith(error, 'notFound'),
      );
    assert(!(await listVolumes(connection)).some((one) => one.name === missing));
  });

  it('of an anonymous volume stay, and a helper of ours never keeps a volume', async () => {
    const maker = await site.create(['true'], { body: { Volumes: { '/data': {} } } });
    const [listed] = await listContainers(connection, { all: true, ids: [maker] });
    const made = { name: listed?.mounts[0]?.volume ?? '' };
    await removeContainer(connection, maker);
    await use(made.name);
    await inspectVolume(connection, made.name);
    await use(made.name, async () => {
      const [helper] = await helpers();
      assert(helper);
      await removeLeftBehind(connection, helper.id);
      await inspectVolume(connection, made.name);
    });
    await use(made.name, async () => {
      assert.deepEqual(await removeVolume(connection, made.name), { outcome: 'removed' });
    });
    assert.deepEqual(await helpers(), []);
  });

  it('leave an image that a later window removes, and only that', async () => {
    const [image] = await ours();
    assert(image);
    const later = temporaryOwner(site.name());
    assert(!isLeftImage(image, owner, Date.now()));
    assert(isLeftImage(image, later, Date.now() + 3 * 3600_000));
    await removeContainer(connection, user, { force: true });
    await removeLeftImage(connection, image);
    assert.deepEqual(await ours(), []);
    await use(name);
    assert.equal((await ours()).length, 1);
  });
});
