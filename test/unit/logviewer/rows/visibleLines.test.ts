import assert from 'node:assert/strict';
import { ansiRuns } from '../../../../src/logs/text/ansiRuns.ts';
import type { StoredLine } from '../../../../src/logs/store/storedLine.ts';
import { linksIn } from '../../../../src/logviewer/rows/lineLink.ts';
import { visibleLines } from '../../../../src/logviewer/rows/visibleLines.ts';
import { RowServer } from '../../../../src/logviewer/rows/rowServer.ts';
import { line } from '../../support/lines.ts';
import { memoryStore, plainRows, storeOf } from '../support.ts';
import { FakeClock } from '../../support/fakeClock.ts';

describe('the lines that are shown', () => {
  it('are each given once, wherever their rows are by then', () => {
    const store = memoryStore(1e6);
    store.append(Array.from({ length: 5000 }, () => line('x'.repeat(100))));
    const pieces = visibleLines(plainRows(store), store, 0, 5000);
    const next = (): readonly number[] => {
      const { value } = pieces.next() as IteratorYieldResult<readonly StoredLine[]>;
      return value.map(({ id }) => id);
    };
    const ids = [...next()];
    assert.equal(ids.at(-1), 1999);
    const older = Array.from({ length: 100 }, () => line('older'));
    store.prepend(older);
    store.append(older);
    ids.push(...next());
    while (store.firstId <= 4000) store.append([line('x'.repeat(10_000))]);
    assert.ok(store.firstId < 5000);
    for (const lines of pieces) ids.push(...lines.map(({ id }) => id));
    const kept = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => from + at);
    assert.deepEqual(ids, [...kept(0, 4000), ...kept(store.firstId, 5000)]);
  });

  it('are told of where they cannot be read, though nobody waits for them', () => {
    const clock = new FakeClock();
    const problems: unknown[] = [];
    const broken = new Error('The disk is gone');
    const store = storeOf(10);
    store.read = () => {
      throw broken;
    };
    const server = new RowServer({
      ...{ clock, store, rows: plainRows(store) },
      maker: { row: () => assert.fail('there is no line') },
      generation: () => 1,
      post: () => assert.fail('there is nothing to tell'),
      tellExtent: () => assert.fail('it does not follow'),
      updateExtent: () => assert.fail('it does not follow'),
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
