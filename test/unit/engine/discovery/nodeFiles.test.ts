import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { nodeFiles } from '../../../../src/engine/discovery/nodeFiles.ts';

describe('nodeFiles', () => {
  let folder = '';
  const at = (name: string): string => join(folder, name);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'files-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('reads a regular file without its byte order mark', async () => {
    writeFileSync(at('a'), '\uFEFF{"ä":1}');
    assert.equal(await nodeFiles.readText(at('a')), '{"ä":1}');
    writeFileSync(at('long'), 'x'.repeat(200_000));
    assert.equal((await nodeFiles.readText(at('long')))?.length, 200_000);
    assert.equal(await nodeFiles.kindOf(at('a')), 'file');
  });

  it('reads no file larger than 4 MiB, no folder and no missing file', async () => {
    writeFileSync(at('big'), '');
    truncateSync(at('big'), 4 * 1024 * 1024);
    assert.equal((await nodeFiles.readText(at('big')))?.length, 4 * 1024 * 1024);
    truncateSync(at('big'), 4 * 1024 * 1024 + 1);
    assert.equal(await nodeFiles.readText(at('big')), undefined);
    assert.equal(await nodeFiles.readText(folder), undefined);
    assert.equal(await nodeFiles.readText(at('none')), undefined);
    assert.equal(await nodeFiles.readText(at('a\0b')), undefined);
  });

  it('never blocks on a named pipe and opens no device', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    assert.equal(await nodeFiles.readText(at('pipe')), undefined);
    assert.equal(await nodeFiles.kindOf(at('pipe')), undefined);
    assert.equal(await nodeFiles.readText('/dev/zero'), undefined);
  });

  it('recognizes sockets and folders, following links', async () => {
    const server = createServer().listen(at('s'));
    await new Promise((resolve) => server.once('listening', resolve));
    symlinkSync(at('s'), at('link'));
    mkdirSync(at('f'));
    try {
      assert.equal(await nodeFiles.kindOf(at('link')), 'socket');
      assert.equal(await nodeFiles.kindOf(at('f')), 'folder');
      assert.equal(await nodeFiles.kindOf(at('none')), undefined);
      assert.equal(await nodeFiles.realPathOf?.(at('link')), await nodeFiles.realPathOf?.(at('s')));
      assert.equal(await nodeFiles.realPathOf?.(at('none')), at('none'));
      assert.deepEqual([...(await nodeFiles.list(folder))].sort(), ['f', 'link', 's']);
    } finally {
      server.close();
    }
  });

  it('lists nothing if the path is not a folder', async () => {
    writeFileSync(at('a'), '');
    assert.deepEqual(await nodeFiles.list(at('a')), []);
    assert.deepEqual(await nodeFiles.list(at('none')), []);
  });
});
