import assert from 'node:assert/strict';
import { readArchive } from '../../src/engine/archive/archive.ts';
import { failedWith } from '../../src/engine/errors.ts';
import { runProcess } from '../../src/engine/exec/runExec.ts';
import { pauseContainer, stopContainer } from '../../src/engine/containers/containerLifecycle.ts';
import type { FileSpot } from '../../src/engine/files/actInside.ts';
import type { ContainerOrVolume } from '../../src/engine/files/checkNoMount.ts';
import { findFileTools, NoToolsError, type FileProgram } from '../../src/engine/files/fileTools.ts';
import { createFolder } from '../../src/engine/files/createFolder.ts';
import { PathExistsError } from '../../src/engine/files/fileErrors.ts';
import { copyPath } from '../../src/engine/files/copyPath.ts';
import { movePath } from '../../src/engine/files/movePath.ts';
import { removePath } from '../../src/engine/files/removePath.ts';
import { listContainers } from '../../src/engine/containers/containers.ts';
import { temporaryOwner } from '../../src/engine/images/temporaryMarks.ts';
import { VolumeContainers } from '../../src/engine/volumes/volumeContainers.ts';
import { Site } from './support.ts';

/** Prints every path below a folder, one a line. */
const LIST = 'cd "$1" && find . | sort';
const LONG = 'n'.repeat(255);
const ODD = 'a\nb';

