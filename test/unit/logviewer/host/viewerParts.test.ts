import assert from 'node:assert/strict';
import { Hits } from '../../../../src/logviewer/host/viewerFind.ts';
import { EMPTY_FILTER } from '../../../../src/logviewer/protocol.ts';
import {
  selectionKey,
  viewerStateFrom,
  viewerTitle,
} from '../../../../src/logviewer/host/viewerState.ts';
import { buildLineFilter, ViewerMembers } from '../../../../src/logviewer/host/viewerContent.ts';
import type { Memento } from '../../../../src/base/lifetime.ts';
import {
  DEFAULT_STYLE,
  keepStyle,
  keptStyle,
  styleFrom,
} from '../../../../src/logviewer/host/keptStyle.ts';
import { matchRanges, QueryMatcher } from '../../../../src/logs/rows/queryMatcher.ts';

const ID = 'a'.repeat(64);
/** A time limit that only an endless match exceeds. */
const UNHURRIED_MS = 10_000;
const WORDS = { pattern: 'err', isRegex: false, matchCase: false, wholeWord: false };

describe('Hits', () => {
  it('adds IDs at both ends and in between, without duplicates', () => {
    const hits = new Hits();
    for (const ids of [[5, 9], [20], [-3, 1], [], [7, 9]]) hits.add(ids);
    assert.deepEqual(hits.ids, [-3, 1, 5, 7, 9, 20]);
    assert.deepEqual(
      [-9, 5, 6, 99].map((id) => hits.indexOf(id)),
      [0, 2, 3, 6],
    );
  });
});

describe('stored viewer state', () => {
  const kept = {
    selection: { engine: 'default', ids: [ID], project: 'shop' },
    ...{ title: 'shop (1)', styleName: 'shop', clearedAt: '2026-08-01T00:00:00Z' },
    filter: { ...EMPTY_FILTER, include: WORDS, levels: ['error'], streams: ['stderr'], context: 2 },
  };

  it('restores everything', () => {
    assert.deepEqual(viewerStateFrom(JSON.parse(JSON.stringify(kept))), kept);
  });

  it('is rejected if it contains no valid selection', () => {
    const { selection } = kept;
    for (const wrong of [
      ...[undefined, null, 7, 'text', {}, { ...kept, title: 7 }],
      { ...kept, selection: { ...selection, ids: ['../x'] } },
      { ...kept, selection: { engine: 'default', ids: [] } },
      { ...kept, selection: { ids: [ID] } },
    ]) {
      assert.equal(viewerStateFrom(wrong), undefined);
    }
  });

  it('drops invalid parts of a filter', () => {
    const filter = {
      include: { pattern: '' },
      levels: ['bad', 'warning'],
      context: -1,
      streams: 1,
    };
    assert.deepEqual(viewerStateFrom({ ...kept, filter })?.filter, {
      ...EMPTY_FILTER,
      levels: ['warning'],
    });
  });
});

describe('filter for the store', () => {
  it('is undefined if nothing is filtered out', () => {
    assert.equal(buildLineFilter({ ...EMPTY_FILTER, context: 3 }, undefined), undefined);
  });

  it("includes Gantry's own lines with every stream", () => {
    const filter = { ...EMPTY_FILTER, exclude: WORDS, streams: ['stderr'] as const, context: 3 };
    assert.deepEqual(buildLineFilter(filter, [1]), {
      ...{ include: undefined, exclude: WORDS, levels: undefined },
      ...{ kinds: ['stderr', 'marker', 'gap'], members: [1], context: 3 },
    });
  });
});

describe('stored styles', () => {
  function memory(initial?: unknown): Memento {
    let value = initial;
    const kept = {
      get: () => value,
      update: (_key: string, next: unknown) => {
        value = next;
        return Promise.resolve();
      },
    };
    return kept as Memento;
  }

  it('are kept per name, with the default for other names', async () => {
    const styles = memory();
    const style = { ...DEFAULT_STYLE, wrap: true, fields: ['msg'] };
    await keepStyle(styles, 'web', style);
    assert.deepEqual(keptStyle(styles, 'web'), style);
    assert.deepEqual(keptStyle(styles, 'db'), DEFAULT_STYLE);
  });

  it('drop the least recently stored name', async () => {
    const styles = memory();
    const style = { ...DEFAULT_STYLE, wrap: true };
    for (let at = 0; at < 201; at++) await keepStyle(styles, `web-${at}`, style);
    assert.deepEqual(keptStyle(styles, 'web-0'), DEFAULT_STYLE);
    assert.deepEqual(keptStyle(styles, 'web-200'), style);
  });

  it('stay small, however long the names from a log are', async () => {
    const styles = memory();
    const style = { ...DEFAULT_STYLE, fields: ['x'.repeat(10_000), 'msg'] };
    await keepStyle(styles, 'web'.repeat(10_000), styleFrom(style));
    assert.deepEqual(keptStyle(styles, 'web'.repeat(10_000)).fields, ['msg']);
    assert.deepEqual(keptStyle(styles, 'web'.repeat(100)).fields, ['msg']);
  });

  it('ignore invalid values', () => {
    assert.deepEqual(keptStyle(memory('nonsense'), 'web'), DEFAULT_STYLE);
    assert.deepEqual(styleFrom({ wrap: 1, times: 'never', fold: false, fields: ['a', 2] }), {
      ...DEFAULT_STYLE,
      fold: false,
      fields: ['a'],
    });
  });
});

