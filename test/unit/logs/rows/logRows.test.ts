import assert from 'node:assert/strict';
import { join } from 'node:path';
import fc from 'fast-check';
import { toDisposable, type Disposable } from '../../../../src/base/lifetime.ts';
import { InputError } from '../../../../src/engine/errors.ts';
import { LineStore } from '../../../../src/logs/store/lineStore.ts';
import { LogRows, type LogRowsChange } from '../../../../src/logs/rows/logRows.ts';
import type { LogRowsSettings } from '../../../../src/logs/rows/rowRules.ts';
import { LogSearch } from '../../../../src/logs/search/logSearch.ts';
import type { NewLine } from '../../../../src/logs/store/storedLine.ts';
import { holdsInTime } from '../../properties/holds.ts';
import { line, someLines, withFolder } from '../../support/lines.ts';
import { modelContinuations, modelFilter, someFilter, WORKER } from '../../support/logModel.ts';

/** Computes the rows in the simplest way, as the expected result. */
function modelRows(
  store: LineStore,
  { filter, folds }: LogRowsSettings,
  isFolded: (head: number) => boolean,
): readonly number[] {
  const lines = store.read(store.firstId, store.endId);
  const following = modelContinuations(lines);
  const context = filter?.context ?? 0;
  const groups: number[][] = [];
  for (const { id } of lines) {
    if (folds && following.has(id)) groups.at(-1)?.push(id);
    else groups.push([id]);
  }
  // An excluded line hides its whole group.
  const left = modelFilter(lines, filter?.exclude && { exclude: filter.exclude });
  const visible = new Set(groups.filter((ids) => ids.every((id) => left.has(id))).flat());
  const passing = [...modelFilter(lines, filter)].filter((id) => visible.has(id));
  const isNear = (id: number): boolean => passing.some((other) => Math.abs(other - id) <= context);
  return groups
    .filter((ids) => !filter || ids.some(isNear))
    .flatMap((ids) => (folds && isFolded(ids[0]!) ? ids.slice(0, 1) : ids));
}

function rowsOf(view: LogRows): readonly (number | undefined)[] {
  return Array.from({ length: view.rowCount }, (_, index) => view.rowAt(index)?.id);
}

