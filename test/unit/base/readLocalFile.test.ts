import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type LocalFileError,
  readLocalFile,
  readLocalText,
} from '../../../src/base/readLocalFile.ts';

describe('readLocalFile', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-file-'));
    mkdirSync(join(folder, 'in'));
    writeFileSync(join(folder, 'secret'), 'private');
    writeFileSync(join(folder, 'in', 'file'), 'text');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const problem = async (name: string, limit?: number): Promise<unknown> =>
    readLocalFile(join(folder, 'in', name), limit === undefined ? {} : { limit }).then(
      () => undefined,
      (error: unknown) => (error as LocalFileError).problem,
    );

  it('reads a file, also by a link to one beside it', async () => {
    symlinkSync('file', join(folder, 'in', 'link'));
    assert.equal(await readLocalText(join(folder, 'in', 'file')), 'text');
    assert.equal(await readLocalText(join(folder, 'in', 'link')), 'text');
  });

  it('does not follow a link out of the folder', async () => {
    symlinkSync('../secret', join(folder, 'in', 'link'));
    symlinkSync('/dev/zero', join(folder, 'in', 'zero'));
    assert.deepEqual([await problem('link'), await problem('zero')], ['elsewhere', 'elsewhere']);
    const path = join(folder, 'in', 'link');
    assert.equal(await readLocalText(path, { within: folder }), 'private');
  });

  it('does not wait for a pipe, and reads no folder', async function () {
    if (process.platform === 'win32') this.skip();
    execFileSync('mkfifo', [join(folder, 'in', 'pipe')]);
    assert.equal(await problem('pipe'), 'notFile');
    assert.equal(await problem('.'), 'notFile');
  });

  it('reads nothing of a file that is too large', async () => {
    truncateSync(join(folder, 'in', 'file'), 2 ** 40);
    assert.equal(await problem('file'), 'tooLarge');
    assert.equal(await readLocalText(join(folder, 'in', 'file')), undefined);
  });

  it('throws the error of Node for what is missing', async () => {
    await assert.rejects(readLocalFile(join(folder, 'in', 'no')), { code: 'ENOENT' });
  });
});
