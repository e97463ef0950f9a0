import assert from 'node:assert/strict';
import { join } from 'node:path';
import fc from 'fast-check';
import { InputError } from '../../../../src/engine/errors.ts';
import { LineStore } from '../../../../src/logs/store/lineStore.ts';
import {
  CONTINUES,
  MOST_HITS,
  PASSES,
  type FindReport,
  type LineFilter,
  type LineQuery,
} from '../../../../src/logs/search/lineQuery.ts';
import { LogSearch } from '../../../../src/logs/search/logSearch.ts';
import { visibleText } from '../../../../src/logs/text/visibleText.ts';
import { holdsInTime } from '../../properties/holds.ts';
import { line, someLines, withFolder } from '../../support/lines.ts';
import {
  modelFilter,
  modelMatches,
  someFilter,
  someQuery,
  WORKER,
} from '../../support/logModel.ts';

function query(pattern: string, options: Partial<LineQuery> = {}): LineQuery {
  return { pattern, isRegex: false, matchCase: false, wholeWord: false, ...options };
}

/** Collects the reports of a live search. */
class Heard {
  ids: number[] = [];
  last: FindReport | undefined;
  readonly #controller = new AbortController();
  #onFound: (() => void) | undefined;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  readonly take = (found: FindReport): void => {
    if (found.isFresh) this.ids = [];
    this.ids.push(...found.ids);
    this.last = found;
    this.#onFound?.();
  };

  /** Resolves once the condition holds for the reports so far. */
  async until(holds: (heard: this) => boolean): Promise<void> {
    while (!holds(this))
      await new Promise<void>((resolve) => {
        this.#onFound = resolve;
      });
  }

  get sorted(): readonly number[] {
    return [...this.ids].sort((a, b) => a - b);
  }

  stop(): void {
    this.#controller.abort();
  }
}