describe('LogRows', function () {
  // Each test starts a worker thread.
  this.timeout(30_000);
  const folder = withFolder();
  let store: LineStore;
  let search: LogSearch;
  let view: LogRows;

  beforeEach(() => {
    store = new LineStore({ budgetBytes: 1e6, spillFolder: join(folder.path(), 'spill') });
    search = new LogSearch(store, { workerFile: WORKER, hangTimeoutMs: 20_000 });
    view = new LogRows(store, search);
  });

  afterEach(() => {
    view.dispose();
    search.dispose();
    store.dispose();
  });

  /** Resolves once the rows equal these. If they never do, the test times out. */
  async function untilRows(expected: readonly number[]): Promise<void> {
    const isSo = (): boolean => {
      const rows = rowsOf(view);
      return rows.length === expected.length && rows.every((id, index) => id === expected[index]);
    };
    while (!isSo())
      await new Promise<void>((resolve) => {
        const subscription = view.onDidChange(() => {
          subscription.dispose();
          resolve();
        });
      });
  }

  it('shows every line in a row at first', () => {
    store.append([line('a'), line('b')]);
    store.prepend([line('c')]);
    assert.deepEqual(rowsOf(view), [-1, 0, 1]);
    assert.deepEqual(view.rowAt(0), { id: -1 });
    assert.equal(view.indexOf(1), 2);
    assert.equal(view.indexOf(2), -1);
    assert.equal(view.rowAt(3), undefined);
    assert.equal(view.rowAt(-1), undefined);
  });

  it('shows the same rows as a simple model, while lines are prepended and appended', async () => {
    const someSettings = fc.record({
      filter: fc.option(someFilter, { nil: undefined }),
      folds: fc.boolean(),
    });
    await holdsInTime(
      fc.asyncProperty(
        fc.array(someLines, { minLength: 1, maxLength: 4 }),
        someSettings,
        fc.array(fc.nat(100), { maxLength: 3 }),
        async ([first = [], older = [], ...later], settings, others) => {
          store.clear();
          store.append(first);
          await view.show(settings);
          store.prepend(older);
          for (const lines of later) store.append(lines);
          const unfolded = new Set(others.map((offset) => store.firstId + offset));
          for (const head of unfolded) view.fold(head, false);
          const isFolded = (head: number): boolean => !unfolded.has(head);
          const expected = modelRows(store, settings, isFolded);
          await untilRows(expected);
          for (const [row, id] of expected.entries()) {
            assert.equal(view.indexOf(id), row);
            assert.equal(view.rowNear(id, 0), row);
            assert.ok(Math.abs(view.rowNear(id, Infinity) - row) <= expected.length);
          }
        },
      ),
      50,
    );
  });

  it('finds the row of a line that has no row of its own', async () => {
    store.append(trace());
    await view.show({ folds: true });
    assert.deepEqual(rowsOf(view), [0, 1, 5]);
    assert.deepEqual(view.rowAt(1), { id: 1, folded: { count: 3, isOpen: false } });
    assert.equal(view.indexOf(3), -1);
    assert.equal(view.headOf(3), 1);
    assert.deepEqual(
      [0, 3, 5, 99, -5].map((id) => view.rowOf(id)),
      [0, 1, 2, 2, 0],
    );
    assert.deepEqual(view.slice(1, 9), [{ id: 1, folded: { count: 3, isOpen: false } }, { id: 5 }]);
    view.uncover(3);
    assert.deepEqual(rowsOf(view), [0, 1, 2, 3, 4, 5]);
    assert.deepEqual(view.rowAt(1), { id: 1, folded: { count: 3, isOpen: true } });
    assert.deepEqual(view.rowAt(2), { id: 2 });
  });

  it('knows which lines the filter has checked', async () => {
    store.append(trace());
    assert.equal(view.isChecked(0), true);
    const include = { pattern: 'ERROR', isRegex: false, matchCase: true, wholeWord: false };
    await view.show({ filter: { include }, folds: false });
    store.prepend([line('ERROR before')]);
    assert.deepEqual([view.isChecked(0), view.isChecked(-1)], [true, false]);
    await untilRows([-1, 1]);
    assert.equal(view.isChecked(-1), true);
  });

  it('hides the whole group if one of its lines is excluded', async () => {
    const frames = ['    at ping (probe.js:1:2)', '    at main (app.js:3:4)'];
    store.append(['fine', 'Error: probe', ...frames, 'Error: other'].map((text) => line(text)));
    for (const pattern of ['Error: probe', 'main', 'ping']) {
      const exclude = { pattern, isRegex: false, matchCase: false, wholeWord: false };
      await view.show({ filter: { exclude }, folds: true });
      assert.deepEqual(rowsOf(view), [0, 4], pattern);
      await view.show({ filter: { exclude }, folds: false });
      assert.equal(view.rowCount, 4);
    }
  });

  describe('reports how rows moved', () => {
    function changeBy(act: () => void): LogRowsChange {
      view.settle();
      const changes: LogRowsChange[] = [];
      const subscription = view.onDidChange((change) => changes.push(change));
      act();
      view.settle();
      subscription.dispose();
      return changes[0]!;
    }

    it('only at the end', () => {
      assert.deepEqual(
        changeBy(() => store.append(trace())),
        {},
      );
      assert.deepEqual(
        changeBy(() => undefined),
        {},
      );
      assert.deepEqual(
        changeBy(() => store.append(trace())),
        {},
      );
    });

    it('by the rows prepended, even if others are appended', () => {
      store.append(trace());
      assert.deepEqual(
        changeBy(() => store.prepend([line('a'), line('b')])),
        { shiftedBy: 2 },
      );
      const both = changeBy(() => {
        store.prepend([line('c')]);
        store.append([line('d')]);
      });
      assert.deepEqual(both, { shiftedBy: 1 });
    });

    it('in another way if rows were added or removed in between', async () => {
      store.append(trace());
      await view.show({ folds: true });
      for (const act of [() => view.fold(1, false), () => view.fold(1, true), () => store.clear()])
        assert.deepEqual(changeBy(act), { isNew: true });
    });

    it('in another way if the oldest lines were dropped', () => {
      const small = new LineStore({ budgetBytes: 1, spillFolder: '', maxSpillBytes: 0 });
      const other = new LogRows(small, search);
      small.append([line('a'), line('b')]);
      other.settle();
      const changes: LogRowsChange[] = [];
      other.onDidChange((change) => changes.push(change));
      small.append([line('x'.repeat(100_000))]);
      other.settle();
      assert.deepEqual([changes, other.rowCount], [[{ isNew: true }], 1]);
      other.dispose();
      small.dispose();
    });
  });

  it('joins frames with a head that is prepended later', async () => {
    const [before, head, exception, ...rest] = trace();
    store.append(rest);
    await view.show({ folds: true });
    store.prepend([before!, head!, exception!]);
    await untilRows([-3, -2, 2]);
  });

  it('follows a store that drops its oldest lines', async () => {
    const small = new LineStore({
      budgetBytes: 130_000,
      spillFolder: join(folder.path(), 'small'),
      maxSpillBytes: 130_000,
    });
    const finder = new LogSearch(small, { workerFile: WORKER, hangTimeoutMs: 20_000 });
    const other = new LogRows(small, finder);
    const query = { pattern: '7', isRegex: false, matchCase: true, wholeWord: false };
    await other.show({ filter: { include: query }, folds: false });
    for (let id = 0; id < 5000; id++) small.append([line(`${id} ${'x'.repeat(100)}`)]);
    const all = Array.from({ length: 5000 }, (_, id) => id);
    const expected = all.filter((id) => id >= small.firstId && String(id).includes('7'));
    assert.ok(small.firstId > 0);
    while (other.rowCount !== expected.length)
      await new Promise<void>((resolve) => {
        const subscription = other.onDidChange(() => {
          subscription.dispose();
          resolve();
        });
      });
    assert.deepEqual(rowsOf(other), expected);
    other.dispose();
    finder.dispose();
    small.dispose();
  });

  it('starts over after the store was cleared', async () => {
    store.append(trace());
    const query = { pattern: 'at', isRegex: false, matchCase: true, wholeWord: false };
    await view.show({ filter: { include: query }, folds: false });
    store.clear();
    assert.equal(view.rowCount, 0);
    store.append([line('at last'), line('no')]);
    await untilRows([6]);
  });

  it('stops listening to the store when it is disposed', () => {
    const listeners = new Set<() => void>();
    const onDidChange = (listener: () => void): Disposable => {
      listeners.add(listener);
      return toDisposable(() => listeners.delete(listener));
    };
    const fake = { firstId: 0, endId: 0, generation: 0, onDidChange } as unknown as LineStore;
    const other = new LogRows(fake, search);
    assert.equal(listeners.size, 1);
    other.dispose();
    assert.equal(listeners.size, 0);
  });

  it('keeps its rows if a filter is not a valid regular expression', async () => {
    store.append(trace());
    const include = { pattern: '(', isRegex: true, matchCase: false, wholeWord: false };
    await assert.rejects(view.show({ filter: { include }, folds: false }), InputError);
    assert.equal(view.rowCount, 6);
    store.append([line('more')]);
    assert.equal(view.rowCount, 7);
  });
});

function trace(): readonly NewLine[] {
  return [
    line('INFO before'),
    line('ERROR it broke'),
    line('java.io.IOException: no'),
    line('\tat a.b.C.d(C.java:12)'),
    line('\tat a.b.C.e(C.java:13)'),
    line('INFO after'),
  ];
}
