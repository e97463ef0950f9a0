import assert from 'node:assert/strict';
import type { FindReport } from '../../../../src/logs/search/lineQuery.ts';
import type { FindState, ToPage } from '../../../../src/logviewer/protocol.ts';
import {
  ViewerFind,
  type ViewerFindDependencies,
} from '../../../../src/logviewer/rows/viewerFind.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { plainRows, storeOf } from '../support.ts';

const WORDS = { pattern: 'x', isRegex: false, matchCase: false, wholeWord: false };
const ROWS = 10_000;

class Lab {
  readonly clock = new FakeClock();
  readonly posted: ToPage[] = [];
  readonly searches: {
    report: (found: Partial<FindReport>) => void;
    fail: (error: Error) => void;
  }[] = [];
  readonly find: ViewerFind;

  constructor(parts: Partial<ViewerFindDependencies> = {}) {
    this.find = new ViewerFind({
      clock: this.clock,
      // Row and id are the same.
      rows: plainRows(storeOf(ROWS)),
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
              report: (found) => {
                onFound({ ...whole, searched, ...found });
              },
              fail: reject,
            });
            signal.addEventListener('abort', () => {
              reject(new DOMException('', 'AbortError'));
            });
          }),
      },
      ...parts,
    });
  }

  get state(): FindState {
    this.clock.pass(1000);
    const last = this.posted.findLast((one) => one.type === 'find');
    return last?.find ?? assert.fail('nothing was told');
  }

  get revealed(): readonly number[] {
    return this.posted.flatMap((one) => (one.type === 'reveal' ? [one.id] : []));
  }

  report(found: Partial<FindReport>): void {
    this.searches.at(-1)?.report(found);
  }
}

describe('the search of a viewer', () => {
  it('goes to the first hit from the view on, once all behind it has been searched', () => {
    const lab = new Lab();
    lab.find.find(WORDS, 500);
    lab.report({ ids: [800, 900], count: 2, searched: { from: 700, to: ROWS } });
    assert.deepEqual(lab.revealed, []);
    lab.report({ ids: [600], count: 3, searched: { from: 400, to: ROWS } });
    assert.deepEqual(lab.revealed, [600]);
    const { count, current, isDone } = lab.state;
    assert.deepEqual({ count, current, isDone }, { count: 3, current: 1, isDone: false });
  });

  it('goes to the last hit where there is none behind the view', () => {
    const lab = new Lab();
    lab.find.find(WORDS, 500);
    lab.report({ ids: [100, 200], count: 2, isDone: true });
    assert.deepEqual(lab.revealed, [200]);
  });

  it('tells of the first hit at once, and of others soon', () => {
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

  it('steps forwards and backwards, and around', () => {
    const lab = new Lab();
    lab.find.find(WORDS, 0);
    lab.report({ ids: [10, 20, 30], count: 3, isDone: true });
    for (const step of [1, 1, 1, -1, -1] as const) lab.find.step(step, 0);
    assert.deepEqual(lab.revealed, [10, 20, 30, 10, 30, 20]);
    assert.equal(lab.state.current, 2);
  });

  it('keeps the current hit while older and newer ones come', () => {
    const lab = new Lab();
    lab.find.find(WORDS, 15);
    lab.report({ ids: [20, 30], count: 2, isDone: true });
    lab.report({ ids: [5], count: 3, isDone: true });
    lab.report({ ids: [40], count: 4, isDone: true });
    const { count, current } = lab.state;
    assert.deepEqual({ count, current }, { count: 4, current: 2 });
  });

  it('marks where hits are, few and very many', () => {
    const lab = new Lab();
    lab.find.find(WORDS, 0);
    lab.report({ ids: [0, 1, 5000, 9999], count: 4, isDone: true });
    assert.deepEqual(lab.state.marks, [0, 500, 999]);
    lab.report({ ids: Array.from({ length: 2000 }, (_, at) => 2000 + at), count: 2004 });
    const { marks } = lab.state;
    assert.deepEqual([marks.length, marks[0], marks[1], marks.at(-1)], [203, 0, 200, 999]);
  });

  it('marks nothing where no row is shown', () => {
    const lab = new Lab({ rows: plainRows(storeOf(0)) });
    lab.find.find(WORDS, 0);
    lab.report({ ids: [1], count: 1, isDone: true });
    assert.deepEqual(lab.state.marks, []);
  });

  it('forgets what is void', () => {
    const lab = new Lab();
    lab.find.find(WORDS, 0);
    lab.report({ ids: [10, 20], count: 2 });
    lab.report({ ids: [15], count: 1, isFresh: true, isDone: true });
    assert.equal(lab.state.count, 1);
    assert.deepEqual(lab.state.marks, [1]);
  });

  it('hears nothing of a search that was given up', () => {
    const lab = new Lab();
    lab.find.find(WORDS, 0);
    const [first] = lab.searches;
    lab.find.find({ ...WORDS, pattern: 'y' }, 0);
    first?.report({ ids: [1], count: 1, isDone: true });
    assert.equal(lab.state.count, 0);
    lab.find.find(undefined, 0);
    assert.equal(lab.state.isDone, true);
  });

  it('says why it cannot search', async () => {
    const lab = new Lab();
    lab.find.find(WORDS, 0);
    lab.searches[0]?.fail(new Error('This is no regular expression'));
    await new Promise(setImmediate);
    const { problem, isDone } = lab.state;
    assert.deepEqual(
      { problem, isDone },
      { problem: 'This is no regular expression', isDone: true },
    );
  });

  it('tells no more often than a person sees', () => {
    const lab = new Lab();
    lab.find.find(WORDS, 0);
    for (let id = 0; id < 500; id++) lab.report({ ids: [id], count: id + 1 });
    // That it begins, and the first hit.
    assert.equal(lab.posted.filter(({ type }) => type === 'find').length, 2);
  });
});
