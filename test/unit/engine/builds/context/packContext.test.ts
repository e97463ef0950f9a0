import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { packContext } from '../../../../../src/engine/builds/context/packContext.ts';

describe('the files of a tar for a build', () => {
  let context: string;

  beforeEach(() => (context = mkdtempSync(join(tmpdir(), 'gantry-pack-'))));
  afterEach(() => rmSync(context, { recursive: true }));

  async function packed(folder = context, isPodman = false): Promise<readonly string[]> {
    const lines: string[] = [];
    const request = { context: folder, dockerfile: join(folder, 'Dockerfile') };
    for await (const entry of packContext(request, new AbortController().signal, isPodman)) {
      const data = entry.open ? (await buffer(entry.open())).toString() : entry.linkTarget;
      lines.push([entry.name, entry.kind, data].filter(Boolean).join(' '));
    }
    return lines;
  }

  it('are those that are not ignored', async () => {
    mkdirSync(join(context, 'src'));
    writeFileSync(join(context, 'src/a'), 'one');
    linkSync(join(context, 'src/a'), join(context, 'src/b'));
    writeFileSync(join(context, 'src/c.log'), 'log');
    symlinkSync('../outside', join(context, 'out'));
    writeFileSync(join(context, '.dockerignore'), '*.log\n**/*.log\n');
    const all = ['.dockerignore file *.log\n**/*.log\n', 'out link ../outside', 'src folder'];
    assert.deepEqual(await packed(), [...all, 'src/a file one', 'src/b file one']);
  });

  it('are linked if they are the same file, and include named pipes', async () => {
    writeFileSync(join(context, 'a'), 'one', { mode: 0o600 });
    linkSync(join(context, 'a'), join(context, 'b'));
    execFileSync('mkfifo', [join(context, 'p')]);
    const found: unknown[] = [];
    const request = { context, dockerfile: join(context, 'Dockerfile') };
    for await (const { name, kind, sameAs } of packContext(request, new AbortController().signal))
      found.push([name, kind, sameAs]);
    assert.deepEqual(found, [
      ['a', 'file', undefined],
      ['b', 'file', 'a'],
      ['p', 'pipe', undefined],
    ]);
  });

  it('are chosen by the ignore file of the Dockerfile, if there is one', async () => {
    writeFileSync(join(context, '.dockerignore'), 'b\n');
    writeFileSync(join(context, 'Dockerfile.dockerignore'), '*\n!b\n');
    writeFileSync(join(context, 'a'), '');
    writeFileSync(join(context, 'b'), '');
    assert.deepEqual(await packed(), ['b file']);
  });

  it("are chosen by Podman's ignore file alone, for Podman only", async () => {
    writeFileSync(join(context, '.dockerignore'), '.*\na\n');
    writeFileSync(join(context, '.containerignore'), '.*\nb\n');
    writeFileSync(join(context, 'a'), '');
    writeFileSync(join(context, 'b'), '');
    assert.deepEqual(await packed(context, true), ['a file']);
    assert.deepEqual(await packed(), ['b file']);
    writeFileSync(join(context, 'Dockerfile.containerignore'), '*\n');
    assert.deepEqual(await packed(context, true), []);
    writeFileSync(join(context, 'Dockerfile.dockerignore'), '*\n!a\n!b\n');
    assert.deepEqual(await packed(context, true), ['a file', 'b file']);
  });

  it('are chosen by an ignore file that is a link, but do not have its text', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'gantry-outside-'));
    writeFileSync(join(outside, 'rules'), 'b\n');
    writeFileSync(join(context, 'b'), '');
    symlinkSync(join(outside, 'rules'), join(context, '.dockerignore'));
    assert.deepEqual(await packed(), [`.dockerignore link ${join(outside, 'rules')}`]);
    rmSync(outside, { recursive: true });
  });

  it('are refused if the ignore file is too large, no file, or has a pattern that is not valid', async () => {
    const file = join(context, '.dockerignore');
    writeFileSync(file, '');
    truncateSync(file, 400 * 1024 * 1024);
    await assert.rejects(packed(), { problem: 'tooManyPatterns', path: '.dockerignore' });
    rmSync(file);
    symlinkSync('/dev/zero', file);
    await assert.rejects(packed(), { problem: 'unreadable' });
    rmSync(file);
    if (process.platform === 'linux') {
      // Its size is 0, and it is longer than any memory.
      symlinkSync('/proc/self/pagemap', file);
      await assert.rejects(packed(), { problem: 'unreadable' });
      rmSync(file);
    }
    writeFileSync(file, '# first\r\n\r\na\r\n!b/[x\r\n');
    const message = 'The pattern !b/[x is not valid. Correct line 4 of .dockerignore.';
    await assert.rejects(packed(), { problem: 'badPattern', path: '!b/[x', message });
  });

  it('are chosen by the next ignore file if one is a folder, which Podman refuses', async () => {
    mkdirSync(join(context, 'Dockerfile.dockerignore'));
    writeFileSync(join(context, '.dockerignore'), 'secret\n');
    writeFileSync(join(context, 'secret'), '1');
    const names = ['.dockerignore file secret\n', 'Dockerfile.dockerignore folder'];
    assert.deepEqual(await packed(), names);
    const refusal = { problem: 'ignoreFolder', path: 'Dockerfile.dockerignore' };
    await assert.rejects(packed(context, true), refusal);
    rmSync(join(context, '.dockerignore'));
    mkdirSync(join(context, '.dockerignore'));
    assert.deepEqual(await packed(), [
      ...['.dockerignore folder', 'Dockerfile.dockerignore folder', 'secret file 1'],
    ]);
  });

  it('have names and link targets in UTF-8, so that no two become one', async function () {
    if (process.platform !== 'linux') this.skip();
    for (const name of ['d\xe9', 'd\xe8'])
      mkdirSync(Buffer.from(`${context}/${name}`, 'latin1'), { recursive: true });
    await assert.rejects(packed(), { problem: 'badName', path: 'd\ufffd' });
    writeFileSync(join(context, '.dockerignore'), 'd*\n');
    symlinkSync(Buffer.from('caf\xe9', 'latin1'), join(context, 'link'));
    await assert.rejects(packed(), { problem: 'badTarget', path: 'link' });
    rmSync(join(context, 'link'));
    symlinkSync('caf\u00e9', join(context, 'link'));
    assert.deepEqual(await packed(), ['.dockerignore file d*\n', 'link link caf\u00e9']);
  });

  it('are not those of a folder that has become a link', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'gantry-outside-'));
    mkdirSync(join(context, 'd'));
    writeFileSync(join(context, 'd/x'), 'mine');
    writeFileSync(join(outside, 'x'), 'theirs');
    const request = { context, dockerfile: join(context, 'Dockerfile') };
    const packing = async (): Promise<void> => {
      for await (const entry of packContext(request, new AbortController().signal)) {
        if (entry.name !== 'd/x') continue;
        renameSync(join(context, 'd'), join(context, 'old'));
        symlinkSync(outside, join(context, 'd'));
        assert.ok(entry.open);
        assert.equal((await buffer(entry.open())).toString(), 'mine');
      }
    };
    await assert.rejects(packing(), { problem: 'changed', path: 'd/x' });
    rmSync(outside, { recursive: true });
  });

  it('name a file that the user may not read', async function () {
    // Root reads everything.
    const { seteuid } = process;
    if (process.geteuid?.() !== 0 || !seteuid) this.skip();
    // Another user may not pass the folder of the other tests.
    const open = mkdtempSync('/tmp/gantry-open-');
    chmodSync(open, 0o755);
    writeFileSync(join(open, 'hidden'), 'x', { mode: 0o600 });
    seteuid(65_534);
    try {
      await assert.rejects(packed(open), { problem: 'unreadable', path: 'hidden' });
    } finally {
      seteuid(0);
      rmSync(open, { recursive: true });
    }
  });

  it('are many, each once and in order, and end when the build is canceled', async () => {
    const names = Array.from({ length: 500 }, (_, at) => `f${String(at).padStart(4, '0')}`);
    for (const name of names) writeFileSync(join(context, name), '');
    assert.deepEqual(
      await packed(),
      names.map((name) => `${name} file`),
    );
    const controller = new AbortController();
    const request = { context, dockerfile: join(context, 'Dockerfile') };
    let count = 0;
    const reading = (async () => {
      for await (const _ of packContext(request, controller.signal))
        if (++count === 10) controller.abort(new Error('enough'));
    })();
    await assert.rejects(reading, /enough/);
    assert.ok(count < names.length, String(count));
  });
});
