import assert from 'node:assert/strict';
import { ansiRuns } from '../../../../src/logs/text/ansiRuns.ts';
import type { StoredLine } from '../../../../src/logs/store/storedLine.ts';
import { linksIn } from '../../../../src/logviewer/rows/lineLink.ts';
import { visibleLines } from '../../../../src/logviewer/rows/readableStore.ts';
import { RowServer } from '../../../../src/logviewer/rows/rowServer.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { FakeStore } from '../support.ts';

/** Every line of a store is a row. */
function rowsOf(store: FakeStore) {
  return {
    slice: (from: number, to: number) => store.lines.slice(from, to).map(({ id }) => ({ id })),
    rowOf: (id: number) => Math.max(0, Math.min(id - store.firstId, store.lines.length - 1)),
  };
}

function storeOf(count: number): FakeStore {
  const store = new FakeStore();
  const blank = { member: 0, kind: 'stdout', timestamp: '' } as const;
  store.append(Array.from({ length: count }, (_, at) => ({ ...blank, text: `line ${at}` })));
  return store;
}

describe('the lines that are shown', () => {
  it('are each given once, wherever their rows are by then', () => {
    const store = storeOf(5000);
    const pieces = visibleLines(rowsOf(store), store, 0, 5000);
    const next = (): readonly number[] => {
      const { value } = pieces.next() as IteratorYieldResult<readonly StoredLine[]>;
      return value.map(({ id }) => id);
    };
    const ids = [...next()];
    assert.equal(ids.at(-1), 1999);
    const older = store.lines.slice(0, 100);
    store.prepend(older);
    store.append(older);
    ids.push(...next());
    store.lines = store.lines.slice(4500);
    store.firstId += 4500;
    for (const lines of pieces) ids.push(...lines.map(({ id }) => id));
    const kept = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => from + at);
    assert.deepEqual(ids, [...kept(0, 4000), ...kept(4400, 5000)]);
  });

  it('are told of where they cannot be read, though nobody waits for them', () => {
    const clock = new FakeClock();
    const problems: unknown[] = [];
    const broken = new Error('The disk is gone');
    const read = (): never => {
      throw broken;
    };
    const server = new RowServer({
      ...{ clock, store: { read } },
      rows: { ...rowsOf(storeOf(10)), settle: () => undefined },
      maker: { row: () => assert.fail('there is no line') },
      generation: () => 1,
      post: () => assert.fail('there is nothing to tell'),
      onProblem: (error) => problems.push(error),
    });
    assert.throws(() => {
      server.want({ type: 'want', generation: 1, from: 0, to: 5 });
    }, broken);
    server.refresh();
    clock.pass(1000);
    assert.deepEqual(problems, [broken]);
  });
});

describe('the links of a line', () => {
  it('are not more than anybody follows, so that a hostile line is no work', () => {
    const text = 'http://a.example/ '.repeat(1000);
    const { runs } = ansiRuns(text);
    assert.equal(linksIn(runs, text).length, 200);
  });
});
