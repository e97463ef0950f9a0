import assert from 'node:assert/strict';
import { reclaimableSpace, unusedImages } from '../../../../src/commands/images/unusedImages.ts';
import type { Image } from '../../../../src/engine/model.ts';
import { idOf, image } from '../../inventory/support/nouns.ts';

const sha = (letter: string): string => `sha256:${idOf(letter)}`;
const NONE: ReadonlySet<string> = new Set();

function letters(found: ReturnType<typeof unusedImages>): string {
  return found.map(({ image: { id } }) => id.slice(7, 8)).join('');
}

function plan(
  images: readonly Image[],
  used: readonly string[] = [],
  onlyDangling = false,
): string {
  return letters(unusedImages(images, new Set(used.map(sha)), { onlyDangling }));
}

describe('commands/unusedImages', () => {
  const named = image('a', { tags: ['web:1'] });
  const dangling = image('b', { tags: [] });

  it('returns the images that no container uses', () => {
    assert.equal(plan([named, dangling]), 'ab');
    assert.equal(plan([named, dangling], ['a']), 'b');
    assert.equal(plan([]), '');
  });

  it('returns only images without a name if asked to', () => {
    const byDigest = image('c', { tags: [], digests: [`web@${sha('d')}`] });
    assert.equal(plan([named, dangling, byDigest], [], true), 'b');
  });

  it('keeps images that a kept image is based on', () => {
    const top = image('c', { tags: ['top:1'], parentId: sha('b') });
    assert.equal(plan([named, dangling, top], ['c']), 'a');
    assert.equal(plan([named, dangling, top], [], true), '');
  });

  it('returns child images before their parents', () => {
    const top = image('c', { tags: [], parentId: sha('b') });
    const above = image('d', { tags: [], parentId: sha('c') });
    assert.equal(plan([dangling, above, top]), 'dcb');
  });

  it('keeps images in a cycle', () => {
    const one = image('c', { tags: [], parentId: sha('d') });
    const other = image('d', { tags: [], parentId: sha('c') });
    assert.equal(plan([one, other]), '');
  });

  it('returns the minimum and maximum reclaimed size, if the engine tells what is shared', () => {
    const use = {
      layers: 100,
      images: new Map([
        [sha('a'), { size: 30, shared: 10 }],
        [sha('b'), { size: 5, shared: 0 }],
      ]),
    };
    const both = unusedImages([named, dangling], NONE, { onlyDangling: false }, use);
    assert.deepEqual(reclaimableSpace(both), { atLeast: 25, atMost: 35 });
    assert.deepEqual(reclaimableSpace([]), { atLeast: 0, atMost: 0 });
    const [first] = unusedImages([{ ...named, size: 9 }], NONE, { onlyDangling: false });
    assert.deepEqual(reclaimableSpace([first!, ...both]), { atLeast: undefined, atMost: 44 });
  });
});
