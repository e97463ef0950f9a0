import assert from 'node:assert/strict';
import type { FindReport } from '../../../../src/logs/search/lineQuery.ts';
import type { FindState, ToPage } from '../../../../src/logviewer/protocol.ts';
import type { LineStore } from '../../../../src/logs/store/lineStore.ts';
import { ViewerFind } from '../../../../src/logviewer/host/viewerFind.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { line } from '../../support/lines.ts';
import { plainRows, storeOf } from '../support.ts';

const WORDS = { pattern: 'x', isRegex: false, matchCase: false, wholeWord: false };
const ROWS = 10_000;

class Lab {
  readonly clock = new FakeClock();
  readonly posted: ToPage[] = [];
  readonly store: LineStore;
  readonly searches: {
    report: (found: Partial<FindReport>) => void;
    fail: (error: Error) => void;
  }[] = [];
  readonly find: ViewerFind;

  constructor(lineCount = ROWS) {
    this.store = storeOf(lineCount);
    this.find = new ViewerFind({
      clock: this.clock,
      // Row index and line ID are the same.
      ...{ store: this.store, rows: plainRows(this.store) },
      filter: () => undefined,
      describe: (error) => (error as Error).message,
      back: () => ({ horizon: undefined, isOn: false }),
      post: (message) => this.posted.push(message),
      searcher: {
        find: (_query, _filter, onFound, signal) =>
          new Promise((_resolve, reject) => {
            const whole = { ids: [], count: 0, isDone: false, isFresh: false };
            const searched = { from: 0, to: ROWS };
            this.searches.push({
              report: (found) => onFound({ ...whole, searched, ...found }),
              fail: reject,
            });
            signal.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
          }),
      },
    });
  }

  get state(): FindState {
    this.clock.pass(1000);
    const last = this.posted.findLast((one) => one.type === 'find');
    return last?.find ?? assert.fail('no find message was posted');
  }

  get revealed(): readonly number[] {
    return this.posted.flatMap((one) => (one.type === 'reveal' ? [one.id] : []));
  }

  report(found: Partial<FindReport>): void {
    this.searches.at(-1)?.report(found);
  }
}

describe('ViewerFind', () => {
  it('reveals the first match after the top of the view once all lines after that were searched', () => {
    const lab = new Lab();
    lab.find.find(WORDS, 500);
    lab.report({ ids: [800, 900], count: 2, searched: { from: 700, to: ROWS } });
    assert.deepEqual(lab.revealed, []);
    lab.report({ ids: [600], count: 3, searched: { from: 400, to: ROWS } });
    assert.deepEqual(lab.revealed, [600]);
    const { count, current, isDone } = lab.state;
    assert.deepEqual({ count, current, isDone }, { count: 3, current: 1, isDone: false });
  });

  it('reveals the last match if there is none after the top of the view', () => {
    const lab = new Lab();
    lab.find.find(WORDS, 500);
    lab.report({ ids: [100, 200], count: 2, isDone: true });
    assert.deepEqual(lab.revealed, [200]);
  });

  it('reveals no match in a line written after the query, but one in an older line read back', () => {
    const lab = new Lab();
    lab.find.find(WORDS, 500);
    lab.report({ isDone: true });
    lab.store.append([line('x')]);
    lab.report({ ids: [ROWS], count: 1, isDone: true });
    assert.deepEqual([lab.revealed, lab.state.current], [[], 0]);
    lab.store.prepend([line('x')]);
    lab.report({ ids: [-1], count: 2, isDone: true });
    assert.deepEqual(lab.revealed, [-1]);
  });

  it('reports the first match immediately and others soon', () => {
    const lab = new Lab();
    const counts = (): readonly number[] =>
      lab.posted.flatMap((one) => (one.type === 'find' ? [one.find.count] : []));
    lab.find.find(WORDS, 500);
    lab.report({ ids: [800], count: 1 });
    lab.report({ ids: [700], count: 2 });
    assert.deepEqual(counts(), [0, 1]);
    lab.clock.pass(100);
    assert.deepEqual(counts(), [0, 1, 2]);
  });

  it('steps forward and backward and wraps around', () => {
    const lab = new Lab();
    lab.find.find(WORDS, 0);
    lab.report({ ids: [10, 20, 30], count: 3, isDone: true });
    for (const step of [1, 1, 1, -1, -1] as const) lab.find.step(step, 0);
    assert.deepEqual(lab.revealed, [10, 20, 30, 10, 30, 20]);
    assert.equal(lab.state.current, 2);
  });

  it('keeps the current match when older and newer matches arrive', () => {
    const lab = new Lab();
    lab.find.find(WORDS, 15);
    lab.report({ ids: [20, 30], count: 2, isDone: true });
    lab.report({ ids: [5], count: 3, isDone: true });
    lab.report({ ids: [40], count: 4, isDone: true });
    const { count, current } = lab.state;
    assert.deepEqual({ count, current }, { count: 4, current: 2 });
  });

  it('returns marks for a few and for many matches', () => {
    const lab = new Lab();
    lab.find.find(WORDS, 0);
    lab.report({ ids: [0, 1, 5000, 9999], count: 4, isDone: true });
    assert.deepEqual(lab.state.marks, [0, 500, 999]);
    lab.report({ ids: Array.from({ length: 2000 }, (_, at) => 2000 + at), count: 2004 });
    const { marks } = lab.state;
    assert.deepEqual([marks.length, marks[0], marks[1], marks.at(-1)], [203, 0, 200, 999]);
  });

  it('returns no marks if there are no rows', () => {
    const lab = new Lab(0);
    lab.find.find(WORDS, 0);
    lab.report({ ids: [1], count: 1, isDone: true });
    assert.deepEqual(lab.state.marks, []);
  });

  it('forgets earlier matches after a fresh report', () => {
    const lab = new Lab();
    lab.find.find(WORDS, 0);
    lab.report({ ids: [10, 20], count: 2 });
    lab.report({ ids: [15], count: 1, isFresh: true, isDone: true });
    assert.equal(lab.state.count, 1);
    assert.deepEqual(lab.state.marks, [1]);
  });

  it('ignores reports of an aborted search', () => {
    const lab = new Lab();
    lab.find.find(WORDS, 0);
    const [first] = lab.searches;
    lab.find.find({ ...WORDS, pattern: 'y' }, 0);
    first?.report({ ids: [1], count: 1, isDone: true });
    assert.equal(lab.state.count, 0);
    lab.find.find(undefined, 0);
    assert.equal(lab.state.isDone, true);
  });

  it('reports why a search failed', async () => {
    const lab = new Lab();
    lab.find.find(WORDS, 0);
    lab.searches[0]?.fail(new Error('Invalid regular expression'));
    await new Promise(setImmediate);
    const { problem, isDone } = lab.state;
    assert.deepEqual({ problem, isDone }, { problem: 'Invalid regular expression', isDone: true });
  });

  it('limits the number of messages', () => {
    const lab = new Lab();
    lab.find.find(WORDS, 0);
    for (let id = 0; id < 500; id++) lab.report({ ids: [id], count: id + 1 });
    // One for the start of the search, one for the first match.
    assert.equal(lab.posted.filter(({ type }) => type === 'find').length, 2);
  });
});
