import assert from 'node:assert/strict';
import { ansiRuns } from '../../../../src/logs/text/ansiRuns.ts';
import type { StoredLine } from '../../../../src/logs/store/storedLine.ts';
import { linksIn, type RowMaker } from '../../../../src/logviewer/host/rowMaker.ts';
import type { ViewerContent, ViewerContext } from '../../../../src/logviewer/host/viewerContent.ts';
import { visibleLines } from '../../../../src/logviewer/host/visibleLines.ts';
import { RowServer } from '../../../../src/logviewer/host/rowServer.ts';
import { line } from '../../support/lines.ts';
import { memoryStore, plainRows, storeOf } from '../support.ts';
import { FakeClock } from '../../support/fakeClock.ts';

describe('visible lines', () => {
  it('are each yielded once, even if their rows move in the meantime', () => {
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

  it('report a read error even if no caller is waiting', () => {
    const clock = new FakeClock();
    const problems: unknown[] = [];
    const broken = new Error('The disk is gone');
    const store = storeOf(10);
    store.read = () => {
      throw broken;
    };
    const context: Partial<ViewerContext> = {
      ...{ clock, store, rows: plainRows(store) },
      content: { back: { isStart: true, isReading: false } } as unknown as ViewerContent,
      post: ({ type }) => assert.notEqual(type, 'rows'),
      onProblem: (error) => problems.push(error),
    };
    const maker = { row: () => assert.fail('a row was made although there is no line') };
    const server = new RowServer(context as ViewerContext, maker as unknown as RowMaker);
    assert.throws(() => server.want({ type: 'want', generation: 1, from: 0, to: 5 }), broken);
    server.refresh();
    clock.pass(1000);
    // Once by the refresh, and once because settling the rows changed them.
    assert.deepEqual(problems, [broken, broken]);
  });
});

describe('links of a line', () => {
  it('are limited to 200, so that a malicious line costs little time', () => {
    const text = 'http://a.example/ '.repeat(1000);
    const runs = ansiRuns(text);
    assert.equal(linksIn(runs, text).length, 200);
  });
});
