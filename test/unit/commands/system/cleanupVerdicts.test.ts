import assert from 'node:assert/strict';
import {
  findUnused,
  judge,
  judgeForPrune,
  type Verdict,
} from '../../../../src/commands/system/cleanupVerdicts.ts';
import { itemsOf, type EngineContents } from '../../../../src/commands/system/cleanupItem.ts';
import { CLEANUP_KINDS } from '../../../../src/engine/system/cleanupKinds.ts';
import { reclaimableSpace } from '../../../../src/commands/system/formatReclaimed.ts';
import type { Image } from '../../../../src/engine/model.ts';
import type { CacheRecord } from '../../../../src/engine/system/buildCache.ts';
import type { DiskUse } from '../../../../src/engine/system/system.ts';
import { container, idOf, image } from '../../inventory/support/nouns.ts';

const NOTHING = { containers: [], images: [], volumes: [], networks: [], use: undefined };

function record(id: string, parents: readonly string[] = []): CacheRecord {
  const flags = { isInUse: false, isShared: false };
  return { id, type: 'regular', description: '', size: 1, parents, usedAt: '', ...flags };
}

function cache(...buildCache: readonly CacheRecord[]): EngineContents {
  const images = { layers: undefined, images: new Map() };
  return {
    ...NOTHING,
    use: { images, containers: new Map(), volumes: new Map(), buildCache },
  };
}

const judged = (found: EngineContents, keep: Parameters<typeof judge>[1] = () => undefined) =>
  judge(found, keep);
const removable = (verdicts: readonly Verdict[]): readonly string[] =>
  verdicts.flatMap(({ item, reason }) => (reason === undefined ? [item.name] : []));

const sha = (letter: string): string => `sha256:${idOf(letter)}`;

/** @param used the letters of images that containers use. */
function unused(images: readonly Image[], used: readonly string[], all: boolean, use?: DiskUse) {
  const containers = used.map((letter, at) =>
    container(String(at + 1), { name: `web-${at}`, imageId: sha(letter) }),
  );
  const others = { containers: new Map(), volumes: new Map(), buildCache: [] };
  const found = { images, containers, volumes: [], networks: [] };
  const whole = { ...found, use: use && { images: use, ...others } };
  return itemsOf('images', findUnused(whole, { kinds: ['images'], all }));
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

describe('commands/system/cleanup', () => {
  it('orders records of the build cache before those that they are based on', () => {
    const found = cache(record('base'), record('mid', ['base']), record('leaf', ['mid', 'base']));
    const verdicts = judged(found);
    assert.deepEqual(removable(verdicts), ['leaf', 'mid', 'base']);
    const needs = verdicts.at(-1)?.needs.map(({ key }) => key);
    assert.deepEqual(needs, ['buildCache mid', 'buildCache leaf']);
  });

  it('keeps what a kept record is based on, directly or not', () => {
    const found = cache(record('base'), record('mid', ['base']), record('leaf', ['mid', 'mid']));
    const verdicts = judged(found, ({ id }) => (id === 'leaf' ? 'wanted' : undefined));
    assert.deepEqual(
      verdicts.map(({ reason }) => reason),
      ['wanted', 'another record needs it', 'another record needs it'],
    );
  });

  it('keeps records in a cycle, and takes a chain of any length', () => {
    const cycle = cache(record('a', ['b']), record('b', ['a']), record('c', ['c']));
    assert.deepEqual(removable(judged(cycle)), []);
    assert.equal(judged(cycle).length, 3);
    const chain = Array.from({ length: 20_000 }, (_, at) =>
      record(`r${at}`, at === 0 ? [] : [`r${at - 1}`]),
    );
    const removed = removable(judged(cache(...chain)));
    assert.deepEqual([removed.length, removed.at(-1)], [chain.length, 'r0']);
  });

  it('takes any number of records with the same parent', () => {
    const wide = Array.from({ length: 20_000 }, (_, at) => record(`w${at}`, ['base']));
    assert.equal(removable(judged(cache(record('base'), ...wide))).at(-1), 'base');
  });

  it('names what uses an image: containers first, then images that are based on it', () => {
    const base = `sha256:${idOf('a')}`;
    const child = `sha256:${idOf('b')}`;
    const images = [
      image('a', { id: base, tags: ['base:1'] }),
      image('b', { id: child, tags: ['app:1'], parentId: base }),
    ];
    const reasons = (...states: readonly ('running' | 'exited')[]) => {
      const containers = states.map((state, at) =>
        container(String(at + 1), { name: `web-${at + 1}`, state, imageId: child }),
      );
      const verdicts = judged({ ...NOTHING, images, containers });
      return verdicts.filter(({ item }) => item.kind === 'images').map(({ reason }) => reason);
    };
    assert.deepEqual(reasons('running', 'exited'), ['used by web-1', 'parent of app:1']);
    assert.deepEqual(reasons('exited'), [undefined, undefined]);
    assert.deepEqual(reasons('running', 'running', 'running', 'running'), [
      'used by web-1, web-2, web-3 and 1 more',
      'parent of app:1',
    ]);
  });

  it('reports what is newer than the limit', () => {
    const found = { ...NOTHING, containers: [container('1', { name: 'job', state: 'exited' })] };
    const scope = { kinds: CLEANUP_KINDS, all: true, until: 0 };
    const [verdict] = judgeForPrune(found, scope);
    assert.equal(verdict?.reason, 'newer than the given duration');
  });
});

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
