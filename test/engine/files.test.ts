import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  followPath,
  readArchive,
  readContainerFile,
  statPath,
  writeArchive,
} from '../../src/engine/archive/archive.ts';
import { openConnection } from '../../src/engine/http/connection.ts';
import {
  createContainer,
  inspectContainer,
  listContainers,
} from '../../src/engine/containers/containers.ts';
import { removeContainer, stopContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { failedWith } from '../../src/engine/errors.ts';
import {
  isTemporaryContainer,
  temporaryOwner,
  TEMPORARY_LABEL,
} from '../../src/engine/images/temporaryMarks.ts';
import {
  isLeftBehind,
  openTemporaryContainer,
  removeLeftBehind,
  temporaryContainer,
} from '../../src/engine/containers/openTemporaryContainer.ts';
import { imageFileSource } from '../../src/engine/volumes/fileSource.ts';
import { inspectImage } from '../../src/engine/images/images.ts';
import type { Container } from '../../src/engine/model.ts';
import { writeTar, type NewEntry } from '../../src/engine/archive/writeTar.ts';
import { sweepLeftovers } from '../../src/files/sweepLeftovers.ts';
import { FileTreeReader } from '../../src/files/fileTreeReader.ts';
import { downloadPath } from '../../src/files/downloadPath.ts';
import { uploadPaths } from '../../src/files/uploadPaths.ts';
import { Inventory } from '../../src/inventory/inventory.ts';
import type { KnownEngines } from '../../src/inventory/knownEngine.ts';
import { Emitter } from '../../src/base/lifetime.ts';
import { until } from '../bed/until.ts';
import { Site } from './support.ts';

const MEGABYTE = 1024 * 1024;

function file(name: string, contents: Buffer): NewEntry {
  const open = (): AsyncIterable<Uint8Array> => Readable.from([contents]);
  return { name, kind: 'file', permissions: 0o640, modifiedAt: 1e12, size: contents.length, open };
}

function link(name: string, linkTarget: string): NewEntry {
  return { name, kind: 'link', permissions: 0o777, modifiedAt: 1e12, linkTarget };
}

describe('files of a container', () => {
  const site = new Site();
  const { connection } = site;
  /** A container that was never started and one that runs, with the files of all these tests. */
  let never: string;
  let sleeper: string;
  let folder: string;
  const big = Buffer.alloc(8 * MEGABYTE, 'gantry ');

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-archive-'));
    never = await site.create(['sleep', '1000']);
    sleeper = await site.sleeper();
    const entries = [
      { name: 'work', kind: 'folder', permissions: 0o755, modifiedAt: 1e12 } as const,
      file('work/big', big),
      file('work/ünï 日本', Buffer.from('umlauts')),
      file(`work/${'long'.repeat(50)}`, Buffer.from('long')),
      link('work/in', 'big'),
      link('work/out', '/etc/passwd'),
      link('work/lost', 'nowhere'),
      link('work/dir', '/etc'),
    ];
    for (const id of [never, sleeper])
      await writeArchive(connection, id, '/tmp', () => writeTar(entries));
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await site.leave();
  });

  function filesOf(id: string): FileTreeReader {
    return new FileTreeReader({
      access: (work) => work(connection, id),
      isMoving: () => false,
      now: Date.now,
    });
  }

  it('have a stat each, with link targets', async () => {
    const shell = await statPath(connection, never, '/bin/ls');
    assert.deepEqual([shell.kind, shell.linkTarget], ['link', '/bin/busybox']);
    const told = await statPath(connection, never, '/tmp/work/ünï 日本');
    assert.deepEqual(told, {
      ...{ kind: 'file', size: 7, permissions: 0o640, modifiedAt: 1e12, linkTarget: '' },
    });
    assert.equal((await statPath(connection, never, '/tmp/work')).kind, 'folder');
    assert.equal((await statPath(connection, never, '/')).kind, 'folder');
    const end = await followPath(connection, never, '/tmp/work/dir');
    assert.deepEqual([end.path, end.stat.kind], ['/etc', 'folder']);
    for (const path of ['/nothing', '/tmp/work/no'])
      await assert.rejects(statPath(connection, never, path), (e) => failedWith(e, 'notFound'));
    await assert.rejects(followPath(connection, never, '/tmp/work/lost'), (error) =>
      failedWith(error, 'notFound'),
    );
  });

  it('are read completely, through links, up to a size limit', async () => {
    assert(big.equals(await readContainerFile(connection, sleeper, '/tmp/work/big', big.length)));
    const passwd = await readContainerFile(connection, sleeper, '/tmp/work/out', 1000);
    assert.match(Buffer.from(passwd).toString(), /^root:x:0:0/);
    await assert.rejects(readContainerFile(connection, sleeper, '/tmp/work/big', 1000), (error) =>
      failedWith(error, 'tooLarge'),
    );
    await assert.rejects(readContainerFile(connection, sleeper, '/etc', 1000), {
      name: 'PathKindError',
    });
    await assert.rejects(readContainerFile(connection, sleeper, '/tmp/work/lost', 1000), (error) =>
      failedWith(error, 'notFound'),
    );
  });

  it('are listed, together with the contents of subfolders', async () => {
    const files = filesOf(never);
    const root = await files.list('/');
    assert(root.isWhole);
    const names = root.entries.map(({ name }) => name);
    for (const name of ['bin', 'etc', 'tmp']) assert(names.includes(name), names.join());
    const work = files.known('/tmp/work');
    assert.deepEqual(
      work?.entries.map(({ name, kind, size }) => [name.slice(0, 8), kind, size]),
      [
        ['big', 'file', big.length],
        ['dir', 'link', 0],
        ['in', 'link', 0],
        ['longlong', 'file', 4],
        ['lost', 'link', 0],
        ['out', 'link', 0],
        ['ünï 日本', 'file', 7],
      ],
    );
    assert(files.leadsToFolder('/tmp/work/dir', '/etc'));
    // Through the link itself, with a request to the engine.
    const etc = await filesOf(never).list('/tmp/work/dir');
    assert(etc.entries.some(({ name }) => name === 'passwd'));
  });

  it('are up to date while it runs, and after it was stopped', async () => {
    const id = await site.run(['sh', '-c', 'echo hello > /root/greeting; sleep 1000']);
    const read = async (): Promise<string> =>
      Buffer.from(await readContainerFile(connection, id, '/root/greeting', 100)).toString();
    await until(
      () =>
        read().then(
          (text) => text === 'hello\n',
          () => false,
        ),
      'the file exists',
    );
    const { entries } = await filesOf(id).list('/');
    assert(entries.some(({ name }) => name === 'root'));
    await stopContainer(connection, id);
    assert.equal(await read(), 'hello\n');
  });

  it('are downloaded, except links that point outside the folder', async () => {
    const to = join(folder, 'work');
    const reach = filesReach(sleeper);
    const done = await downloadPath(reach, '/tmp/work', to, { replace: false });
    assert.deepEqual(
      done.leftOut.map(({ name, reason }) => [name.replace('./', ''), reason]),
      [
        ['dir', 'outside'],
        ['out', 'outside'],
      ],
    );
    assert.equal(done.files, 3);
    assert(readFileSync(join(to, 'big')).equals(big));
    assert.equal(readlinkSync(join(to, 'in')), 'big');
    const { mode, mtimeMs } = lstatSync(join(to, 'ünï 日本'));
    assert.deepEqual([mode & 0o777, mtimeMs], [0o640, 1e12]);
  });

  it('are uploaded, and replace files of the same name', async () => {
    const again = join(folder, 'again');
    await uploadPaths(filesReach(sleeper), [join(folder, 'work')], '/root', {});
    await uploadPaths(filesReach(sleeper), [join(folder, 'work')], '/root', {});
    const done = await downloadPath(filesReach(sleeper), '/root/work', again, { replace: false });
    assert.deepEqual([done.files, done.leftOut], [3, []]);
    assert(readFileSync(join(again, 'big')).equals(big));
    await assert.rejects(uploadPaths(filesReach(sleeper), [again], '/etc/passwd', {}), {
      name: 'PathKindError',
    });
    await assert.rejects(uploadPaths(filesReach(sleeper), [again], '/nothing', {}), (error) =>
      failedWith(error, 'notFound'),
    );
    await assert.rejects(uploadPaths(filesReach(sleeper), [join(folder, 'none')], '/root', {}), {
      name: 'UploadError',
    });
  });

  it('do not block the container if the reader stops or cancels', async () => {
    for await (const entry of readArchive(connection, sleeper, '/tmp/work')) {
      if (entry.name.endsWith('big')) break;
    }
    assert.equal((await inspectContainer(connection, sleeper)).id, sleeper);
    const controller = new AbortController();
    const reading = (async () => {
      for await (const entry of readArchive(connection, sleeper, '/', controller.signal)) {
        if (entry.kind === 'file') controller.abort();
      }
    })();
    await assert.rejects(reading, { name: 'AbortError' });
    assert.equal((await inspectContainer(connection, sleeper)).id, sleeper);
  });

  it('are read from an image without running anything, and leave no container behind', async () => {
    const { id: image } = await inspectImage(connection, site.facts.image);
    const owner = temporaryOwner('test');
    const ours = async (): Promise<readonly string[]> => {
      const all = await listContainers(connection, { all: true });
      const mine = all.filter((one) => Object.values(one.labels).includes(owner));
      assert(mine.every((one) => isTemporaryContainer(one) && one.state === 'created'));
      assert(mine.every((one) => !isLeftBehind(one, owner, Date.now())));
      return mine.map(({ id }) => id);
    };
    const access = imageFileSource(() => Promise.resolve(connection), image, owner);
    const seen = await access(async (_, id) => {
      assert.deepEqual(await ours(), [id]);
      return readContainerFile(connection, id, '/etc/group', 1000);
    });
    assert.match(Buffer.from(seen).toString(), /^root/);
    const failing = access(() => Promise.reject(new Error('x')));
    await assert.rejects(failing, { message: 'x' });
    assert.deepEqual(await ours(), []);
  });

  it('are shown for a container that only has our label, and the container is kept', async () => {
    const listed = async (id: string): Promise<Container> => {
      const [found] = await listContainers(connection, { all: true, ids: [id] });
      assert(found);
      return found;
    };
    const killed = `${temporaryOwner('test').split('-')[0]}-${process.pid}-00000000`;
    const labels = { Labels: { [TEMPORARY_LABEL]: killed } };
    const running = await site.sleeper({ body: labels });
    const named = await site.sleeper({ name: temporaryName(), body: labels });
    const left = await site.create([], {
      name: temporaryName(),
      body: { ...labels, Entrypoint: ['gantry'], Cmd: ['never'] },
    });
    const inventory = new Inventory();
    const changes = new Emitter<unknown>();
    const unit = { inventory, engine: { connect: () => Promise.resolve(connection) } };
    const engines = { all: [unit], onDidChangeInventory: changes.event } as unknown as KnownEngines;
    sweepLeftovers(engines, () => temporaryOwner('test'));
    const all = await Promise.all([running, named, left].map(listed));
    const info = await connection.info();
    inventory.replaceAll(all, [], Date.now(), { kind: 'live', info });
    assert.deepEqual([...inventory.containers.keys()], [running, named]);
    assert.deepEqual([...inventory.temporaries.keys()], [left]);
    changes.fire(undefined);
    await until(async () => {
      const ids = (await listContainers(connection, { all: true })).map(({ id }) => id);
      return !ids.includes(left);
    }, 'the container left by a killed window is removed');
    assert.equal((await listed(running)).state, 'running');
    assert.equal((await listed(named)).state, 'running');
  });

  it('are safe while it runs, because the cleanup does not remove a running container', async () => {
    const left = await site.sleeper({ name: temporaryName() });
    await removeLeftBehind(connection, left);
    await assert.rejects(removeContainer(connection, left, { volumes: true }));
    assert.equal((await inspectContainer(connection, left)).state, 'running');
  });

  it('leave no container of an image behind if the user cancels immediately', async () => {
    const { id: image } = await inspectImage(connection, site.facts.image);
    const requests: string[] = [];
    const own = openConnection(parseEndpoint(site.facts.socket, 'setting'), {
      onRequest: ({ method, outcome }) => requests.push(`${method} ${outcome}`),
    });
    const controller = new AbortController();
    const create = () => createContainer(own, temporaryContainer(image, temporaryOwner('test')));
    const cut = openTemporaryContainer(own, create, true, controller.signal);
    controller.abort();
    await assert.rejects(cut, { name: 'AbortError' });
    await until(() => requests.includes('DELETE 204'), 'the temporary container is removed');
    own.dispose();
  });

  function filesReach(id: string): PlaceFilesReach {
    return (work) => work(connection, id);
  }
});

function temporaryName(): string {
  return `gantry-temporary-${randomBytes(6).toString('hex')}`;
}

type PlaceFilesReach = ConstructorParameters<typeof FileTreeReader>[0]['access'];
