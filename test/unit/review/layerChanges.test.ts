import assert from 'node:assert/strict';
import { layerChanges } from '../../../src/review/layerChanges.ts';

/** `added /a`, sorted by path. */
function told(layers: readonly (readonly string[])[], base: number): readonly string[] {
  return layerChanges(layers, base)
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ kind, path }) => `${kind} ${path}`);
}

describe('review/layerChanges', () => {
  it('tells what is new from what was there', () => {
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

  it('tells what went, a folder as a whole', () => {
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

  it('tells what went with a folder that was made anew', () => {
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

  it('puts several layers together, and forgets what came and went', () => {
    assert.deepEqual(told([['a'], ['b', 'c'], ['.wh.b', 'c', '.wh.a']], 1), [
      'deleted /a',
      'added /c',
    ]);
    assert.deepEqual(told([['a']], 1), []);
  });

  it('leaves out names that lead elsewhere', () => {
    assert.deepEqual(told([['../up', 'a/../../b', '', './', '/abs', 'x\0']], 0), ['added /abs']);
  });
});
