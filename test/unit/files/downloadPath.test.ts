import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileSource } from '../../../src/engine/volumes/fileSource.ts';
import { LocalNameError } from '../../../src/files/safePath.ts';
import { downloadPath } from '../../../src/files/downloadPath.ts';

describe('files/downloadPath', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'gantry-transfer-'));
    mkdirSync(join(home, 'Downloads'));
    writeFileSync(join(home, '.bashrc'), 'mine');
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const notReached: FileSource = (work) => work({} as Parameters<typeof work>[0], 'x');

  for (const name of ['..', '.', 'x/..']) {
    it(`rejects the name ${name} without a request, and writes nothing`, async () => {
      const to = `${join(home, 'Downloads')}/${name}`;
      const work = downloadPath(notReached, '/', to, { replace: true });
      await assert.rejects(work, LocalNameError);
      assert.deepEqual(readdirSync(home).sort(), ['.bashrc', 'Downloads']);
      assert.deepEqual(readdirSync(join(home, 'Downloads')), []);
    });
  }
});
