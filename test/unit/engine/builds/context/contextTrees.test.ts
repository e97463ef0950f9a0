import assert from 'node:assert/strict';
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTree } from '../../../support/contextTrees.ts';
import { digestOf, listContext } from '../../../support/listContext.ts';

/** Recorded from buildx: the test of the same name among those of peers. */
const RECORDED = JSON.parse(
  readFileSync(join(import.meta.dirname, 'contextTrees.json'), 'utf8'),
) as readonly string[];

describe('the files of a context', function () {
  this.timeout(30_000);

  it('are those that buildx sent of a thousand random folders', async () => {
    assert.equal(RECORDED.length, 1000);
    const folder = mkdtempSync(join(fastestFolder(), 'gantry-trees-'));
    try {
      for (const [index, expected] of RECORDED.entries()) {
        const seed = index + 1;
        const root = join(folder, String(index));
        mkdirSync(root);
        makeTree(root, seed);
        const files = await listContext(root);
        assert.equal(digestOf(files), expected, `seed ${seed}: ${files.join(', ')}`);
        rmSync(root, { recursive: true });
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** Returns a folder in memory if there is a writable one: a thousand trees on a disk take seconds. */
function fastestFolder(): string {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    return tmpdir();
  }
}
