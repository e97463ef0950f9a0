import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container } from '../../../src/engine/model.ts';
import { AllFiles, type FilesChange } from '../../../src/files/allFiles.ts';
import type { FileRoot } from '../../../src/files/fileRoot.ts';
import { Inventory, type InventoryChange } from '../../../src/inventory/inventory.ts';
import type { KnownEngines } from '../../../src/inventory/knownEngine.ts';
import { Emitter, toDisposable } from '../../../src/base/lifetime.ts';
import { container, volume } from '../inventory/support/nouns.ts';
import { json } from '../support/fakeEngine.ts';
import { failure, openLab, type Lab } from '../support/lab.ts';
import { packed } from '../support/tars.ts';

const LIVE = { kind: 'live', info: { product: 'docker', engineApi: '1.41', api: '1.41' } } as const;
const idOf = (number: number): string => number.toString(16).padStart(64, '0');
const placeOf = (number: number): FileRoot => ({
  ...{ engine: 'docker', kind: 'container', id: idOf(number), name: 'web' },
});

describe('files/allFiles', () => {
  let lab: Lab;
  let inventory: Inventory;
  let changes: Emitter<InventoryChange>;
  let enginesChanges: Emitter<void>;
  let all: AllFiles;
  let now: number;
  let told: FilesChange[];
  let asked: () => number;
  let mounts: readonly object[];

  beforeEach(async () => {
    lab = openLab();
    const tar = await packed([{ name: 'd', size: 1 }]);
    const { engine, connection } = await lab.fake(({ path }, response) => {
      if (path.startsWith('/volumes/')) json(response, 200, { Name: 'data', Driver: 'local' });
      else if (path === '/containers/create') json(response, 201, { Id: idOf(9) });
      else if (path.endsWith('/json')) json(response, 200, { Id: idOf(1), Mounts: mounts });
      else response.end(tar);
    });
    mounts = [];
    asked = () => engine.seen.length;
    inventory = new Inventory();
    changes = new Emitter();
    enginesChanges = new Emitter();
    inventory.onDidChange((change) => changes.fire(change));
    const unit = { inventory, engine: { connect: () => Promise.resolve(connection) } };
    const engines = {
      get: (id: string) => (id === 'docker' ? unit : undefined),
      onDidChange: enginesChanges.event,
      onDidChangeInventory: changes.event,
    } as unknown as KnownEngines;
    now = 0;
    all = new AllFiles(engines, 'me', () => now);
    told = [];
    all.onDidChange((change) => told.push(change));
  });
  afterEach(async () => {
    all.dispose();
    await lab.close();
  });

  function list(state: Container['state'], health?: Container['health']): void {
    inventory.replaceAll([container('1', { id: idOf(1), state, health })], [], 0, LIVE);
  }

  it('finds the local file of a bind mount, but not where a link of the container leads', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gantry-bind-')));
    try {
      const source = join(folder, 'mounted');
      mkdirSync(join(source, 'real'), { recursive: true });
      writeFileSync(join(source, 'real/f'), '');
      writeFileSync(join(folder, 'secret'), '');
      symlinkSync(join(folder, 'secret'), join(source, 'link'));
      symlinkSync(folder, join(source, 'out'));
      mounts = [{ Type: 'bind', Source: source, Destination: '/app', RW: true }];
      assert.equal(await all.localPath(placeOf(1), '/app/real/f'), join(source, 'real/f'));
      for (const path of ['/app/link', '/app/out/secret', '/app/none', '/app/real', '/etc/x'])
        assert.equal(await all.localPath(placeOf(1), path), undefined, path);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('caches the files of the eight most recently used containers and images', async () => {
    for (let number = 1; number <= 8; number++) await all.of(placeOf(number)).list('/');
    const first = all.of(placeOf(1));
    const second = all.of(placeOf(2));
    assert.deepEqual([first.known('/') !== undefined, asked()], [true, 8]);
    // The third is the least recently used.
    const third = all.of(placeOf(3));
    for (const number of [4, 5, 6, 7, 8, 1, 2, 9]) all.of(placeOf(number));
    assert.equal(third.known('/'), undefined);
    assert.notEqual(all.of(placeOf(3)), third);
    assert.equal(all.of(placeOf(2)), second);
    assert.notEqual(second.known('/'), undefined);
  });

  it('drops files and fires when a container starts or is removed, but not when its health changes', async () => {
    list('exited');
    const files = all.of(placeOf(1));
    await files.list('/');
    list('running');
    assert.deepEqual(told, [{ root: placeOf(1), isRequested: false }]);
    assert.equal(files.known('/'), undefined);
    await files.list('/');
    list('running', 'healthy');
    assert.equal(told.length, 1);
    assert.notEqual(files.known('/'), undefined);
    inventory.replaceAll([], [], 0);
    assert.equal(told.length, 2);
    assert.equal(all.of(placeOf(1)).known('/'), undefined);
  });

  it('does not fire for a container whose files were never requested', () => {
    list('exited');
    list('running');
    assert.deepEqual(told, []);
  });

  it('drops the files and fires on refresh', async () => {
    const files = all.of(placeOf(1));
    await files.list('/');
    all.refresh(placeOf(1));
    assert.equal(files.known('/'), undefined);
    assert.deepEqual(told, [{ root: placeOf(1), isRequested: true }]);
  });

  it('expires the files of a running or unknown container after a while, but not of a stopped one', async () => {
    const isKnownLater = async (): Promise<boolean> => {
      all.refresh(placeOf(1));
      await all.of(placeOf(1)).list('/');
      now += 60_000;
      return all.of(placeOf(1)).known('/') !== undefined;
    };
    assert.equal(await isKnownLater(), false);
    list('running');
    assert.equal(await isKnownLater(), false);
    list('exited');
    assert.equal(await isKnownLater(), true);
  });

  it('fires when an image or an engine is removed, also if its files are no longer cached', () => {
    const image: FileRoot = { ...placeOf(1), kind: 'image', id: `sha256:${idOf(1)}` };
    list('running');
    inventory.replaceImages([{ id: image.id, tags: [], digests: [], createdAt: '', size: 0 }]);
    const left: boolean[] = [];
    all.onDidRemove(() => left.push(all.isThere(image)));
    inventory.replaceImages([]);
    assert.deepEqual(left, [false]);
    enginesChanges.fire();
    assert.deepEqual(left, [false, false]);
  });

  it('has the current name of a container that is known', () => {
    assert.equal(all.nameOf(placeOf(1)), 'web');
    list('running');
    assert.equal(all.nameOf(placeOf(1)), '1');
    assert.equal(all.nameOf({ ...placeOf(1), kind: 'volume' }), 'web');
  });

  it('checks the existence of an image among the images', () => {
    const image: FileRoot = { ...placeOf(1), kind: 'image', id: `sha256:${idOf(1)}` };
    assert.equal(all.isThere(image), true);
    list('running');
    assert.equal(all.isThere(image), false);
    inventory.replaceImages([{ id: image.id, tags: [], digests: [], createdAt: '', size: 0 }]);
    assert.equal(all.isThere(image), true);
    inventory.replaceImages([], { ...LIVE, images: 'awaited' });
    assert.equal(all.isThere(image), true);
    inventory.replaceImages([], LIVE);
    assert.equal(all.isThere(image), false);
  });

  it('finds a volume gone once it was listed, also if the list is older than the volume', () => {
    const data: FileRoot = { engine: 'docker', kind: 'volume', id: 'data', name: 'data' };
    list('running');
    inventory.volumes.replace([volume('old')]);
    assert.equal(all.isThere(data), true);
    inventory.volumes.replace([volume('data')]);
    assert.equal(all.isThere(data), true);
    inventory.volumes.replace([]);
    assert.equal(all.isThere(data), false);
  });

  it('keeps a volume after its engine was connected again, until the volumes are listed', () => {
    const data: FileRoot = { engine: 'docker', kind: 'volume', id: 'data', name: 'data' };
    list('running');
    inventory.volumes.replace([volume('data')]);
    assert.equal(all.isThere(data), true);
    inventory.clear(0, { kind: 'off' });
    list('running');
    assert.equal(all.isThere(data), true);
    inventory.volumes.replace([]);
    assert.equal(all.isThere(data), false);
  });

  it('has the volumes listed only as long as one is watched', () => {
    const data: FileRoot = { engine: 'docker', kind: 'volume', id: 'data', name: 'data' };
    let lookers = 0;
    inventory.volumes.look = () => {
      lookers++;
      return toDisposable(() => lookers--);
    };
    all.of(data);
    assert.equal(lookers, 0);
    const watches = [all.watch(data), all.watch(placeOf(1))];
    assert.equal(lookers, 1);
    for (const one of watches) one.dispose();
    assert.equal(lookers, 0);
  });

  it('drops the files of a volume when a container that uses it starts', () => {
    const data: FileRoot = { engine: 'docker', kind: 'volume', id: 'data', name: 'data' };
    const mounts = [{ type: 'volume', volume: 'data', path: '/data', isReadOnly: false }];
    const run = (state: Container['state']): void => {
      inventory.replaceAll([container('1', { id: idOf(1), state, mounts })], [], 0, LIVE);
    };
    run('exited');
    all.of(data);
    run('running');
    assert.deepEqual(told, [{ root: data, isRequested: false }]);
    list('running');
    assert.equal(told.length, 2);
  });

  it('drops the files of a volume that is another one now, and has them read again once it is listed', async () => {
    const data: FileRoot = { engine: 'docker', kind: 'volume', id: 'data', name: 'data' };
    const made = (createdAt: string): void => {
      inventory.volumes.replace([volume('data', { createdAt })]);
    };
    list('running');
    made('2026-01-01T00:00:00Z');
    const files = all.of(data);
    await files.list('/');
    inventory.volumes.replace([volume('data', { createdAt: '2026-01-01T00:00:00Z' }), volume('b')]);
    list('exited');
    assert.notEqual(files.known('/'), undefined);
    assert.equal(told.length, 0);
    made('2026-01-02T00:00:00Z');
    assert.equal(files.known('/'), undefined);
    assert.deepEqual(told, [{ root: data, isRequested: true }]);
    await files.list('/');
    inventory.clear(0, { kind: 'connecting' });
    assert.equal(files.known('/'), undefined);
    assert(told.slice(1).every(({ isRequested }) => !isRequested));
    list('running');
    made('2026-01-03T00:00:00Z');
    assert.equal(told.at(-1)?.isRequested, true);
  });

  it('drops the files of a volume that was never listed when its engine is replaced', async () => {
    const data: FileRoot = { engine: 'docker', kind: 'volume', id: 'data', name: 'data' };
    list('running');
    await all.of(data).list('/');
    list('exited');
    assert.notEqual(all.of(data).known('/'), undefined);
    inventory.clear(0, { kind: 'connecting' });
    assert.equal(all.of(data).known('/'), undefined);
  });

  it('checks whether a container exists, and assumes that it does while its engine is not live', async () => {
    assert.equal(all.isThere(placeOf(2)), true);
    list('running');
    assert.deepEqual([all.isThere(placeOf(1)), all.isThere(placeOf(2))], [true, false]);
    const elsewhere = { ...placeOf(1), engine: 'other' };
    assert.equal(all.isThere(elsewhere), false);
    await failure(all.of(elsewhere).list('/'), 'notFound');
  });
});
