import assert from 'node:assert/strict';
import { exportContainer } from '../../src/engine/archive/exportContainer.ts';
import { readTar } from '../../src/engine/archive/readTar.ts';
import { failedWith } from '../../src/engine/errors.ts';
import { Site } from './support.ts';

describe('the file system of a container of a real engine', () => {
  const site = new Site();
  after(() => site.leave());

  it('is exported to its end without mounts, from a stopped container, too', async () => {
    const script = 'echo mine > /own; echo lost > /data/lost; mkdir -p /a/b; ln -s /own /a/b/link';
    const Mounts = [{ Type: 'volume', Source: site.volume(), Target: '/data' }];
    const body = { HostConfig: { Mounts } };
    const { id } = await site.runToEnd(['sh', '-c', script], { body });
    const found = new Map<string, string>();
    for await (const { name, contents, linkTarget } of readTar(
      await exportContainer(site.connection, id),
    )) {
      const path = `/${name}`.replace(/^\/+/, '/').replace(/\/$/, '');
      const isOwn = path === '/own';
      let text = linkTarget;
      if (isOwn) for await (const chunk of contents) text += Buffer.from(chunk).toString();
      found.set(path, text);
    }
    assert.equal(found.get('/own'), 'mine\n');
    assert.equal(found.get('/a/b/link'), '/own');
    assert.deepEqual([found.has('/data'), found.has('/data/lost')], [true, false]);
    assert.ok(found.has('/bin/sh'));
  });

  it('is exported while the container runs, and can be cancelled', async () => {
    const id = await site.sleeper();
    const controller = new AbortController();
    const tar = await exportContainer(site.connection, id, controller.signal);
    const reading = (async () => {
      for await (const _ of tar) controller.abort();
    })();
    await assert.rejects(reading, { name: 'AbortError' });
    await assert.rejects(exportContainer(site.connection, 'f'.repeat(64)), (error) =>
      failedWith(error, 'notFound'),
    );
  });
});
