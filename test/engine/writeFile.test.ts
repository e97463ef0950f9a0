import assert from 'node:assert/strict';
import { writeFile, type WriteOptions } from '../../src/engine/files/writeFile.ts';
import { hashOf } from '../../src/engine/files/readHash.ts';
import { judgeWrite } from '../../src/engine/files/judgeWrite.ts';
import { runExec } from '../../src/engine/exec/runExec.ts';
import { stopContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { Site } from './support.ts';

const SETUP = `
mkdir -p /etc/app && cd /etc/app && printf old > app.conf && chown 1000:1001 app.conf && chmod 640 app.conf
ln -s app.conf link && ln -s /etc/app /etc/dirlink && ln -s ../gone/x broken
printf one > first && chown 7:8 first && ln first second
printf s > tool && chown 7:8 tool && chmod 4755 tool
mkdir sub && chown 5:6 sub && touch /etc/app/ready; exec sleep 1000`;

describe('a file of a container is written', () => {
  const site = new Site();
  const { connection, isPodman } = site;
  const volume = site.volume();
  let id: string;

  before(async () => {
    const HostConfig = { Binds: [`${volume}:/data`], Tmpfs: { '/cache': '' } };
    id = await site.run(['sh', '-c', SETUP], { body: { HostConfig } });
    for (
      let tries = 0;
      (await inside('cat /etc/app/ready; echo $?')) !== '0' && tries < 50;
      tries++
    );
  });
  after(() => site.leave());

  async function inside(script: string, container = id): Promise<string> {
    const result = await runExec(connection, container, ['sh', '-c', script]);
    return result?.output.trim() ?? '';
  }

  const write = (path: string, text: string, options?: WriteOptions) =>
    writeFile(connection, id, path, Buffer.from(text), options);

  it('with its owner, group and mode', async () => {
    const done = await write('/etc/app/app.conf', 'new contents', {
      expected: hashOf(Buffer.from('old')),
    });
    assert.deepEqual(
      [done.owner, done.group, done.mode.toString(8), done.size],
      [1000, 1001, '640', 12],
    );
    assert.equal(
      await inside('stat -c "%u %g %a" /etc/app/app.conf; cat /etc/app/app.conf'),
      '1000 1001 640\nnew contents',
    );
  });

  it('through links, which stay', async () => {
    const done = await write('/etc/dirlink/link', 'by link');
    assert.equal(done.path, '/etc/app/app.conf');
    assert.equal(
      await inside('cd /etc/app; readlink link; cat app.conf; stat -c "%u %a" app.conf; ls'),
      'app.conf\nby link1000 640\napp.conf\nbroken\nfirst\nlink\nready\nsecond\nsub\ntool',
    );
  });

  it('in place if it has several names', async () => {
    const done = await write('/etc/app/first', 'both');
    assert.equal(done.judgement.way, 'inPlace');
    assert.equal(await inside('cd /etc/app; cat second; stat -c " %h %u %g" first'), 'both 2 7 8');
  });

  it('in place if the engine mounts it', async () => {
    const before = await inside('cat /etc/hosts');
    const done = await write('/etc/hosts', `${before}\n# mine\n`);
    assert.equal(done.judgement.way, 'inPlace');
    assert.match(await inside('cat /etc/hosts'), /# mine/);
  });

  it('newly, owned by its folder', async () => {
    const done = await write('/etc/app/sub/fresh', '', { create: true });
    assert.deepEqual([done.owner, done.group, done.mode, done.isNew], [5, 6, 0o644, true]);
    assert.equal(await inside('stat -c "%u %g %a %s" /etc/app/sub/fresh'), '5 6 644 0');
    await assert.rejects(write('/etc/app/sub/none', 'x'), { reason: 'notFound' });
    await assert.rejects(write('/etc/none/x', 'x', { create: true }), { reason: 'notFound' });
    await assert.rejects(write('/etc/app/sub/fresh', 'x', { create: true, overwrite: false }), {
      name: 'PathExistsError',
    });
  });

  it('not over what somebody else wrote', async () => {
    await inside('cd /etc/app; printf aaa > c; touch -d "2001-01-01 00:00:00" c');
    const expected = hashOf(Buffer.from('bbb'));
    await assert.rejects(write('/etc/app/c', 'ccc', { expected }), { name: 'FileConflictError' });
    assert.equal(await inside('cat /etc/app/c'), 'aaa');
  });

  it('not in file systems of the kernel, nor where the engine would write under a mount in memory', async () => {
    await assert.rejects(write('/proc/x', 'x', { create: true }), {
      name: 'FileReadOnlyError',
      reason: 'kernel',
    });
    if (isPodman) {
      assert.equal((await write('/cache/x', 'x', { create: true })).size, 1);
      assert.equal(await inside('cat /cache/x'), 'x');
    } else
      await assert.rejects(write('/cache/x', 'x', { create: true }), {
        reason: 'tmpfs',
        mount: '/cache',
      });
  });

  it('in a volume', async () => {
    await inside('printf v > /data/f; chown 9:9 /data/f; chmod 600 /data/f');
    const done = await write('/data/f', 'volume');
    assert.deepEqual([done.owner, done.group, done.mode], [9, 9, 0o600]);
    assert.equal(await inside('cat /data/f; stat -c " %u %g %a" /data/f'), 'volume 9 9 600');
  });

  it('with setuid where the engine keeps it', async () => {
    const done = await write('/etc/app/tool', 'program');
    assert.match(done.mode.toString(8), /^4?755$/);
    assert.equal(await inside('stat -c %a /etc/app/tool'), done.mode.toString(8));
  });

  it('with any name', async () => {
    for (const name of ['-n', 'a\nb', 'ü$(id)', 'x'.repeat(255), "it's"]) {
      const path = `/etc/app/sub/${name}`;
      await write(path, 'named', { create: true });
      assert.equal((await write(path, 'again')).size, 5, name);
    }
    await assert.rejects(write('/etc/app/caf\uFFFD', 'x', { create: true }), {
      name: 'NameEncodingError',
    });
  });

  it('in a stopped container where its owner is known', async () => {
    await stopContainer(connection, id);
    const { way, reason } = await judgeWrite(connection, id, '/etc/app/app.conf');
    assert.deepEqual(
      [way, reason],
      isPodman ? ['refused', 'ownerUnknown'] : ['archive', undefined],
    );
    assert.equal((await judgeWrite(connection, id, '/etc/hosts')).reason, 'fileMount');
    if (!isPodman) assert.equal((await write('/etc/app/app.conf', 'stopped')).owner, 1000);
  });
});
