import assert from 'node:assert/strict';
import { imageChanges, layerChanges } from '../../../src/review/layerChanges.ts';

/** Returns the changes as `added /a`, sorted by path. */
function told(
  layers: readonly (readonly string[])[],
  base: number,
  mostFolders?: number,
): readonly string[] {
  return layerChanges({ layers, leftOut: 0 }, base, mostFolders)
    .changes.toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ kind, path }) => `${kind} ${path}`);
}

describe('review/layerChanges', () => {
  const cases: [what: string, below: string, above: string, changes: readonly string[]][] = [
    [
      'distinguishes added and changed paths',
      'etc/ etc/a',
      'etc/ etc/a ./etc/b',
      ['changed /etc', 'changed /etc/a', 'added /etc/b'],
    ],
    [
      'lists deleted paths, and a deleted folder as a whole',
      'd/ d/x f',
      '.wh.d .wh.f .wh.never',
      ['deleted /d', 'deleted /f'],
    ],
    [
      'lists what was deleted when a layer replaced a folder',
      'd/ d/x d/y/z d/y',
      'd/ d/.wh..wh..opq d/x',
      ['changed /d', 'changed /d/x', 'deleted /d/y'],
    ],
  ];
  for (const [what, below, above, changes] of cases) {
    it(what, () => assert.deepEqual(told([below.split(' '), above.split(' ')], 1), changes));
  }

  it('compares a folder that was deleted and created again with the base', () => {
    const below = ['d/', 'd/x', 'd/y/', 'd/y/a', 'd/y/b', 'd/z/', 'd/z/a'];
    const expected = [
      'changed /d',
      'changed /d/x',
      'changed /d/y',
      'changed /d/y/a',
      'deleted /d/y/b',
      'deleted /d/z',
    ];
    const again = ['d/', 'd/x', 'd/y/', 'd/y/a'];
    assert.deepEqual(told([below, ['.wh.d'], again], 1), expected);
    assert.deepEqual(told([below, [...again, 'd/.wh..wh..opq']], 1), expected);
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

  it('deletes a folder with forty thousand files', () => {
    const files = Array.from({ length: 40_000 }, (_, at) => `d/${at}`);
    assert.deepEqual(told([['d', ...files], ['.wh.d']], 1), ['deleted /d']);
  });

  it('fails if there are more folders than the limit', () => {
    const deep = Array.from({ length: 21 }, (_, at) => `${at}${'/x'.repeat(120)}`);
    assert.throws(() => told([deep], 0, 2500), { reason: 'tooLarge' });
    // Deleted folders do not count.
    const some = deep.slice(0, 11);
    const others = deep.slice(10);
    assert.equal(told([some, some.map((_, at) => `.wh.${at}`), others], 2, 2500).length, 11);
  });
});

describe('review/imageChanges', () => {
  /** Returns the changes between two images, whose layers have a mark for each name. */
  function told(
    before: readonly Readonly<Record<string, string>>[],
    after: readonly Readonly<Record<string, string>>[],
    shared: number,
  ): readonly string[] {
    const [left, right] = [before, after].map((layers) => ({
      layers: layers.map((layer) => Object.keys(layer)),
      marks: layers.map((layer) => Object.values(layer)),
      leftOut: 0,
    }));
    assert.ok(left && right);
    return imageChanges(left, right, shared)
      .changes.toSorted((a, b) => (a.path < b.path ? -1 : 1))
      .map(({ kind, path }) => `${kind} ${path}`);
  }

  const base = { 'etc/': 'd', 'etc/a': '1', old: '1' };

  it('lists what is new, differs, or is missing, and not what both have made the same way', () => {
    const before = [base, { same: '1', 'app/': 'd', 'app/x': '1', 'app/gone': '1' }];
    const after = [base, { same: '1', 'app/': 'd', 'app/x': '2', 'app/new': '1' }];
    assert.deepEqual(told(before, after, 1), [
      'deleted /app/gone',
      'added /app/new',
      'changed /app/x',
    ]);
    assert.deepEqual(told(before, before, 1), []);
  });

  it('compares with the shared layers what only one image has touched or deleted', () => {
    const before = [base, { '.wh.old': '' }];
    const after = [base, { 'etc/a': '2' }];
    assert.deepEqual(told(before, after, 1), ['changed /etc/a', 'added /old']);
    assert.deepEqual(told(after, before, 1), ['changed /etc/a', 'deleted /old']);
  });

  it('lists what is missing in a folder that only one image has deleted and created again', () => {
    const folder = { 'd/': 'd', 'd/x': '1', 'd/z': '1' };
    const again: Record<string, string>[] = [folder, { '.wh.d': '' }, { 'd/': 'd', 'd/x': '1' }];
    const changed = ['changed /d', 'changed /d/x'];
    assert.deepEqual(told([folder], again, 1), [...changed, 'deleted /d/z']);
    assert.deepEqual(told(again, [folder], 1), [...changed, 'added /d/z']);
  });

  it('takes the mark of the last layer, and none of what a later one deletes', () => {
    const before: Record<string, string>[] = [{ x: '1', y: '1' }, { x: '2' }, { '.wh.y': '' }];
    assert.deepEqual(told(before, [{ x: '2' }], 0), []);
    assert.deepEqual(told(before, [{ x: '1' }], 0), ['changed /x']);
  });

  it('compares images that share nothing', () => {
    assert.deepEqual(told([{ a: '1' }], [{ b: '1' }], 0), ['deleted /a', 'added /b']);
  });
});
