import assert from 'node:assert/strict';
import { listContainersInPods } from '../../src/engine/containers/listContainersInPods.ts';
import { Inventory } from '../../src/inventory/inventory.ts';
import { Watcher } from '../../src/inventory/watcher.ts';
import { DisposableStore } from '../../src/base/lifetime.ts';
import { findProject } from '../../src/projects/project.ts';
import { wallClock } from '../../src/base/time.ts';
import { until } from '../bed/until.ts';
import { Site } from './support.ts';

describe('a pod on a real engine', function () {
  this.timeout(60_000);
  const site = new Site();
  const store = new DisposableStore();
  const { connection, facts } = site;
  const pod = site.name();

  before(function () {
    if (!site.isPodman) this.skip();
  });
  after(async () => {
    store.dispose();
    if (site.isPodman) {
      const query = { force: true };
      await connection.send({ method: 'DELETE', path: `/libpod/pods/${pod}`, query });
    }
    await site.leave();
  });

  const post = (path: string, body: object = {}): Promise<unknown> =>
    connection.send({ method: 'POST', path: `/libpod/${path}`, body });

  it('groups its containers, also one that joins while they are shown', async () => {
    const command = ['sleep', '1000'];
    const infra = { infra_image: facts.image, infra_command: command };
    await post('pods/create', { name: pod, share: [], ...infra });
    const member = (name: string): Promise<unknown> =>
      post('containers/create', { name: `${pod}-${name}`, image: facts.image, command, pod });
    await member('web');
    const found = findProject(await listContainersInPods(connection), pod);
    assert.equal(found?.isPod, true);
    const members = found.services.flatMap(({ containers }) => containers);
    assert.deepEqual(members.map((one) => one.pod?.isInfra).sort(), [false, true]);
    assert.equal(members.find((one) => one.pod?.isInfra !== true)?.name, `${pod}-web`);

    const inventory = store.add(new Inventory());
    const connect = () => Promise.resolve(connection);
    store.add(new Watcher({ inventory, connect, clock: wallClock })).start();
    const seen = (): readonly (string | undefined)[] =>
      [...inventory.containers.values()]
        .filter(({ name }) => name.startsWith(`${pod}-`))
        .map((one) => one.pod?.name);
    await until(() => seen().length === 1, 'one member');
    await member('db');
    await until(() => seen().length === 2, 'two members');
    assert.deepEqual(seen(), [pod, pod]);
  });
});
