// What is mounted into a container, seen in its files while it does not run.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  pauseContainer,
  startContainer,
  stopContainer,
  unpauseContainer,
} from '../../src/engine/containers/containerLifecycle.ts';
import { createVolume } from '../../src/engine/volumes/createVolume.ts';
import { knownDiskUse, listKnownSizes } from '../../src/engine/volumes/knownSizes.ts';
import { UnseenMountError, VolumeUnmountedError } from '../../src/engine/volumes/volumeErrors.ts';
import { downloadPath } from '../../src/files/downloadPath.ts';
import type { FileIndex } from '../../src/files/fileIndex.ts';
import type { FileSource } from '../../src/engine/volumes/fileSource.ts';
import { FileTreeReader } from '../../src/files/fileTreeReader.ts';
import { uploadPaths } from '../../src/files/uploadPaths.ts';
import { Site } from './support.ts';

const SETUP = `echo a > /plain/f; ln /plain/f /plain/hard; mkdir /plain/inner/sub; echo b > /plain/inner/sub/g
echo d > /own; echo c > /memory/h; sleep 1000`;

describe('files of a container that does not run', () => {
  const site = new Site();
  const { connection, isPodman } = site;
  let folder: string;
  let id: string;
  /** Of the stopped container. */
  let index: FileIndex;
  let plain: string;
  let memory: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-stopped-'));
    const inner = site.volume();
    plain = site.volume();
    memory = site.volume();
    for (const name of [plain, inner]) await createVolume(connection, { name });
    const options = { type: 'tmpfs', device: 'tmpfs' };
    await createVolume(connection, { name: memory, options });
    const Binds = [`${plain}:/plain`, `${inner}:/plain/inner`, `${memory}:/memory`];
    id = await site.create(['sh', '-c', SETUP], { body: { HostConfig: { Binds } } });
  });
  after(async () => {
    await site.leave();
    rmSync(folder, { recursive: true, force: true });
  });

  const access: FileSource = (work) => work(connection, id);
  const reader = () => new FileTreeReader({ access, now: () => 0, isMoving: () => false });
  const namesIn = async (path: string): Promise<readonly string[]> =>
    (await reader().list(path, { isPatient: true })).entries.map(({ name }) => name);
  const local = (name: string, ...parts: readonly string[]): string => {
    mkdirSync(join(folder, name, ...parts.slice(0, -1)), { recursive: true });
    writeFileSync(join(folder, name, ...parts), 'x');
    return join(folder, name);
  };

  /** Looks at all files below a folder of the container. Resolves to their index. */
  async function checkFiles(top: '/' | '/plain'): Promise<FileIndex> {
    const files = reader();
    const index = await files.index(top, { isPatient: true });
    const paths = [...index.walk()].map(({ path }) => join(top, path));
    for (const path of ['/plain/f', '/plain/hard', '/plain/inner/sub/g'])
      assert(paths.includes(path), path);
    assert.equal(paths.includes('/own'), top === '/');
    assert.deepEqual(
      (await files.list('/plain')).entries.map(({ name }) => name),
      ['f', 'hard', 'inner'],
    );
    assert.deepEqual((await files.list('/plain/inner')).entries.length, 1);
    const to = join(folder, 'all');
    await downloadPath(access, '/plain', to, { replace: true });
    assert.equal(readFileSync(join(to, 'hard'), 'utf8'), 'a\n');
    assert.equal(readFileSync(join(to, 'inner/sub/g'), 'utf8'), 'b\n');
    return index;
  }

  it('are listed, found and downloaded with those of its volumes', async () => {
    await startContainer(connection, id);
    // The command has written the last file.
    for (;;) if ((await namesIn('/memory')).includes('h')) break;
    await checkFiles('/');
  });

  it('are the same while it is paused', async () => {
    await pauseContainer(connection, id);
    await checkFiles('/plain');
    await unpauseContainer(connection, id);
  });

  it('are the same while it is stopped', async () => {
    await stopContainer(connection, id);
    index = await checkFiles('/');
  });

  it('are not said to be empty in a volume that is not mounted', async () => {
    const files = reader();
    const to = join(folder, 'root');
    const reach: FileSource = (work) => work(connection, id);
    const { leftOut } = await downloadPath(reach, '/', to, { replace: true });
    const unmounted = leftOut.filter(({ reason }) => reason === 'unmounted');
    if (!isPodman) {
      assert.deepEqual([index.isWhole, index.unmounted, unmounted], [true, [], []]);
      assert.deepEqual(await namesIn('/memory'), []);
      return;
    }
    assert.deepEqual([index.isWhole, index.unmounted], [false, [memory]]);
    assert.deepEqual(unmounted, [{ name: 'memory', reason: 'unmounted' }]);
    for (const work of [
      () => files.list('/memory'),
      () => files.stat('/memory/h'),
      () => files.read('/memory/h', 100),
      () => downloadPath(access, '/memory', join(folder, 'memory'), { replace: true }),
    ])
      await assert.rejects(work, VolumeUnmountedError);
  });

  it('are not counted as 0 bytes in a volume that is not mounted', async () => {
    const sizes = await listKnownSizes(connection);
    // Docker measures no volume with options at all.
    assert.equal(sizes.has(plain), true);
    assert.equal(sizes.has(memory), false);
    assert.equal((await knownDiskUse(connection)).volumes.has(memory), false);
    await startContainer(connection, id);
    assert.equal((await listKnownSizes(connection)).has(memory), isPodman);
    await stopContainer(connection, id);
  });

  it('are not uploaded to where the container does not see them', async () => {
    await uploadPaths(access, [local('new', 'sub', 'x')], '/plain', {});
    assert.deepEqual(await namesIn('/plain/new'), ['sub']);
    const all = [
      { from: local('other', 'x'), to: '/memory', error: VolumeUnmountedError },
      { from: local('memory', 'x'), to: '/', error: VolumeUnmountedError },
      { from: local('plain', 'inner', 'x'), to: '/', error: UnseenMountError },
      { from: local('inner', 'x'), to: '/plain', error: UnseenMountError },
    ];
    for (const { from, to, error } of all) {
      const upload = uploadPaths(access, [from], to, {});
      if (isPodman) await assert.rejects(upload, error);
      else await upload;
    }
    await startContainer(connection, id);
    if (!isPodman) assert.deepEqual(await namesIn('/plain/inner'), ['sub', 'x']);
    await uploadPaths(access, [join(folder, 'memory')], '/', {});
    assert((await namesIn('/memory')).includes('x'));
  });
});
