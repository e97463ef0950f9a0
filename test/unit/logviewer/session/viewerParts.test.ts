import assert from 'node:assert/strict';
import { Hits } from '../../../../src/logviewer/rows/hits.ts';
import { viewerStateFrom, EMPTY_FILTER } from '../../../../src/logviewer/session/viewerState.ts';
import { buildLineFilter } from '../../../../src/logviewer/rows/buildLineFilter.ts';
import {
  DEFAULT_STYLE,
  StyleMemory,
  styleFrom,
} from '../../../../src/logviewer/session/styleMemory.ts';
import { ViewerMembers } from '../../../../src/logviewer/session/viewerMembers.ts';
import { selectionKey, viewerTitle } from '../../../../src/logviewer/session/viewerTitle.ts';
import { matchRanges, QueryMatcher } from '../../../../src/logviewer/rows/queryMatcher.ts';
import { PLAIN } from '../support.ts';

const ID = 'a'.repeat(64);
/** Only what never ends is late. */
const UNHURRIED_MS = 10_000;
const WORDS = { pattern: 'err', isRegex: false, matchCase: false, wholeWord: false };

describe('hits', () => {
  it('grow at both ends and in between, each once', () => {
    const hits = new Hits();
    for (const ids of [[5, 9], [20], [-3, 1], [], [7, 9]]) hits.add(ids);
    assert.deepEqual(hits.ids, [-3, 1, 5, 7, 9, 20]);
    assert.deepEqual(
      [-9, 5, 6, 99].map((id) => hits.indexOf(id)),
      [0, 2, 3, 6],
    );
  });
});

