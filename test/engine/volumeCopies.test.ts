// Compares what a copy of a volume keeps with a table of the engines.
import {
  VolumeExistsError,
  VolumeInUseError,
  VolumeUnmountedError,
} from '../../src/engine/volumes/volumeErrors.ts';
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { writeArchive } from '../../src/engine/archive/archive.ts';
import { capabilitiesOf } from '../../src/engine/capabilities/capabilities.ts';
import { createExec, startExec } from '../../src/engine/exec/exec.ts';
import { stopContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { failedWith, InputError } from '../../src/engine/errors.ts';
import { removeLeftImage } from '../../src/engine/images/removeLeftImage.ts';
import { listImages } from '../../src/engine/images/images.ts';
import { temporaryImageOwner, temporaryOwner } from '../../src/engine/images/temporaryMarks.ts';
import { OutputFrames } from '../../src/engine/wire/outputFrames.ts';
import { cloneVolume } from '../../src/engine/volumes/cloneVolume.ts';
import { createVolume } from '../../src/engine/volumes/createVolume.ts';
import { emptyVolume } from '../../src/engine/volumes/emptyVolume.ts';
import { chooseReading, type VolumeLoss } from '../../src/engine/volumes/openVolume.ts';
import { VolumeContainers } from '../../src/engine/volumes/volumeContainers.ts';
import { removeVolume } from '../../src/engine/volumes/removeVolume.ts';
import { inspectVolume, listVolumes } from '../../src/engine/volumes/volumes.ts';
import { isEmptyVolume, writeVolumeFiles } from '../../src/engine/volumes/writeVolumeFiles.ts';
import { exportVolume, importVolume, readVolumeFile } from '../../src/files/volumeFile.ts';
import { ACCEPTED_TARS, rawTar, REFUSED_TARS } from '../unit/support/oddTars.ts';
import { Site } from './support.ts';

const SETUP = `
mkdir /data/conf && echo hello > /data/conf/app.ini && chown -R 1000:1001 /data/conf && chmod 640 /data/conf/app.ini
chmod 2750 /data/conf && cp /bin/busybox /data/suid && chown 7:8 /data/suid && chmod 6751 /data/suid
ln -s conf/app.ini /data/in && ln -s /nowhere /data/broken && ln /data/conf/app.ini /data/hard
mkfifo /data/fifo && mkdir /data/sticky && chmod 1777 /data/sticky && echo x > '/data/ünï 日本'
chown 5:300000 /data && chmod 1751 /data`;
const LIST = `cd /data && find . -exec stat -c '%n %a %u:%g %h %F' {} + | sort; readlink in; readlink broken`;

/** What a copy loses on each engine, while a container with tar runs and without. */
const TABLE: Readonly<
  Record<
    string,
    {
      readonly running: readonly VolumeLoss[];
      readonly stopped: readonly VolumeLoss[];
      readonly keepsRoot: boolean;
    }
  >
> = {
  'docker 20': { running: ['xattrs'], stopped: ['xattrs'], keepsRoot: true },
  'docker 28': { running: ['xattrs'], stopped: ['xattrs'], keepsRoot: true },
  'podman 4': { running: ['xattrs'], stopped: ['owners'], keepsRoot: false },
  'podman 5': { running: ['rootOwner'], stopped: ['rootOwner'], keepsRoot: false },
};

describe('copies of a volume', () => {
  const site = new Site();
  const { connection } = site;
  const owner = temporaryOwner(site.name());
  const containers = new VolumeContainers(owner);
  const name = site.volume();
  let folder: string;
  let user: string;
  let keeps: (typeof TABLE)[string];
  let original: readonly string[];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-copies-'));
    user = await sleeperWith(name);
    await outputOf(user, SETUP);
    await addAttribute();
    original = await listing(user);
    assert(original.some((line) => line.startsWith('./suid 6751 7:8')));
    const { product, version = '' } = await connection.info();
    const found = TABLE[`${product} ${version.split('.', 1)[0] ?? ''}`];
    assert(found, version);
    keeps = found;
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    for (const image of await listImages(connection, {}))
      if (temporaryImageOwner(image) === owner) await removeLeftImage(connection, image);
    await site.leave();
  });

  function sleeperWith(volume: string): Promise<string> {
    return site.sleeper({ body: { HostConfig: { Binds: [`${volume}:/data`] } } });
  }

  async function outputOf(id: string, script: string): Promise<string> {
    const spec = { command: ['sh', '-c', script], user: '0', hasTty: false };
    const exec = await createExec(connection, id, spec);
    const frames = new OutputFrames();
    let text = '';
    for await (const chunk of (await startExec(connection, exec, spec)).output)
      for (const { source, bytes } of frames.push(chunk))
        text +=
          source === 'stdout'
            ? Buffer.from(bytes).toString('latin1')
            : assert.fail(Buffer.from(bytes).toString());
    return Buffer.from(text, 'latin1').toString();
  }

  async function listing(id: string): Promise<readonly string[]> {
    return (await outputOf(id, LIST)).trim().split('\n');
  }

  /** The test image has no program for extended attributes. */
  async function addAttribute(): Promise<void> {
    const tar = pack();
    tar.entry({ name: 'noted', pax: { 'SCHILY.xattr.user.note': 'kept' } }, 'x');
    tar.finalize();
    await writeArchive(connection, user, '/data', () => tar as AsyncIterable<Uint8Array>);
  }

  /** The original as it should be after what is lost. */
  function expected(losses: readonly VolumeLoss[]): readonly string[] {
    return original.map((line) => {
      const [path = '', mode = '', ids = '', ...rest] = line.split(/ (?=\d)/);
      if (ids === '') return line;
      const own = losses.includes('owners') ? ids.replace(/^\d+:\d+/, '0:0') : ids;
      return path === '.' && !keeps.keepsRoot ? '' : [path, mode, own, ...rest].join(' ');
    });
  }

  async function assertCopied(volume: string, losses: readonly VolumeLoss[]): Promise<void> {
    const reader = await sleeperWith(volume);
    const found = (await listing(reader)).map((line) =>
      line.startsWith('. ') && !keeps.keepsRoot ? '' : line,
    );
    assert.deepEqual(found, expected(losses));
    assert.equal(await outputOf(reader, 'cat /data/hard'), 'hello\n');
    await stopContainer(connection, reader);
  }

  it('keep owners, modes and links while a container that has the files runs', async () => {
    const reading = await chooseReading(connection, name);
    assert.deepEqual(reading.losses, keeps.running);
    const to = site.volume();
    const seen: number[] = [];
    const onBytes = (bytes: number): void => void seen.push(bytes);
    const summary = await cloneVolume(connection, name, to, { containers, reading, onBytes });
    assert.equal(summary.entries, original.length - 3);
    assert.equal(summary.lost.includes('rootOwner'), !keeps.keepsRoot);
    assert(seen.length > 0);
    await assertCopied(to, []);
    await assert.rejects(
      cloneVolume(connection, name, to, { containers, reading }),
      VolumeExistsError,
    );
  });

  it('go through a file, into an emptied volume', async () => {
    const path = join(folder, 'volume.tar.gz');
    const reading = await chooseReading(connection, name);
    const exported = await exportVolume(connection, name, {
      containers,
      reading,
      path,
      overwrite: false,
    });
    assert.equal(exported.size, readFileSync(path).length);
    assert.equal(readFileSync(path).readUInt16BE(), 0x1f8b);
    // As the engine writes extended attributes.
    const hasAttribute = gunzipSync(readFileSync(path)).includes('SCHILY.xattr.user.note=kept');
    assert.equal(hasAttribute, !reading.losses.includes('xattrs'));
    const to = site.volume();
    await createVolume(connection, { name: to, labels: { a: 'b' } });
    const file = await readVolumeFile(path);
    const done = await importVolume(connection, to, { containers, file });
    assert.equal(done.entries, original.length - 3);
    assert(done.bytes > 9);
    await assertCopied(to, []);
  });

  it('that cannot be complete are not begun', async () => {
    const path = join(folder, 'cut.tar.gz');
    writeFileSync(path, readFileSync(join(folder, 'volume.tar.gz')).subarray(0, -200));
    await assert.rejects(readVolumeFile(path));
    writeFileSync(path, Buffer.alloc(3000, 'no tar'));
    await assert.rejects(readVolumeFile(path));
    const missing = site.name();
    await assert.rejects(chooseReading(connection, missing), (error) =>
      failedWith(error, 'notFound'),
    );
  });

  /** Whether the engine fills a volume with an archive, as it is. */
  async function isTaken(tar: Buffer): Promise<boolean> {
    const to = site.name();
    await createVolume(connection, { name: to });
    const target = { containers, tar: () => Readable.from([tar]), summary: () => ({}) };
    try {
      await writeVolumeFiles(connection, to, target);
      return true;
    } catch {
      return false;
    } finally {
      await removeVolume(connection, to);
    }
  }

  for (const [what, tar] of Object.entries(REFUSED_TARS))
    it(`are not begun with an archive that the engine refuses: ${what}`, async () => {
      assert.equal(await isTaken(tar), false);
    });

  for (const [what, tar] of Object.entries(ACCEPTED_TARS))
    it(`are begun with an archive that the engine takes: ${what}`, async () => {
      assert.equal(await isTaken(tar), true);
      const path = join(folder, 'odd.tar');
      writeFileSync(path, tar);
      await readVolumeFile(path);
    });

  it('are begun with a link that leads out of the volume as the engine does', async () => {
    const { extractsLinksOut } = capabilitiesOf(await connection.info());
    const out = rawTar({ name: 'l', type: '2', link: '../x' });
    assert.equal(await isTaken(out), extractsLinksOut);
  });

  it('leave no volume behind if they are canceled', async () => {
    const to = site.name();
    const controller = new AbortController();
    const reading = await chooseReading(connection, name);
    const stop = (): void => controller.abort();
    const how = { containers, reading, onBytes: stop };
    await assert.rejects(cloneVolume(connection, name, to, how, controller.signal), {
      name: 'AbortError',
    });
    assert(!(await listVolumes(connection)).some((one) => one.name === to));
  });

  it('are not needed to empty a volume, which keeps its labels and options', async () => {
    const own = site.volume();
    const options = { type: 'tmpfs', device: 'tmpfs', o: 'uid=1000' };
    await createVolume(connection, { name: own, labels: { a: 'b' }, options });
    await emptyVolume(connection, own, undefined);
    const volume = await inspectVolume(connection, own);
    assert.deepEqual([volume.labels, volume.options['o']], [{ a: 'b' }, 'uid=1000']);
    await assert.rejects(emptyVolume(connection, name, undefined), VolumeInUseError);
    assert(!(await isEmptyVolume(connection, name, containers)));
  });

  it('are not made to empty a volume that is a folder of the host', async () => {
    const bound = site.volume();
    // A folder that does not exist, so that a failure of this test deletes nothing.
    const options = { type: 'none', o: 'bind', device: '/gantry-none' };
    await createVolume(connection, { name: bound, options });
    const before = await inspectVolume(connection, bound);
    await assert.rejects(emptyVolume(connection, bound, undefined), InputError);
    assert.deepEqual(await inspectVolume(connection, bound), before);
  });

  it('are of what is mounted, or refused: an engine can mount it only while a container runs', async () => {
    const volume = site.volume();
    const to = site.volume();
    const options = { type: 'tmpfs', device: 'tmpfs' };
    await createVolume(connection, { name: volume, options });
    await createVolume(connection, { name: to });
    const reading = await chooseReading(connection, name);
    const path = join(folder, 'mounted.tar.gz');
    await exportVolume(connection, name, { containers, reading, path, overwrite: false });
    const file = await readVolumeFile(path);
    const all = [
      () => chooseReading(connection, volume),
      () => isEmptyVolume(connection, volume, containers),
      () => importVolume(connection, volume, { containers, file }),
    ];
    const { product } = await connection.info();
    for (const one of all) {
      if (product !== 'podman') await one();
      else await assert.rejects(one(), VolumeUnmountedError);
    }
    const user = await sleeperWith(volume);
    await outputOf(user, 'echo x > /data/in');
    assert(!(await isEmptyVolume(connection, volume, containers)));
    const found = await chooseReading(connection, volume);
    const copy = join(folder, 'copy.tar.gz');
    const source = { containers, reading: found };
    await exportVolume(connection, volume, { ...source, path: copy, overwrite: false });
    assert.equal((await readVolumeFile(copy)).summary.entries, 1);
    await stopContainer(connection, user);
    if (product === 'podman')
      await assert.rejects(chooseReading(connection, volume), VolumeUnmountedError);
  });

  it('have only its own files, not what containers mount in it', async () => {
    const outer = site.volume();
    const inner = site.volume();
    const to = site.volume();
    const mounts = [{ Binds: [`${inner}:/data/in`] }, { Tmpfs: { '/data/in': '' } }];
    for (const { Binds = [], ...more } of mounts) {
      const HostConfig = { Binds: [`${outer}:/data`, ...Binds], ...more };
      const id = await site.sleeper({ body: { HostConfig } });
      await outputOf(id, 'echo other > /data/in/other');
      const reading = await chooseReading(connection, outer);
      assert.deepEqual(reading.losses, keeps.stopped);
      await stopContainer(connection, id);
    }
    const reading = await chooseReading(connection, outer);
    await cloneVolume(connection, outer, to, { containers, reading });
    assert.equal(await outputOf(await sleeperWith(to), 'find /data'), '/data\n/data/in\n');
  });

  it('report before that they lose owners if no container with the files runs', async () => {
    await stopContainer(connection, user);
    const reading = await chooseReading(connection, name);
    assert.deepEqual(reading.losses, keeps.stopped);
    const to = site.volume();
    await cloneVolume(connection, name, to, { containers, reading });
    await assertCopied(to, reading.losses);
  });
});