describe('the file tree of a container', () => {
  const site = new Site();
  const { connection } = site;
  const owner = temporaryOwner('secret');
  let volume: string;
  let id: string;

  before(async () => {
    volume = site.volume();
    id = await site.sleeper({
      body: { HostConfig: { Binds: [`${volume}:/data`], Tmpfs: { '/memory': '' } } },
    });
  });
  after(() => site.leave());

  async function sh(script: string, ...args: readonly string[]): Promise<string> {
    const command = ['sh', '-c', script, 'sh', ...args];
    const result = await runProcess(connection, id, { command, user: '0:0' }, 1_000_000);
    assert.equal(result.exitCode, 0, result.stderr.toString());
    return result.stdout.toString();
  }
  const listOf = async (folder: string): Promise<readonly string[]> =>
    (await sh(LIST, folder))
      .split('\n')
      .filter((one) => one !== '' && one !== '.')
      .sort();

  async function spotOf(program: FileProgram, container = id): Promise<FileSpot> {
    const of: ContainerOrVolume = { kind: 'container', id: container };
    const tools = await findFileTools(connection, of, program);
    return { connection, archive: container, owner: of, tools };
  }
  const remove = async (path: string, isRecursive = true) =>
    removePath(await spotOf('rm'), path, { isRecursive });
  const move = async (path: string, to: string) => movePath(await spotOf('mv'), path, to);
  const copy = async (path: string, to: string) => copyPath(await spotOf('cp'), path, to);

  it('is deleted by file, by link, and by folder, whatever the names', async () => {
    await sh(
      'mkdir -p "/w/d/$1" /w/-rf /w/t && touch /w/f "/w/$2" /w/--help /w/t/kept && ln -s t /w/link',
      ODD,
      LONG,
    );
    for (const path of ['/w/f', `/w/${LONG}`, '/w/--help', '/w/-rf', '/w/link', '/w/d'])
      assert.deepEqual(await remove(path), { path });
    assert.deepEqual(await listOf('/w'), ['./t', './t/kept']);
  });

  it('is deleted only completely, and only as a whole if that is wanted', async () => {
    await sh('mkdir -p /x/full/y /x/empty');
    await assert.rejects(remove('/x/full', false), /The folder \/x\/full is not empty/);
    await remove('/x/empty', false);
    assert.deepEqual(await listOf('/x'), ['./full', './full/y']);
    await assert.rejects(remove('/x/nothing'), { reason: 'notFound' });
    await assert.rejects(remove('/'), /top folder/);
  });

  it('is changed in a mount in memory, which not every engine reports', async () => {
    await sh('mkdir -p /memory/a/b/c && touch /memory/a/f');
    await move('/memory/a/f', '/memory/a/b/g');
    await remove('/memory/a/b/c', false);
    assert.deepEqual(await listOf('/memory'), ['./a', './a/b', './a/b/g']);
    await assert.rejects(remove('/memory/a', false), /was not deleted|is not empty/);
    await remove('/memory/a');
    await assert.rejects(remove('/memory/x/y'), { reason: 'notFound' });
  });

  it('gets folders with the owner of the one above, and replaces nothing', async () => {
    await sh('mkdir -p /k/own && chown 12:34 /k/own && ln -s own /k/link && ln -s none /k/broken');
    const made = (path: string, mode?: number) => createFolder(connection, id, path, { mode });
    await made('/k/link/new');
    await made(`/k/own/${LONG}/-x`, 0o700);
    await made(`/k/own/${ODD}`);
    for (const path of ['/k/own/new', '/k/link', '/', '/k'])
      await assert.rejects(made(path), (error) => error instanceof PathExistsError);
    await assert.rejects(made('/k/broken'));
    await assert.rejects(made('/etc/passwd/x'), { name: 'PathKindError' });
    await assert.rejects(made('/k/\uFFFD'), { name: 'NameEncodingError' });
    await assert.rejects(made('/proc/x'), { name: 'FileReadOnlyError' });
    const facts = await sh('cd /k/own && stat -c "%u:%g %a" "./$1" "./$1/-x" new', LONG);
    assert.equal(facts, '12:34 755\n12:34 700\n12:34 755\n');
    assert.equal((await listOf('/k')).length, 8);
    const stopped = await site.create(['true'], {
      body: { HostConfig: { Binds: [`${volume}:/data`] } },
    });
    assert.deepEqual(await createFolder(connection, stopped, '/data/late'), { path: '/data/late' });
    await sh('rmdir /data/late');
  });

  it('is resolved up to the name before it is deleted', async () => {
    await sh('mkdir -p /y/real/inner && touch /y/real/inner/f && ln -s real/inner /y/way');
    const seen = { isRecursive: false, seenAt: '/y/way/f' };
    await assert.rejects(
      removePath(await spotOf('rm'), '/y/way/f', seen),
      /leads to \/y\/real\/inner\/f now. Nothing was deleted/,
    );
    assert.deepEqual(await remove('/y/way/f'), { path: '/y/real/inner/f' });
  });

  it('is neither deleted nor moved if something is mounted there', async () => {
    await sh('mkdir -p /data/sub');
    await assert.rejects(
      remove('/data'),
      /\/data is a mount, so it can be neither deleted, renamed, nor copied/,
    );
    await assert.rejects(move('/etc', '/etc2'), /\/etc\/[a-z.]+ is a mount, so \/etc, which/);
    await assert.rejects(remove('/proc'), /is a mount/);
    await assert.rejects(move('/data/sub', '/sub'), /not in the same mount/);
    await remove('/data/sub');
  });

  it('is not deleted if the container has mounted something in it itself', async () => {
    const own = await site.sleeper({
      body: { HostConfig: { CapAdd: ['SYS_ADMIN'], SecurityOpt: ['seccomp=unconfined'] } },
    });
    const script = 'mkdir -p "/m/a b" && mount -t tmpfs none "/m/a b" && touch "/m/a b/f"';
    const command = ['sh', '-c', script];
    const { exitCode } = await runProcess(connection, own, { command }, 1000);
    assert.equal(exitCode, 0);
    const spot = await spotOf('rm', own);
    await assert.rejects(
      removePath(spot, '/m', { isRecursive: true }),
      /\/m\/a b is a mount, so \/m, which contains it/,
    );
  });

  it('is renamed, and nothing is replaced or moved into', async () => {
    await sh('mkdir -p /r/a/x /r/there /r/-T && touch /r/f /r/g /r/x && ln -s a /r/l');
    assert.deepEqual(await move('/r/a', '/r/b'), { path: '/r/a', to: '/r/b' });
    await move('/r/l', `/r/${ODD}`);
    await move('/r/-T', '/r/-n');
    for (const to of ['/r/there', '/r/g'])
      await assert.rejects(move('/r/f', to), new RegExp(`${to} already exists`));
    await assert.rejects(move('/r/b', '/r/b/x/c'), /into itself/);
    await assert.rejects(move('/r/f', '/r/none/f'), { reason: 'notFound' });
    const list = ['./-n', './a', 'b', './b', './b/x', './f', './g', './there', './x'];
    assert.deepEqual(await listOf('/r'), list.toSorted());
  });

  it('is duplicated with owners, modes and links, and replaces nothing', async () => {
    await sh('mkdir -p /c/a/b && echo x > /c/a/b/f && ln -s f /c/a/b/l && chown -R 12:34 /c/a');
    await sh('chmod 4750 /c/a/b/f && chmod 1700 /c/a');
    assert.deepEqual(await copy('/c/a', '/c/-a copy'), { path: '/c/a', to: '/c/-a copy' });
    await copy('/c/a/b/f', '/c/f');
    await assert.rejects(copy('/c/a', '/c/f'), /\/c\/f already exists/);
    await assert.rejects(copy('/c/a', '/c/a/b/c'), /into itself/);
    const facts = await sh('cd /c && stat -c "%u:%g %a" "./-a copy" "./-a copy/b/f" f');
    assert.equal(facts, '12:34 1700\n12:34 4750\n12:34 4750\n');
    assert.deepEqual(await listOf('/c/-a copy'), ['./b', './b/f', './b/l']);
  });

  it('says if what it is renamed to was created at that moment', async () => {
    await sh('mkdir -p /s/f /s/g');
    const spot = await spotOf('mv');
    const racing = (isOld: boolean): FileSpot => ({
      ...spot,
      tools: {
        ...spot.tools,
        run: async ([program = '', option = '', ...paths], signal) => {
          await sh('mkdir -p /s/taken');
          const known = isOld ? option.replace('T', '') : option;
          return spot.tools.run([program, known, ...paths], signal);
        },
      },
    });
    await assert.rejects(
      movePath(racing(false), '/s/f', '/s/taken'),
      /\/s\/f was not moved: \/s\/taken was created in the meantime/,
    );
    await sh('rmdir /s/taken');
    await assert.rejects(
      movePath(racing(true), '/s/g', '/s/taken'),
      /\/s\/taken was created in the meantime, so g is in it now/,
    );
  });

  it('says if a folder on the way became a link at that moment', async () => {
    await sh('mkdir -p /t/way /t/other && touch /t/way/f /t/other/f');
    const spot = await spotOf('rm');
    const racing: FileSpot = {
      ...spot,
      tools: {
        ...spot.tools,
        run: async (command, signal) => {
          await sh('mv /t/way /t/was && ln -s other /t/way');
          return spot.tools.run(command, signal);
        },
      },
    };
    await assert.rejects(
      removePath(racing, '/t/way/f', { isRecursive: false }),
      /was replaced or removed during the work/,
    );
  });

  it('says what the program says if nothing can be deleted', async () => {
    const own = await site.sleeper({ body: { HostConfig: { ReadonlyRootfs: true } } });
    await assert.rejects(
      removePath(await spotOf('rm', own), '/etc/passwd', { isRecursive: false }),
      /\/etc\/passwd was not deleted, .*Read-only file system/,
    );
  });

  it('is deleted only where a program can run', async () => {
    const own = await site.sleeper();
    await pauseContainer(connection, own);
    await assert.rejects(spotOf('rm', own), (error) => why(error) === 'stopped');
    await stopContainer(connection, await site.sleeper());
    const stopped = await site.create(['true']);
    await assert.rejects(spotOf('rm', stopped), /does not run. Start it first/);
  });

  const why = (error: unknown): unknown => error instanceof NoToolsError && error.why;

  describe('in a volume', () => {
    const containers = new VolumeContainers(owner);

    async function inVolume<T>(
      name: string,
      program: FileProgram,
      image: string | undefined,
      work: (spot: FileSpot) => Promise<T>,
    ): Promise<T> {
      const of: ContainerOrVolume = { kind: 'volume', id: name };
      const helper = image === undefined ? undefined : { image, owner };
      const tools = await findFileTools(connection, of, program, helper);
      await using mounted = await containers.open(connection, name);
      return await work({ connection, archive: mounted.root, owner: of, tools });
    }

    it('is changed in a running container that has it', async () => {
      await sh('mkdir -p /data/v/w && touch /data/v/f && ln -s /etc /data/out');
      await inVolume(volume, 'mv', undefined, (spot) => movePath(spot, '/v', '/u'));
      await inVolume(volume, 'rm', undefined, (spot) =>
        removePath(spot, '/u/w', { isRecursive: false }),
      );
      await assert.rejects(
        inVolume(volume, 'rm', undefined, (spot) =>
          removePath(spot, '/out/hosts', { isRecursive: false }),
        ),
      );
      assert.deepEqual(await listOf('/data'), ['./out', './u', './u/f']);
    });

    it('is not changed where another container has mounted something over it', async () => {
      await sh('mkdir -p /data/over/it');
      const other = site.volume();
      const Binds = [`${volume}:/v`, `${other}:/v/over/it`];
      await site.sleeper({ body: { HostConfig: { Binds } } });
      for (const kind of ['container', 'volume'] as const) {
        const path = kind === 'volume' ? '/over' : '/data/over';
        const work = (spot: FileSpot) => removePath(spot, path, { isRecursive: true });
        const done =
          kind === 'volume' ? inVolume(volume, 'rm', undefined, work) : work(await spotOf('rm'));
        await assert.rejects(done, /\/v\/over\/it is mounted there in the container/);
      }
    });

    it('is changed by a local image that the user picks, which leaves nothing', async () => {
      const alone = site.volume();
      const Binds = [`${alone}:/d`];
      const script = 'mkdir -p /d/a/b /d/kept && touch /d/a/f';
      await site.runToEnd(['sh', '-c', script], { body: { HostConfig: { Binds } } });
      await assert.rejects(
        inVolume(alone, 'rm', undefined, none),
        (error) => why(error) === 'volume',
      );
      const { image } = site.facts;
      await inVolume(alone, 'mv', image, (spot) => movePath(spot, '/a', '/-c'));
      await inVolume(alone, 'rm', image, (spot) => removePath(spot, '/-c', { isRecursive: true }));
      await assert.rejects(
        inVolume(alone, 'rm', image, (spot) => removePath(spot, '/-c', { isRecursive: true })),
        { reason: 'notFound' },
      );
      const lost = 'localhost/no-such:1';
      await assert.rejects(
        inVolume(alone, 'rm', lost, (spot) => removePath(spot, '/kept', { isRecursive: true })),
        (error) => failedWith(error, 'notFound', 'failed'),
      );
      assert.deepEqual(await inVolume(alone, 'rm', image, namesIn), ['kept']);
      const all = await listContainers(connection, { all: true });
      assert.deepEqual(
        all.filter(({ name }) => name.startsWith('gantry-temporary-')).map(({ name }) => name),
        [],
      );
    });
  });

  async function namesIn({ connection, archive }: FileSpot): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const { name } of readArchive(connection, archive, '/.'))
      names.push(name.replace(/^\.\//, '').replace(/\/$/, ''));
    return names.filter((name) => name !== '' && name !== '.');
  }
  const none = (): Promise<void> => Promise.resolve();
});