describe('what a page keeps', () => {
  const kept = {
    selection: { engine: 'default', ids: [ID], project: 'shop' },
    ...{ title: 'shop (1)', styleName: 'shop', clearedAt: '2026-08-01T00:00:00Z' },
    filter: { ...EMPTY_FILTER, include: WORDS, levels: ['error'], streams: ['stderr'], context: 2 },
  };

  it('brings everything back', () => {
    assert.deepEqual(viewerStateFrom(JSON.parse(JSON.stringify(kept))), kept);
  });

  it('is nothing where it says of no container', () => {
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

  it('leaves out of a filter what is none', () => {
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

describe('the filter a store is asked by', () => {
  it('is none where nothing is kept back', () => {
    assert.equal(buildLineFilter({ ...EMPTY_FILTER, context: 3 }, undefined), undefined);
  });

  it('keeps what Gantry says with every stream', () => {
    const filter = { ...EMPTY_FILTER, exclude: WORDS, streams: ['stderr'] as const, context: 3 };
    assert.deepEqual(buildLineFilter(filter, [1]), {
      ...{ exclude: WORDS, kinds: ['stderr', 'marker', 'gap'], members: [1], context: 3 },
    });
  });
});

describe('the memory of styles', () => {
  function memory(initial?: unknown) {
    let value = initial;
    return {
      get: () => value,
      update: (_key: string, next: unknown) => {
        value = next;
        return Promise.resolve();
      },
    };
  }

  it('keeps a style for each name, and the default for the rest', async () => {
    const styles = new StyleMemory(memory());
    const style = { ...DEFAULT_STYLE, wrap: true, fields: ['msg'] };
    await styles.keep('web', style);
    assert.deepEqual(styles.of('web'), style);
    assert.deepEqual(styles.of('db'), DEFAULT_STYLE);
  });

  it('forgets the names that were used longest ago', async () => {
    const styles = new StyleMemory(memory());
    const style = { ...DEFAULT_STYLE, wrap: true };
    for (let at = 0; at < 201; at++) await styles.keep(`web-${at}`, style);
    assert.deepEqual(styles.of('web-0'), DEFAULT_STYLE);
    assert.deepEqual(styles.of('web-200'), style);
  });

  it('keeps little, however long the names are that come from a log', async () => {
    const styles = new StyleMemory(memory());
    const style = { ...DEFAULT_STYLE, fields: ['x'.repeat(10_000), 'msg'] };
    await styles.keep('web'.repeat(10_000), styleFrom(style));
    assert.deepEqual(styles.of('web'.repeat(10_000)).fields, ['msg']);
    assert.deepEqual(styles.of('web'.repeat(100)).fields, ['msg']);
  });

  it('takes of what is kept only what is a style', () => {
    assert.deepEqual(new StyleMemory(memory('nonsense')).of('web'), DEFAULT_STYLE);
    assert.deepEqual(styleFrom({ wrap: 1, times: 'never', fold: false, fields: ['a', 2] }), {
      ...DEFAULT_STYLE,
      fold: false,
      fields: ['a'],
    });
  });
});

describe('the containers of a viewer', () => {
  const member = (index: number, name: string, service?: string) => ({
    ...{ index, id: ID, name, isOver: false },
    ...(service !== undefined && { service }),
  });

  it('keep their colours, also one that is made anew for its service', () => {
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

  it('are shown until they are hidden, and one that comes is shown', () => {
    const members = new ViewerMembers();
    let changes = 0;
    members.onDidChangeVisible(() => changes++);
    members.update([member(0, 'api'), member(1, 'db')]);
    assert.equal(members.visibleIndexes, undefined);
    members.show(0, false);
    members.show(0, false);
    members.update([member(0, 'api'), member(1, 'db'), member(2, 'queue')]);
    assert.deepEqual([members.visibleIndexes, changes], [[1, 2], 1]);
    members.show(0, true);
    assert.equal(members.visibleIndexes, undefined);
  });
});

describe('the title of a viewer', () => {
  it('is the name of the project, of the container, or of the first of several', () => {
    const of = (names: readonly string[], project?: string): string =>
      viewerTitle({ engine: '', ids: [], ...(project !== undefined && { project }) }, names, PLAIN);
    assert.equal(of(['web']), 'web');
    assert.equal(of(['a', 'b', 'c'], 'shop'), 'shop (3)');
    assert.equal(of(['web', 'db', 'x']), 'web and 2 more');
    assert.equal(of(['evil\u202e\nname']), 'evil name');
  });

  it('belongs to a selection, in whatever order that is', () => {
    const key = (engine: string, ids: readonly string[]): string => selectionKey({ engine, ids });
    assert.equal(key('a', ['1', '2']), key('a', ['2', '1']));
    assert.notEqual(key('a', ['1']), key('b', ['1']));
    assert.notEqual(key('a', ['1']), selectionKey({ engine: 'a', ids: ['1'], project: 'p' }));
  });
});

describe('the places of words in a row', () => {
  const ranges = (query: Partial<typeof WORDS>, plain: string): readonly (readonly number[])[] =>
    new QueryMatcher({ ...WORDS, ...query }, UNHURRIED_MS)
      .ranges(plain)
      .map(({ start, end }) => [start, end]);

  it('are all that match', () => {
    assert.deepEqual(ranges({}, 'Error: no error'), [
      [0, 3],
      [10, 13],
    ]);
    assert.deepEqual(ranges({ matchCase: true }, 'Err err'), [[4, 7]]);
    assert.deepEqual(ranges({ wholeWord: true }, 'error err'), [[6, 9]]);
    assert.deepEqual(ranges({ pattern: 'e(r+)', isRegex: true }, 'err'), [[0, 3]]);
    assert.deepEqual(ranges({ pattern: 'x*', isRegex: true }, 'axxb'), [[1, 3]]);
  });

  it('are none of what is no expression', () => {
    assert.deepEqual(ranges({ pattern: '(', isRegex: true }, '('), []);
  });

  it('are given up where an expression does not come to its end', () => {
    const matcher = new QueryMatcher({ ...WORDS, pattern: '(a+)+$', isRegex: true });
    for (let row = 0; row < 3; row++) {
      assert.deepEqual(matcher.ranges(`${'a'.repeat(60)}!`), []);
    }
    assert.deepEqual(matcher.ranges('a'), []);
  });

  it('of several are one where they touch', () => {
    const matchers = ['abc', 'cd', 'x'].map((pattern) => new QueryMatcher({ ...WORDS, pattern }));
    assert.deepEqual(matchRanges(matchers, 'abcd x'), [
      { start: 0, end: 4 },
      { start: 5, end: 6 },
    ]);
  });
});
