import assert from 'node:assert/strict';
import { wholeDiskUse, type WholeDiskUse } from '../../../../src/engine/system/wholeDiskUse.ts';
import { idOf } from '../../inventory/support/nouns.ts';
import { json } from '../../support/fakeEngine.ts';
import { openLab, type Lab } from '../../support/lab.ts';

const IMAGES = [{ Id: `sha256:${idOf('a')}`, Size: 5, SharedSize: 2 }];
const CONTAINERS = [{ Id: idOf('b'), SizeRw: 7 }, { Id: idOf('c') }];
const VOLUMES = [
  { Name: 'data', UsageData: { Size: 9 } },
  { Name: 'nfs', UsageData: { Size: -1 } },
];
const CACHE = [{ ID: 'd', Size: 11, InUse: true, Shared: true, Type: 'regular' }];

describe('engine/wholeDiskUse', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  const measured = async (reply: unknown): Promise<WholeDiskUse> => {
    const { connection } = await lab.fake((_, response) => json(response, 200, reply));
    return wholeDiskUse(connection);
  };

  for (const status of [404, 500]) {
    it(`measures again, once, if something was removed in the meantime (${status})`, async () => {
      const gone = { message: 'snapshot a-view does not exist: not found' };
      let failures = 1;
      const { connection } = await lab.fake((_, response) => {
        if (failures-- > 0) json(response, status, gone);
        else json(response, 200, { Images: IMAGES, LayersSize: 5 });
      });
      assert.equal((await wholeDiskUse(connection)).images.layers, 5);
      failures = 2;
      await assert.rejects(wholeDiskUse(connection), /does not exist/);
    });
  }

  const shapes: Readonly<Record<string, unknown>> = {
    'up to 1.51': {
      ...{ LayersSize: 5, Images: IMAGES, Containers: CONTAINERS, Volumes: VOLUMES },
      BuildCache: CACHE,
    },
    'from 1.52 on': {
      ...{ ImagesUsage: { TotalSize: 5, Items: IMAGES }, ContainersUsage: { Items: CONTAINERS } },
      ...{ VolumesUsage: { Items: VOLUMES }, BuildCacheUsage: { Items: CACHE } },
    },
  };
  for (const [versions, reply] of Object.entries(shapes)) {
    it(`reads the response of API versions ${versions}`, async () => {
      const { images, containers, volumes, buildCache } = await measured(reply);
      assert.deepEqual([images.layers, [...images.images.values()]], [5, [{ size: 5, shared: 2 }]]);
      assert.deepEqual(Object.fromEntries(containers), { [idOf('b')]: 7, [idOf('c')]: 0 });
      assert.deepEqual(Object.fromEntries(volumes), { data: 9 });
      assert.deepEqual(
        buildCache.map(({ id, size, isInUse, isShared }) => ({ id, size, isInUse, isShared })),
        [{ id: 'd', size: 11, isInUse: true, isShared: true }],
      );
    });
  }

  it('reads what makes no sense as nothing', async () => {
    const hostile = { Images: 'x', Containers: [{ Id: '../x', SizeRw: 1 }, 3], Volumes: {} };
    for (const value of [null, [], 'text', { BuildCache: null }, hostile]) {
      const { images, containers, volumes, buildCache } = await measured(value);
      const sizes = [images.images.size, containers.size, volumes.size, buildCache.length];
      assert.deepEqual(sizes, [0, 0, 0, 0]);
    }
    const negative = await measured({ Containers: [{ Id: idOf('a'), SizeRw: -5 }] });
    assert.equal(negative.containers.get(idOf('a')), 0);
  });
});
