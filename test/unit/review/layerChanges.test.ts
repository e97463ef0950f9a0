import assert from 'node:assert/strict';
import { layerChanges } from '../../../src/review/layerChanges.ts';

/** Returns the changes as `added /a`, sorted by path. */
function told(layers: readonly (readonly string[])[], base: number): readonly string[] {
  return layerChanges({ layers, leftOut: 0 }, base)
    .changes.toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ kind, path }) => `${kind} ${path}`);
}

describe('review/layerChanges', function () {
  this.timeout(30_000);
  it('distinguishes added and changed paths', () => {
    assert.deepEqual(
      told(
        [
          ['etc/', 'etc/a'],
          ['etc/', 'etc/a', './etc/b'],
        ],
        1,
      ),
      ['changed /etc', 'changed /etc/a', 'added /etc/b'],
    );
  });

  it('lists deleted paths, and a deleted folder as a whole', () => {
    assert.deepEqual(
      told(
        [
          ['d/', 'd/x', 'f'],
          ['.wh.d', '.wh.f', '.wh.never'],
        ],
        1,
      ),
      ['deleted /d', 'deleted /f'],
    );
  });

  it('lists what was deleted when a layer replaced a folder', () => {
    assert.deepEqual(
      told(
        [
          ['d/', 'd/x', 'd/y/z', 'd/y'],
          ['d/', 'd/.wh..wh..opq', 'd/x'],
        ],
        1,
      ),
      ['changed /d', 'changed /d/x', 'deleted /d/y'],
    );
  });

  it('combines several layers, and omits what was added and deleted again', () => {
    assert.deepEqual(told([['a'], ['b', 'c'], ['.wh.b', 'c', '.wh.a']], 1), [
      'deleted /a',
      'added /c',
    ]);
    assert.deepEqual(told([['a']], 1), []);
  });

  it('skips and counts names that lead out of the root', () => {
    const layers = [['../up', 'a/../../b', '', '.', './', '/', '/abs', 'x\0']];
    assert.deepEqual(told(layers, 0), ['added /abs']);
    assert.equal(layerChanges({ layers, leftOut: 2 }, 0).leftOut, 5);
  });

  it('deletes a folder with hundreds of thousands of files', () => {
    const files = Array.from({ length: 300_000 }, (_, at) => `d/${at}`);
    assert.deepEqual(told([['d', ...files], ['.wh.d']], 1), ['deleted /d']);
  });

  it('fails if there are more folders than the limit', () => {
    const deep = Array.from({ length: 2100 }, (_, at) => `${at}${'/x'.repeat(120)}`);
    assert.throws(() => told([deep], 0), { reason: 'tooLarge' });
    // Deleted folders do not count.
    const some = deep.slice(0, 1100);
    const others = deep.slice(1000);
    assert.equal(told([some, some.map((_, at) => `.wh.${at}`), others], 2).length, 1100);
  });
});
