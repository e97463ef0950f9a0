import assert from 'node:assert/strict';
import { VolumeContainers } from '../../../../src/engine/volumes/volumeContainers.ts';
import { idOf } from '../../inventory/support/nouns.ts';
import { json } from '../../support/fakeEngine.ts';
import { failure, openLab, type Lab } from '../../support/lab.ts';

describe('VolumeContainers', () => {
  let lab: Lab;
  beforeEach(() => {
    lab = openLab();
  });
  afterEach(() => lab.close());

  it('mounts a volume of any name, and never a folder of the host', async () => {
    const mounts: unknown[] = [];
    const { connection } = await lab.fake(({ path, body }, response) => {
      if (path.startsWith('/volumes/'))
        json(response, 200, { Name: decodeURIComponent(path.slice('/volumes/'.length)) });
      else if (path !== '/containers/create') response.writeHead(204).end();
      else {
        const { HostConfig } = JSON.parse(body) as { HostConfig: Record<string, unknown> };
        mounts.push(HostConfig['Binds'] ?? HostConfig['Mounts']);
        json(response, 201, { Id: idOf('a') });
      }
    });
    const containers = new VolumeContainers('aaaaaaaaaaaa-1-bbbbbbbb');
    for (const name of ['shop_db-1.x', 'a/b', 'a:b'])
      await containers.use(connection, name, () => Promise.resolve());
    assert.deepEqual(mounts, [
      ['shop_db-1.x:/volume'],
      [{ Type: 'volume', Source: 'a/b', Target: '/volume' }],
      [{ Type: 'volume', Source: 'a:b', Target: '/volume' }],
    ]);
    for (const name of ['', '/etc', '../x', '.'])
      await failure(
        containers.use(connection, name, () => Promise.resolve()),
        'notFound',
      );
  });
});
