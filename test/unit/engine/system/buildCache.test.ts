import assert from 'node:assert/strict';
import { readBuildCache, removeCacheRecord } from '../../../../src/engine/system/buildCache.ts';
import { json } from '../../support/fakeEngine.ts';
import { openLab } from '../../support/lab.ts';

describe('engine/buildCache', () => {
  it('reads the parents under each name that an engine uses', () => {
    const records = readBuildCache({
      BuildCache: [
        { ID: 'a', Parents: ['x', 'y'] },
        { ID: 'b', ' Parents': ['x'] },
        { ID: 'c', Parent: 'x' },
        { ID: 'd' },
      ],
    });
    assert.deepEqual(
      records.map(({ parents }) => parents),
      [['x', 'y'], ['x'], ['x'], []],
    );
  });

  it('reads the last use, or the creation if there was none', () => {
    const CreatedAt = '2026-01-01T00:00:00Z';
    const used = { ID: 'a', CreatedAt, LastUsedAt: '2026-02-01T00:00:00Z' };
    const items = [used, { ID: 'b', CreatedAt, LastUsedAt: null }];
    assert.deepEqual(
      readBuildCache({ BuildCacheUsage: { Items: items } }).map(({ usedAt }) => usedAt),
      ['2026-02-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    );
  });

  it('skips records whose ID could be more than text in a filter', () => {
    const ids = ['.*', 'a|b', '^', '', 5, null];
    assert.deepEqual(readBuildCache({ BuildCache: [...ids.map((ID) => ({ ID })), null, 'x'] }), []);
  });

  it('removes one record by its exact ID, and reports whether the engine kept it', async () => {
    const lab = openLab();
    try {
      const { connection, engine } = await lab.fake(({ query }, response) => {
        const isLeaf = query.get('filters')?.includes('leaf');
        json(response, 200, { CachesDeleted: isLeaf ? ['leaf'] : null });
      });
      assert.deepEqual(await removeCacheRecord(connection, 'leaf'), { outcome: 'removed' });
      assert.deepEqual(await removeCacheRecord(connection, 'base'), { outcome: 'kept' });
      const query = engine.seen.at(-1)?.query;
      assert.deepEqual([query?.get('all'), query?.get('filters')], ['1', '{"id":["^base$"]}']);
    } finally {
      await lab.close();
    }
  });
});
