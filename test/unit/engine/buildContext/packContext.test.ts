import assert from 'node:assert/strict';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { packContext } from '../../../../src/engine/buildContext/packContext.ts';

describe('the files of a tar for a build', () => {
  let context: string;

  beforeEach(() => (context = mkdtempSync(join(tmpdir(), 'gantry-pack-'))));
  afterEach(() => {
    rmSync(context, { recursive: true });
  });

  async function packed(folder = context): Promise<readonly string[]> {
    const lines: string[] = [];
    const request = { context: folder, dockerfile: join(folder, 'Dockerfile') };
    for await (const entry of packContext(request, new AbortController().signal)) {
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

  it('are chosen by the ignore file of the Dockerfile, if there is one', async () => {
    writeFileSync(join(context, '.dockerignore'), 'b\n');
    writeFileSync(join(context, 'Dockerfile.dockerignore'), '*\n!b\n');
    writeFileSync(join(context, 'a'), '');
    writeFileSync(join(context, 'b'), '');
    assert.deepEqual(await packed(), ['b file']);
    mkdirSync(join(context, 'x'));
    rmSync(join(context, 'Dockerfile.dockerignore'));
    mkdirSync(join(context, 'Dockerfile.dockerignore'));
    await assert.rejects(packed(), { name: 'ContextError', problem: 'unreadable' });
  });

  it('name a file that the user may not read', async function () {
    // Root reads everything.
    const { seteuid } = process;
    if (process.geteuid?.() !== 0 || !seteuid) this.skip();
    chmodSync(context, 0o755);
    writeFileSync(join(context, 'hidden'), 'x', { mode: 0o600 });
    const before = process.cwd();
    // Another user may not be allowed to pass the folders above it.
    process.chdir(context);
    seteuid(65_534);
    try {
      await assert.rejects(packed('.'), { problem: 'unreadable', path: 'hidden' });
    } finally {
      seteuid(0);
      process.chdir(before);
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