describe('LogSearch', function () {
  // Each test starts a worker thread.
  this.timeout(30_000);
  const folder = withFolder();
  let store: LineStore;
  let search: LogSearch;

  beforeEach(() => {
    store = new LineStore({ budgetBytes: 130_000, spillFolder: join(folder.path(), 'spill') });
    search = new LogSearch(store, { workerFile: WORKER, hangTimeoutMs: 20_000 });
  });

  afterEach(() => {
    search.dispose();
    store.dispose();
  });

  /** Searches the existing lines. */
  async function find(wanted: LineQuery, filter?: LineFilter): Promise<readonly number[]> {
    const heard = new Heard();
    await search.find(wanted, filter, heard.take, heard.signal);
    heard.stop();
    assert.deepEqual(heard.last?.searched, { from: store.firstId, to: store.endId });
    return heard.sorted;
  }

  it('finds the same lines as a simple model', async () => {
    await holdsInTime(
      fc.asyncProperty(
        fc.array(someLines, { maxLength: 4 }),
        someLines,
        someQuery,
        fc.option(someFilter, { nil: undefined }),
        async (later, older, wanted, filter) => {
          store.clear();
          for (const lines of later) store.append(lines);
          store.prepend(older);
          const lines = store.read(store.firstId, store.endId);
          const passing = modelFilter(lines, filter);
          const expected = lines.filter(
            ({ id, text }) => passing.has(id) && modelMatches(wanted, visibleText(text)),
          );
          assert.deepEqual(
            await find(wanted, filter),
            expected.map(({ id }) => id),
          );
        },
      ),
      50,
    );
  });

  it('finds lines in the file and in memory, the newest first', async () => {
    for (let id = 0; id < 3000; id++) store.append([line(`${id} ${'x'.repeat(300)}`)]);
    assert.ok(store.spilledBytes > 100_000);
    const heard = new Heard();
    await search.find(query('7', { wholeWord: true }), undefined, heard.take, heard.signal);
    assert.deepEqual(heard.sorted, [7]);
    assert.deepEqual(await find(query('^\\d*99 ', { isRegex: true })), hundreds(3000));
    heard.stop();
  });

  it('continues with prepended and appended lines, and starts over after the store was cleared', async () => {
    store.append([line('one'), line('two')]);
    const heard = new Heard();
    await search.find(query('o'), undefined, heard.take, heard.signal);
    assert.deepEqual(heard.sorted, [0, 1]);
    store.append([line('three'), line('four')]);
    await heard.until(({ ids }) => ids.includes(3));
    store.prepend([line('zero')]);
    await heard.until(({ ids }) => ids.includes(-1));
    assert.deepEqual(heard.sorted, [-1, 0, 1, 3]);
    assert.equal(heard.last?.count, 4);
    await heard.until(({ last }) => last?.searched.from === -1 && last.searched.to === 4);
    store.clear();
    await heard.until(({ last }) => last?.isFresh === true && last.isDone);
    assert.deepEqual(heard.ids, []);
    store.append([line('so')]);
    await heard.until(({ ids }) => ids.includes(4));
    assert.deepEqual(heard.ids, [4]);
    heard.stop();
  });

  it('keeps counting when it no longer reports IDs', async () => {
    const lines = Array.from({ length: 10_000 }, () => line('hit'));
    for (let turn = 0; turn < 11; turn++) store.append(lines);
    const heard = new Heard();
    await search.find(query('hit'), undefined, heard.take, heard.signal);
    assert.equal(heard.last?.count, 110_000);
    assert.equal(heard.ids.length, MOST_HITS);
    heard.stop();
  });

  it('rejects an invalid regular expression with an InputError', async () => {
    const { signal } = new AbortController();
    const bad = query('a(', { isRegex: true });
    await assert.rejects(
      search.find(bad, undefined, () => undefined, signal),
      InputError,
    );
    await assert.rejects(
      search.rows({ filter: { exclude: bad }, folds: false }, () => undefined, signal),
      InputError,
    );
  });

  it('ends an expression that hangs, and continues the other searches', async () => {
    search.dispose();
    search = new LogSearch(store, { workerFile: WORKER, hangTimeoutMs: 2000 });
    store.append([line(`${'a'.repeat(60)}!`), line('good')]);
    const other = new Heard();
    await search.find(query('good'), undefined, other.take, other.signal);
    const bad = query('^(a+)+$', { isRegex: true });
    const { signal } = new AbortController();
    await assert.rejects(
      search.find(bad, undefined, () => undefined, signal),
      (error) => error instanceof InputError && error.message.includes('too long'),
    );
    store.append([line('good again')]);
    await other.until(({ ids }) => ids.includes(2));
    assert.deepEqual(other.sorted, [1, 2]);
    assert.deepEqual(await find(query('again')), [2]);
    other.stop();
  });

  it('stops when aborted', async () => {
    store.append([line('one')]);
    const heard = new Heard();
    const searching = search.find(query('one'), undefined, heard.take, heard.signal);
    heard.stop();
    await assert.rejects(searching, { name: 'AbortError' });
    await assert.rejects(search.find(query('one'), undefined, heard.take, heard.signal), {
      name: 'AbortError',
    });
    assert.equal(heard.last, undefined);
  });

  it('rejects running searches when disposed', async () => {
    store.append([line('one')]);
    const { signal } = new AbortController();
    const searching = search.find(query('one'), undefined, () => undefined, signal);
    search.dispose();
    await assert.rejects(searching, { name: 'AbortError' });
  });

  it('rejects if the worker cannot be started', async () => {
    const broken = new LogSearch(store, { workerFile: join(folder.path(), 'absent.cjs') });
    const { signal } = new AbortController();
    await assert.rejects(
      broken.find(query('x'), undefined, () => undefined, signal),
      Error,
    );
    broken.dispose();
  });

  it('gives the frames of a trace the level of their head', async () => {
    store.append([
      line('INFO fine'),
      line('ERROR it broke'),
      line('java.io.IOException: no'),
      line('\tat a.b.C.d(C.java:12)'),
      line('INFO fine again'),
    ]);
    const marks = new Map<number, number>();
    const controller = new AbortController();
    await search.rows(
      { filter: { levels: ['error'] }, folds: true },
      ({ from, marks: some }) => {
        for (const [slot, mark] of some.entries()) marks.set(from + slot, mark);
      },
      controller.signal,
    );
    controller.abort();
    const those = (bit: number): readonly number[] =>
      [0, 1, 2, 3, 4].filter((id) => (marks.get(id) ?? 0) & bit);
    assert.deepEqual(those(PASSES), [1, 2, 3]);
    assert.deepEqual(those(CONTINUES), [2, 3]);
  });
});

/** Returns the IDs that end with 99. */
function hundreds(below: number): readonly number[] {
  return Array.from({ length: below / 100 }, (_, index) => index * 100 + 99);
}
