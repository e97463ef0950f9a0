import assert from 'node:assert/strict';
import { findUnused } from '../../../../src/commands/system/cleanup.ts';
import { itemsOf } from '../../../../src/commands/system/cleanupItem.ts';
import { reclaimableSpace } from '../../../../src/commands/system/formatReclaimed.ts';
import type { Image } from '../../../../src/engine/model.ts';
import type { DiskUse } from '../../../../src/engine/system/system.ts';
import { english } from '../../../../src/l10n.ts';
import { container, idOf, image } from '../../inventory/support/nouns.ts';

const sha = (letter: string): string => `sha256:${idOf(letter)}`;

/** @param used the letters of images that containers use. */
function unused(images: readonly Image[], used: readonly string[], all: boolean, use?: DiskUse) {
  const containers = used.map((letter, at) =>
    container(String(at + 1), { name: `web-${at}`, imageId: sha(letter) }),
  );
  const others = { containers: new Map(), volumes: new Map(), buildCache: [] };
  const found = { images, containers, volumes: [], networks: [] };
  const whole = { ...found, use: use && { images: use, ...others } };
  return itemsOf('images', findUnused(whole, { kinds: ['images'], all }, english));
}

function plan(
  images: readonly Image[],
  used: readonly string[] = [],
  onlyDangling = false,
): string {
  return unused(images, used, !onlyDangling)
    .map(({ id }) => id.slice(7, 8))
    .join('');
}

describe('commands/system/cleanup: images', () => {
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

  it('returns the minimum and maximum reclaimed size, if the engine reports what is shared', () => {
    const use = {
      layers: 100,
      images: new Map([
        [sha('a'), { size: 30, shared: 10 }],
        [sha('b'), { size: 5, shared: 0 }],
      ]),
    };
    const images = [named, dangling].map((one) => {
      return { ...one, size: use.images.get(one.id)?.size ?? 0 };
    });
    const both = unused(images, [], true, use);
    assert.deepEqual(reclaimableSpace(both), { atLeast: 25, atMost: 35 });
    assert.deepEqual(reclaimableSpace([]), { atLeast: 0, atMost: 0 });
    const [first] = unused([{ ...named, size: 9 }], [], true);
    assert.deepEqual(reclaimableSpace([first!, ...both]), { atLeast: undefined, atMost: 44 });
  });
});
