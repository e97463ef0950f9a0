import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { findUnused } from '../../src/commands/system/cleanupVerdicts.ts';
import { type CleanupItem, exclude } from '../../src/commands/system/cleanupItem.ts';
import { CLEANUP_KINDS } from '../../src/engine/system/cleanupKinds.ts';
import { Exclusions } from '../../src/engines/exclusions.ts';
import type { CommandContext } from '../../src/commands/frame/commandContext.ts';
import { listContents } from '../../src/commands/system/listContents.ts';
import { planPrune } from '../../src/commands/system/planPrune.ts';
import { removeItems, type Removal } from '../../src/commands/system/removeItems.ts';
import { inspectContainer } from '../../src/engine/containers/containers.ts';
import { startContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { failedWith } from '../../src/engine/errors.ts';
import { createNetwork } from '../../src/engine/networks/networkOperations.ts';
import {
  listBuildCache,
  removeCacheRecord,
  type CacheRecord,
} from '../../src/engine/system/buildCache.ts';
import { wholeDiskUse } from '../../src/engine/system/wholeDiskUse.ts';
import { createVolume } from '../../src/engine/volumes/createVolume.ts';
import { inspectVolume } from '../../src/engine/volumes/volumes.ts';
import { Activity } from '../../src/inventory/activity.ts';
import { Inventory } from '../../src/inventory/inventory.ts';
import type { Memento } from '../../src/base/lifetime.ts';
import { until } from '../bed/until.ts';
import { tar } from '../bed/tar.ts';
import { Site } from './support.ts';

describe('prune', () => {
  const site = new Site();
  const { connection } = site;
  const { signal } = new AbortController();
  after(() => site.leave());

  const findAll = async (all: boolean): Promise<readonly CleanupItem[]> => {
    const found = await listContents(connection, CLEANUP_KINDS, signal);
    return findUnused(found, { kinds: CLEANUP_KINDS, all });
  };

  /** Removes only items of this test, because the engine has others. */
  const remove = async (items: readonly CleanupItem[], volumes = false): Promise<Removal> => {
    const removal: Removal = { removed: [], kept: new Map() };
    const context = {
      ...{ activity: new Activity(), inventory: new Inventory(), ui: {} },
    } as unknown as CommandContext;
    await removeItems(context, { connection, items, removal, volumes }, signal);
    return removal;
  };

  it('measures writable layers, images and volumes with one request', async () => {
    const volume = site.volume();
    const script = 'head -c 300000 /dev/urandom > /big; cp /big /data';
    const body = { HostConfig: { Binds: [`${volume}:/data`] } };
    const { id } = await site.runToEnd(['sh', '-c', script], { body });
    const { containers, volumes, images } = await wholeDiskUse(connection);
    for (const size of [containers.get(id) ?? 0, volumes.get(volume) ?? 0])
      assert(size >= 300_000 && size < 400_000, String(size));
    assert(images.images.size > 0);
  });

  it('finds what is unused, and removes it with what only a stopped container used', async () => {
    const volume = site.volume();
    const name = site.name();
    const network = site.ownsNetwork((await createNetwork(connection, { name })).id);
    await createVolume(connection, { name: volume });
    const HostConfig = { Binds: [`${volume}:/data`], NetworkMode: name };
    const id = await site.create(['true'], { body: { HostConfig } });
    const up = await site.sleeper();
    const items = await findAll(true);
    assert(!items.some((one) => one.id === up));
    const mine = items.filter((one) => [id, volume, network].includes(one.id));
    assert.deepEqual(
      mine.map(({ kind }) => kind),
      ['containers', 'volumes', 'networks'],
    );
    assert(!(await findAll(false)).some((one) => one.id === volume));
    const { removed, kept } = await remove(mine);
    assert.deepEqual([removed, [...kept]], [mine, []]);
    assert.deepEqual((await remove(mine)).kept.size, 0);
    await createVolume(connection, { name: volume });
  });

  it('keeps a container that was started, and what it uses', async () => {
    const volume = site.volume();
    const body = { HostConfig: { Binds: [`${volume}:/data`] } };
    const id = await site.create(['sleep', '1000'], { body });
    const mine = (await findAll(true)).filter((one) => [id, volume].includes(one.id));
    await startContainer(connection, id);
    const { removed, kept } = await remove(mine);
    assert.deepEqual([removed.length, kept.size], [0, 2]);
    assert((await inspectContainer(connection, id)).isRunning);
  });

  it('removes anonymous volumes with the container only on request', async () => {
    const volumes: string[] = [];
    for (const isWanted of [false, true]) {
      const body = { Volumes: { '/data': {} } };
      const id = await site.create(['true'], { body });
      const items = (await findAll(false)).filter((one) => one.id === id);
      const [item] = items;
      assert(item?.kind === 'containers');
      volumes.push(item.seen.mounts.find(({ path }) => path === '/data')?.volume ?? '');
      await remove(items, isWanted);
    }
    const [kept = '', gone = ''] = volumes;
    assert.equal((await inspectVolume(connection, kept)).name, kept);
    await assert.rejects(inspectVolume(connection, gone), (error) => failedWith(error, 'notFound'));
    const left = (await findAll(false)).filter((one) => one.id === kept);
    assert.equal((await remove(left)).removed.length, 1);
  });

  it('keeps what is excluded, and measures one kind alone', async () => {
    const volume = site.volume();
    await createVolume(connection, { name: volume });
    const id = await site.create(['true']);
    let stored: unknown = {};
    const memento = { get: () => stored, update: (_: string, now: unknown) => void (stored = now) };
    const exclusions = new Exclusions(memento as unknown as Memento);
    for (const [kind, key] of [
      ['volumes', volume],
      ['containers', id],
    ] as const) {
      const context = {
        engine: { connect: () => Promise.resolve(connection) },
        unit: { id: '' },
        ui: {},
        window: { exclusions },
      } as unknown as CommandContext;
      const plan = () => planPrune(context, { kinds: [kind], all: true }, signal);
      const item = (await plan()).items.find((one) => one.id === key);
      assert(item?.size === 0);
      await exclude(exclusions, '', item, true);
      const { items, kept } = await plan();
      assert(!items.some((one) => one.id === key));
      assert.equal([...kept].find(([one]) => one.id === key)?.[1], 'excluded by you');
    }
  });

  it('removes build cache record by record, those that others are based on last', async function () {
    if (site.isPodman) {
      assert.deepEqual(await listBuildCache(connection), []);
      return this.skip();
    }
    const before = new Set((await listBuildCache(connection)).map(({ id }) => id));
    await build();
    // The builder may keep what it has just used a moment longer than its answer takes.
    let records: readonly CacheRecord[] = [];
    await until(async () => {
      records = (await listBuildCache(connection)).filter(({ id }) => !before.has(id));
      return !records.some(({ isInUse }) => isInUse);
    }, 'no record is in use');
    const all = await findAll(true);
    const mine = all.flatMap((one) =>
      one.kind === 'buildCache' && !before.has(one.id) ? [one.seen] : [],
    );
    const based = mine.find((one) => mine.some(({ parents }) => parents.includes(one.id)));
    assert(based, 'no record is based on another one');
    assert.deepEqual(await removeCacheRecord(connection, based.id), { outcome: 'kept' });
    for (const { id, description } of mine)
      assert.deepEqual(
        await removeCacheRecord(connection, id),
        { outcome: 'removed' },
        description,
      );
    const left = (await listBuildCache(connection)).map(({ id }) => id);
    assert(!mine.some(({ id }) => left.includes(id)));
  });

  /** Builds an image of two layers with the API, without a session. */
  async function build(): Promise<void> {
    const dockerfile = `FROM ${site.facts.image}\nCOPY one /one\nCOPY two /two\n`;
    const context = tar([
      { name: 'Dockerfile', kind: 'file', data: Buffer.from(dockerfile) },
      { name: 'one', kind: 'file', data: Buffer.from(site.name()) },
      { name: 'two', kind: 'file', data: Buffer.from(site.name()) },
    ]);
    const upload = {
      type: 'application/x-tar',
      open: () => Readable.from([context]),
    };
    const query = { version: '2', t: site.owns(`${site.repository()}:1`) };
    const request = { method: 'POST', path: '/build', query, upload, limitMs: 0 } as const;
    const { text } = await connection.send(request);
    assert(!text.includes('"errorDetail"'), text);
  }
});
