import assert from 'node:assert/strict';
import { runExec } from '../../src/engine/exec/runExec.ts';
import { removeContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { volumeWriteSource } from '../../src/engine/volumes/fileSource.ts';
import { copyByArchive } from '../../src/engine/files/copyByArchive.ts';
import type { ContainerOrVolume } from '../../src/engine/files/checkNoMount.ts';
import { findFileTools } from '../../src/engine/files/fileTools.ts';
import { hashOf } from '../../src/engine/files/readHash.ts';
import { removePath } from '../../src/engine/files/removePath.ts';
import { writeFile, type WriteOptions } from '../../src/engine/files/writeFile.ts';
import { temporaryOwner } from '../../src/engine/images/temporaryMarks.ts';
import { VolumeContainers } from '../../src/engine/volumes/volumeContainers.ts';
import { itOnDocker, Site } from './support.ts';

describe('files where something is in the way', () => {
  const site = new Site();
  const { connection } = site;
  after(() => site.leave());

  async function inside(container: string, script: string): Promise<string> {
    const command = ['sh', '-c', script];
    const result = await runExec(connection, container, { command, user: '0:0' });
    return result?.output.trim() ?? '';
  }
  const write = (id: string, path: string, text: string, options?: WriteOptions) =>
    writeFile(connection, id, path, Buffer.from(text), options);

  it('are not deleted in another volume that the container mounts over it', async () => {
    const [volume, over] = [site.volume(), site.volume()];
    const seed = { body: { HostConfig: { Binds: [`${volume}:/v`] } } };
    await site.runToEnd(['sh', '-c', 'mkdir /v/sub && touch /v/sub/f'], seed);
    const Binds = [`${volume}:/v`, `${over}:/v/sub`];
    const id = await site.sleeper({ body: { HostConfig: { Binds } } });
    await inside(id, 'echo other > /v/sub/f');
    const owner: ContainerOrVolume = { kind: 'volume', id: volume };
    const containers = new VolumeContainers(temporaryOwner('secret'));
    const work = async (): Promise<void> => {
      const tools = await findFileTools(connection, owner, 'rm');
      await using mounted = await containers.open(connection, volume);
      const spot = { connection, archive: mounted.root, owner, tools };
      await removePath(spot, '/sub/f', { isRecursive: false });
    };
    await assert.rejects(work(), /No running container|is mounted/);
    assert.equal(await inside(id, 'cat /v/sub/f'), 'other');
  });

  itOnDocker('are copied by the archive, however large', async () => {
    const id = await site.sleeper();
    await inside(
      id,
      'mkdir /big && head -c 20000000 /dev/urandom > /big/f && head -c 5000 /dev/zero > /big/g',
    );
    const owner: ContainerOrVolume = { kind: 'container', id };
    const signal = AbortSignal.timeout(20_000);
    await copyByArchive(connection, id, owner, { path: '/big/f', to: '/big/f2' }, signal);
    await copyByArchive(connection, id, owner, { path: '/big', to: '/big2' }, signal);
    assert.equal(await inside(id, 'cmp /big/f /big2/f2 && ls /big2'), 'f\nf2\ng');
  });

  it('run nothing of the user of the container as root', async () => {
    const id = await site.sleeper({
      body: { Env: ['PATH=/home/own:/usr/bin:/bin'], Image: site.facts.image },
    });
    await inside(
      id,
      'mkdir -p /home/own /tmp && touch /etc/one && ln /etc/one /etc/two && cd /home/own && printf "#!/bin/sh\\ntouch /ran\\n" > stat && chmod 755 stat && for p in mktemp wc cat rm; do cp stat $p; done',
    );
    assert.equal((await write(id, '/etc/one', 'x')).judgement.way, 'inPlace');
    assert.equal(await inside(id, '/bin/ls /ran; /bin/ls /home/own'), 'cat\nmktemp\nrm\nstat\nwc');
  });

  itOnDocker('keep what they had when the disk is full', async () => {
    const HostConfig = {
      Mounts: [
        {
          Type: 'volume',
          Source: site.volume(),
          Target: '/small',
          VolumeOptions: {
            DriverConfig: {
              Name: 'local',
              Options: { type: 'tmpfs', device: 'tmpfs', o: 'size=64k' },
            },
          },
        },
      ],
    };
    const id = await site.sleeper({ body: { HostConfig } });
    await inside(id, 'cd /small && printf old > f && printf old > a && ln a b');
    for (const path of ['/small/f', '/small/a']) {
      await assert.rejects(write(id, path, 'n'.repeat(200_000)), { now: 'old' });
      assert.equal(await inside(id, `cat ${path}`), 'old');
    }
  });

  it('are no links that lead nowhere', async () => {
    const id = await site.sleeper();
    await inside(id, 'ln -s /none/x /etc/broken');
    await assert.rejects(write(id, '/etc/broken', 'x', { create: true }));
    assert.equal(await inside(id, 'readlink /etc/broken'), '/none/x');
  });

  it('are read-only in a read-only root and mount, which is said', async () => {
    const Binds = [`${site.volume()}:/ro:ro`, `${site.volume()}:/rw`];
    const HostConfig = { ReadonlyRootfs: true, Binds };
    const id = await site.sleeper({ body: { HostConfig } });
    const create = { create: true };
    await assert.rejects(write(id, '/etc/x', 'x', create), { reason: 'readOnlyRoot' });
    await assert.rejects(write(id, '/ro/x', 'x', create), {
      reason: 'readOnlyMount',
      mount: '/ro',
    });
    assert.equal((await write(id, '/rw/x', 'x', create)).size, 1);
  });

  it('are saved in a volume with owner, group and mode', async () => {
    const volume = site.volume();
    const id = await site.sleeper({ body: { HostConfig: { Binds: [`${volume}:/v`] } } });
    await inside(id, 'cd /v && printf old > f && chown 1000:1001 f && chmod 640 f');
    const containers = new VolumeContainers(temporaryOwner('secret'));
    const source = volumeWriteSource(() => Promise.resolve(connection), volume, containers);
    const expected = hashOf(Buffer.from('old'));
    await source((to, root) => writeFile(to, root, '/f', Buffer.from('new'), { expected }));
    assert.equal(await inside(id, 'cat /v/f; stat -c " %u %g %a" /v/f'), 'new 1000 1001 640');
  });

  it('are not saved in the container that took the place of theirs', async () => {
    const name = site.name();
    const { id } = await site.runToEnd(['true'], { name });
    await removeContainer(connection, id, { force: true });
    const next = await site.sleeper({ name });
    await inside(next, 'printf other > /etc/f');
    await assert.rejects(write(id, '/etc/f', 'x', { create: true }), { reason: 'notFound' });
    assert.equal(await inside(next, 'cat /etc/f'), 'other');
  });

  it('are said to be elsewhere if a link was put in the way at that moment', async () => {
    const id = await site.sleeper();
    await inside(id, 'mkdir -p /w/way /w/other && echo a > /w/way/f && echo b > /w/other/f');
    const swapping = new Proxy(connection, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return async (...given: readonly unknown[]): Promise<unknown> => {
          const [request] = given as readonly [{ readonly method?: string } | undefined];
          if (request?.method === 'PUT') await inside(id, 'mv /w/way /w/was && ln -s other /w/way');
          return Reflect.apply(value, target, given) as unknown;
        };
      },
    });
    await assert.rejects(writeFile(swapping, id, '/w/way/f', Buffer.from('x')), {
      name: 'FileWriteError',
      movedTo: '/w/other',
    });
  });
});