describe('containers of a viewer', () => {
  const member = (index: number, name: string, service?: string) => ({
    ...{ index, id: ID, name, isOver: false },
    ...(service !== undefined && { service }),
  });

  it('keep their colors, even when a service gets another container', () => {
    const members = new ViewerMembers();
    members.update([member(0, 'shop-api-1', 'api'), member(1, 'shop-db-1', 'db')]);
    members.update([
      ...[member(0, 'shop-api-1', 'api'), member(1, 'shop-db-1', 'db')],
      member(2, 'shop-api-2', 'api'),
    ]);
    assert.deepEqual(
      members.list.map(({ color }) => color),
      [0, 1, 0],
    );
  });

  it('are shown unless hidden, including new ones', () => {
    const members = new ViewerMembers();
    members.update([member(0, 'api'), member(1, 'db')]);
    assert.equal(members.visibleIndexes, undefined);
    const changes = [members.show(0, false), members.show(0, false)];
    members.update([member(0, 'api'), member(1, 'db'), member(2, 'queue')]);
    assert.deepEqual(
      [members.visibleIndexes, changes],
      [
        [1, 2],
        [true, false],
      ],
    );
    members.show(0, true);
    assert.equal(members.visibleIndexes, undefined);
  });
});

describe('title of a viewer', () => {
  it('is the name of the project, of the container, or of the first of several containers', () => {
    const of = (names: readonly string[], project?: string): string =>
      viewerTitle({ engine: '', ids: [], ...(project !== undefined && { project }) }, names);
    assert.equal(of(['web']), 'web');
    assert.equal(of(['a', 'b', 'c'], 'shop'), 'shop (3)');
    assert.equal(of(['web', 'db', 'x']), 'web and 2 more');
    assert.equal(of(['evil\u202e\nname']), 'evil name');
  });

  it('has a selection key that does not depend on the order of the containers', () => {
    const key = (engine: string, ids: readonly string[]): string => selectionKey({ engine, ids });
    assert.equal(key('a', ['1', '2']), key('a', ['2', '1']));
    assert.notEqual(key('a', ['1']), key('b', ['1']));
    assert.notEqual(key('a', ['1']), selectionKey({ engine: 'a', ids: ['1'], project: 'p' }));
  });
});

describe('matches in a row', () => {
  const ranges = (query: Partial<typeof WORDS>, plain: string): readonly (readonly number[])[] =>
    new QueryMatcher({ ...WORDS, ...query }, UNHURRIED_MS)
      .ranges(plain)
      .map(({ start, end }) => [start, end]);

  it('are all non-empty matches', () => {
    assert.deepEqual(ranges({}, 'Error: no error'), [
      [0, 3],
      [10, 13],
    ]);
    assert.deepEqual(ranges({ matchCase: true }, 'Err err'), [[4, 7]]);
    assert.deepEqual(ranges({ wholeWord: true }, 'error err'), [[6, 9]]);
    assert.deepEqual(ranges({ pattern: 'e(r+)', isRegex: true }, 'err'), [[0, 3]]);
    assert.deepEqual(ranges({ pattern: 'x*', isRegex: true }, 'axxb'), [[1, 3]]);
  });

  it('are empty for an invalid regular expression', () => {
    assert.deepEqual(ranges({ pattern: '(', isRegex: true }, '('), []);
  });

  it('are given up for a regular expression that times out', () => {
    const matcher = new QueryMatcher({ ...WORDS, pattern: '(a+)+$', isRegex: true });
    for (let row = 0; row < 3; row++) {
      assert.deepEqual(matcher.ranges(`${'a'.repeat(60)}!`), []);
    }
    assert.deepEqual(matcher.ranges('a'), []);
  });

  it('of several queries are merged if they touch or overlap', () => {
    const matchers = ['abc', 'cd', 'x'].map((pattern) => new QueryMatcher({ ...WORDS, pattern }));
    assert.deepEqual(matchRanges(matchers, 'abcd x'), [
      { start: 0, end: 4 },
      { start: 5, end: 6 },
    ]);
  });
});
