import assert from 'node:assert/strict';
import { readArchive, readFile, statPath } from '../../src/engine/archive.ts';
import { inspectContainer, listContainers } from '../../src/engine/containers.ts';
import { isTemporary, newOwner, withImageContainer } from '../../src/engine/imageContainer.ts';
import { inspectImage } from '../../src/engine/images.ts';
import { failedWith } from '../../src/engine/errors.ts';
import { Site } from './support.ts';

describe('engine/archive: the files of a container', () => {
  const site = new Site();
  const { connection } = site;
  let never: string;
  before(async () => {
    never = await site.create(['sleep', '1000']);
  });
  after(() => site.leave());

  it('are told one by one, links with where they end', async () => {
    const link = await statPath(connection, never, '/bin/ls');
    assert.deepEqual([link.kind, link.linkTarget], ['link', '/bin/busybox']);
    const file = await statPath(connection, never, '/etc/passwd');
    assert.deepEqual(
      [file.kind, file.size, file.permissions, file.linkTarget],
      ['file', 65, 0o644, ''],
    );
    assert.equal(new Date(file.modifiedAt).getUTCFullYear(), 2023);
    assert.equal((await statPath(connection, never, '/etc')).kind, 'folder');
    await assert.rejects(statPath(connection, never, '/nothing'), (e) => failedWith(e, 'notFound'));
  });

  it('are read whole, through links, within a limit', async () => {
    const passwd = await readFile(connection, never, '/etc/passwd', 1000);
    assert.match(Buffer.from(passwd).toString(), /^root:x:0:0/);
    const [busybox, ls] = [
      await readFile(connection, never, '/bin/busybox', 1e8),
      await readFile(connection, never, '/bin/ls', 1e8),
    ];
    assert(Buffer.from(busybox).equals(ls));
    await assert.rejects(readFile(connection, never, '/bin/busybox', 1000), (error) =>
      failedWith(error, 'tooLarge'),
    );
    await assert.rejects(readFile(connection, never, '/etc', 1000), { name: 'PathKindError' });
    await assert.rejects(readFile(connection, never, '/no', 1000), (e) =>
      failedWith(e, 'notFound'),
    );
  });

  it('leave the container free at once when the reader leaves', async () => {
    for await (const entry of readArchive(connection, never, '/.')) if (entry.name !== '') break;
    assert.equal((await inspectContainer(connection, never)).id, never);
  });

  it('of an image are read without running anything, and nothing stays', async () => {
    const { id: image } = await inspectImage(connection, site.facts.image);
    const owner = newOwner();
    const seen = await withImageContainer(connection, image, owner, async (id) => {
      assert.equal((await inspectContainer(connection, id)).wasStarted, false);
      return readFile(connection, id, '/etc/group', 1000);
    });
    assert.match(Buffer.from(seen).toString(), /^root/);
    const failing = withImageContainer(connection, image, owner, () =>
      Promise.reject(new Error('x')),
    );
    await assert.rejects(failing, { message: 'x' });
    const controller = new AbortController();
    const cut = withImageContainer(
      connection,
      image,
      owner,
      () => Promise.resolve(),
      controller.signal,
    );
    controller.abort();
    await assert.rejects(cut, { name: 'AbortError' });
    // The last one goes in the background.
    for (let left = 1; left > 0;) {
      const all = await listContainers(connection, { all: true });
      left = all.filter(
        (one) => isTemporary(one) && Object.values(one.labels).includes(owner),
      ).length;
    }
  });
});
