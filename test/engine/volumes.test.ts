import { VolumeInUseError } from '../../src/engine/volumes/volumeErrors.ts';
import assert from 'node:assert/strict';
import { failedWith, InputError } from '../../src/engine/errors.ts';
import { listVolumeSizes } from '../../src/engine/system/system.ts';
import { createVolume } from '../../src/engine/volumes/createVolume.ts';
import { removeVolume } from '../../src/engine/volumes/removeVolume.ts';
import { isAnonymousVolume } from '../../src/engine/model.ts';
import { inspectVolume, listVolumes } from '../../src/engine/volumes/volumes.ts';
import { removeContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { Site } from './support.ts';

describe('volumes', () => {
  const site = new Site();
  const { connection } = site;
  after(() => site.leave());

  it('are created, and one of the same name is left as it is', async () => {
    const name = site.volume();
    const labels = { tier: 'data' };
    const first = await createVolume(connection, { name, labels });
    assert.deepEqual([first.volume.name, first.outcome], [name, 'created']);
    const wanted = { name, labels: { tier: 'other' }, driver: 'nosuch' };
    const second = await createVolume(connection, wanted);
    assert.deepEqual([second.volume.name, second.outcome], [name, 'alreadyThere']);
    const { driver, labels: kept } = await inspectVolume(connection, name);
    assert.deepEqual([driver, kept], ['local', labels]);
    assert((await listVolumes(connection)).some((one) => one.name === name));
  });

  it('are created with options, and anonymous without a name', async () => {
    const name = site.volume();
    const options = { type: 'tmpfs', device: 'tmpfs', o: 'uid=1000' };
    const made = await createVolume(connection, { name, options });
    assert.equal(made.outcome, 'created');
    assert.equal((await inspectVolume(connection, name)).options['type'], 'tmpfs');
    const { volume, outcome } = await createVolume(connection, {});
    assert.equal(outcome, 'created');
    assert(isAnonymousVolume(await inspectVolume(connection, volume.name)));
    assert.deepEqual(await removeVolume(connection, volume.name), { outcome: 'removed' });
  });

  it('are not created with an invalid name, driver or option', async () => {
    for (const request of [
      ...[{ name: '' }, { name: 'a' }, { name: '-a' }, { name: 'a b' }, { name: 'a'.repeat(256) }],
      ...[{ driver: '' }, { driver: 'a b' }, { options: { 'a b': '' } }, { labels: { '': '' } }],
    ])
      await assert.rejects(createVolume(connection, request), InputError);
  });

  it('are not removed while a container uses them, running or not', async () => {
    const name = site.volume();
    const user = site.name();
    const id = await site.create(['true'], {
      name: user,
      body: { HostConfig: { Binds: [`${name}:/data`] } },
    });
    await assert.rejects(removeVolume(connection, name), (error) => {
      assert(error instanceof VolumeInUseError);
      assert.deepEqual(
        error.users.map((one) => one.name),
        [user],
      );
      return true;
    });
    await removeContainer(connection, id);
    assert.deepEqual(await removeVolume(connection, name), { outcome: 'removed' });
    assert.deepEqual(await removeVolume(connection, name), { outcome: 'alreadyGone' });
    await assert.rejects(inspectVolume(connection, name), (error) => failedWith(error, 'notFound'));
    await createVolume(connection, { name });
  });

  it('have a size on demand', async () => {
    const name = site.volume();
    const script = 'head -c 300000 /dev/urandom > /data/big';
    const body = { HostConfig: { Binds: [`${name}:/data`] } };
    await site.runToEnd(['sh', '-c', script], { body });
    const size = (await listVolumeSizes(connection)).get(name) ?? 0;
    assert(size >= 300_000 && size < 400_000, String(size));
  });
});
