import assert from 'node:assert/strict';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

  async function packed(): Promise<readonly string[]> {
    const lines: string[] = [];
    const request = { context, dockerfile: join(context, 'Dockerfile') };
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
});
