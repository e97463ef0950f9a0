import assert from 'node:assert/strict';
import { QueryMatcher } from '../../../../src/logs/rows/queryMatcher.ts';

const QUERY = { pattern: 'a+', isRegex: true, matchCase: false, wholeWord: false };

/** Returns how many of 200 rows are marked if each takes this many milliseconds. */
function marked(rowMs: number): number {
  let now = 0;
  const clock = { now: () => (now += rowMs) };
  const matcher = new QueryMatcher(QUERY, 10_000, clock);
  return Array.from({ length: 200 }, () => matcher.ranges('xax')).filter(({ length }) => length > 0)
    .length;
}

describe('the matches of a regular expression in many rows', () => {
  it('are marked if it is fast', () => assert.equal(marked(1), 200));

  it('are no longer marked if it is slow for many rows, each within the limit', () => {
    const count = marked(9_500);
    assert.ok(count >= 5 && count <= 20, String(count));
  });
});
