import assert from 'node:assert/strict';
import { groupItems, reclaimedBy, selectedKeys } from '../../../src/cleanup/groupItems.ts';
import type { PageItem } from '../../../src/cleanup/protocol.ts';

function item(key: string, fields: Partial<PageItem> = {}): PageItem {
  return {
    ...{
      key,
      seen: key,
      kind: 'images',
      name: key,
      tags: 0,
      size: 1,
      atMost: undefined,
      age: '',
      note: '',
    },
    ...{ ageGroup: 'week', project: '', worktree: '', state: 'removable', isSuggested: true },
    ...{ isExcluded: false, needs: [], ...fields },
  };
}

describe('cleanup/groupItems', () => {
  it('groups by kind, project, and age, each in its own order', () => {
    const items = [
      item('a', { kind: 'buildCache', project: 'shop-10', ageGroup: 'unknown' }),
      item('b', { kind: 'containers', ageGroup: 'older' }),
      item('c', { project: 'shop-9', ageGroup: 'day' }),
    ];
    const ids = (by: 'kind' | 'project' | 'age') => groupItems(items, by).map(({ id }) => id);
    assert.deepEqual(ids('kind'), ['containers', 'images', 'buildCache']);
    assert.deepEqual(ids('project'), ['shop-9', 'shop-10', '']);
    assert.deepEqual(ids('age'), ['day', 'older', 'unknown']);
  });

  it('groups by worktree, and the rest together at the end', () => {
    const items = [
      item('a', { project: 'blog' }),
      item('b', { worktree: 'main · shop' }),
      item('c', { worktree: 'feature/login · login', kind: 'volumes' }),
      item('d', { worktree: 'feature/login · login' }),
    ];
    const groups = groupItems(items, 'worktree').map((group) => [
      group.id,
      group.items.map(({ key }) => key).join(' '),
    ]);
    assert.deepEqual(groups, [
      ['feature/login · login', 'c d'],
      ['main · shop', 'b'],
      ['', 'a'],
    ]);
  });

  it('lists what can be removed first, then by size', () => {
    const items = [
      item('kept', { state: 'kept', size: 90 }),
      item('small', { size: 1 }),
      item('unknown', { size: undefined, atMost: 50 }),
      item('big', { size: 60 }),
    ];
    const [group] = groupItems(items, 'kind');
    const keys = group?.items.map(({ key }) => key);
    assert.deepEqual(keys, ['big', 'unknown', 'small', 'kept']);
  });

  it('selects what is suggested or chosen, but nothing that is kept or gone', () => {
    const items = [
      item('easy'),
      item('tagged', { isSuggested: false }),
      item('used', { state: 'kept' }),
      item('gone', { state: 'gone' }),
    ];
    assert.deepEqual([...selectedKeys(items, new Map())], ['easy']);
    const all = new Map(items.map(({ key }) => [key, key !== 'easy']));
    assert.deepEqual([...selectedKeys(items, all)], ['tagged']);
  });

  it('selects something only together with everything that needs it', () => {
    const items = [item('a'), item('b', { needs: ['a'] }), item('c', { needs: ['a', 'b'] })];
    assert.equal(selectedKeys(items, new Map()).size, 3);
    assert.deepEqual([...selectedKeys(items, new Map([['a', false]]))], []);
    assert.deepEqual([...selectedKeys(items, new Map([['b', false]]))], ['a']);
    assert.equal(selectedKeys([item('d', { needs: ['not shown'] })], new Map()).size, 0);
  });

  it('suggests only what is of one kind if asked to', () => {
    const items = [item('a'), item('b', { kind: 'volumes' })];
    assert.deepEqual([...selectedKeys(items, new Map(), 'volumes')], ['b']);
    assert.equal(selectedKeys(items, new Map([['a', true]]), 'volumes').size, 2);
  });

  it('reports whether a removal may reclaim more', () => {
    const volume = item('v', { kind: 'volumes', size: 5 });
    assert.deepEqual(reclaimedBy([volume]), { size: 5, isAtLeast: false });
    assert.deepEqual(reclaimedBy([volume, item('i')]), { size: 6, isAtLeast: true });
    const unknown = { ...volume, size: undefined };
    assert.deepEqual(reclaimedBy([unknown]), { size: 0, isAtLeast: true });
  });
});
