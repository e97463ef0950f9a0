import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  CONTINUES,
  HIDES,
  KNOWN,
  PASSES,
  type LineQuery,
} from '../../../../src/logs/search/lineQuery.ts';
import { LineMatcher, queryProblem } from '../../../../src/logs/search/lineMatcher.ts';
import { SearchJob } from '../../../../src/logs/search/searchJob.ts';
import {
  StoreMirror,
  type SearchTask,
  type WorkerReport,
} from '../../../../src/logs/search/storeMirror.ts';
import { MOST_FOLLOWING, TraceReader } from '../../../../src/logs/search/traceReader.ts';
import { LineStore } from '../../../../src/logs/store/lineStore.ts';
import { line, withFolder } from '../../support/lines.ts';

const query = (pattern: string, options: Partial<LineQuery> = {}): LineQuery => ({
  ...{ pattern, isRegex: false, matchCase: false, wholeWord: false },
  ...options,
});

describe('a search in this thread', () => {
  const folder = withFolder();
  let store: LineStore;
  let mirror: StoreMirror;
  let reports: WorkerReport[];
  beforeEach(() => {
    store = new LineStore({ budgetBytes: 100_000, spillFolder: join(folder.path(), 'spill') });
    mirror = new StoreMirror();
    reports = [];
  });
  afterEach(() => {
    mirror.dispose();
    store.dispose();
  });

  /** Tells the mirror all that the store has, and which blocks it no longer has. */
  function sync(gone: readonly number[] = []): void {
    const { blocks, ...rest } = store.snapshot();
    mirror.apply({ ...rest, changed: blocks, gone });
  }

  /** Starts a job. */
  const start = (work: SearchTask): SearchJob =>
    new SearchJob(
      5,
      work,
      (report) => reports.push(report),
      () => undefined,
    );

  /** Advances a job as far as it goes. Returns why it stopped. */
  function run(job: SearchJob): string {
    for (;;) {
      const progress = job.step(mirror);
      if (progress !== 'more') return progress;
    }
  }

  const found = () => reports.flatMap((report) => (report.kind === 'found' ? [report] : []));

  it('is fresh once, reports that it is done once, and goes on with what is new', () => {
    store.append([line('one'), line('two')]);
    sync();
    const job = start({ kind: 'find', query: query('o') });
    assert.deepEqual([run(job), run(job)], ['done', 'done']);
    store.append([line('three'), line('four')]);
    store.prepend([line('zero')]);
    sync();
    assert.equal(run(job), 'done');
    assert.deepEqual(
      found().map(({ job: id, ids, count, isDone, isFresh }) => [id, ids, count, isDone, isFresh]),
      [
        [5, [0, 1], 2, true, true],
        [5, [3], 3, false, false],
        [5, [-1], 4, true, false],
      ],
    );
    assert.deepEqual(found()[0]?.searched, { from: 0, to: 2 });
    assert.deepEqual(found()[2]?.searched, { from: -1, to: 4 });
  });

  it('says that there is nothing in an empty store, and starts over after it was cleared', () => {
    sync();
    const job = start({ kind: 'find', query: query('o') });
    assert.equal(run(job), 'done');
    store.append([line('one')]);
    sync();
    run(job);
    store.clear();
    sync([mirror.blockOf(0)?.serial ?? NaN]);
    assert.deepEqual([run(job), mirror.blockOf(0)], ['done', undefined]);
    assert.deepEqual(
      found().map(({ ids, count, isDone, isFresh }) => [ids, count, isDone, isFresh]),
      [
        [[], 0, true, true],
        [[0], 1, true, false],
        [[], 0, true, true],
      ],
    );
  });

  for (const [wanted, ids] of [
    [query('error'), [0, 1, 2, 5]],
    [query('error', { wholeWord: true }), [0, 1, 2]],
    [query('ERROR', { matchCase: true }), []],
    [query('31m'), []],
    [query('GRÖSSER'), []],
    [query('GRÖßER'), [3]],
    [query('Ã'), []],
    [query('k'), [4]],
    [query('k', { matchCase: true }), []],
    [query('^$', { isRegex: true }), [6]],
    [query('d$', { isRegex: true }), [0]],
  ] as const)
    it(`finds ${JSON.stringify(wanted)} in what is visible of a line`, () => {
      const texts = ['er\u001b[31mror\u001b[0m in red', 'an error', '10 %\rerror 30 %'];
      texts.push('größer als 10 €', '\u212a', 'terrors', '');
      store.append(texts.map((text) => line(text)));
      sync();
      run(start({ kind: 'find', query: wanted }));
      assert.deepEqual(
        found().flatMap((report) => report.ids),
        ids,
      );
    });

  it('reads what is in the file, and waits if its memory has been used for other lines', () => {
    for (let id = 0; id < 900; id++) store.append([line(`${id} ${'x'.repeat(300)}`)]);
    assert(store.spilledBytes > 0);
    sync();
    const job = start({ kind: 'find', query: query('0 ') });
    assert.equal(run(job), 'done');
    assert.equal(found().at(-1)?.count, 90);
    const late = start({ kind: 'find', query: query('0 ') });
    for (let id = 900; id < 1800; id++) store.append([line(`${id} ${'x'.repeat(300)}`)]);
    assert.equal(run(late), 'waiting');
    sync();
    assert.equal(run(late), 'done');
    assert.equal(found().at(-1)?.count, 180);
  });

  it('waits if the file is gone, because the store has another one by then', () => {
    for (let id = 0; id < 900; id++) store.append([line(`${id} ${'x'.repeat(300)}`)]);
    const { file = '' } = store.snapshot();
    rmSync(file);
    sync();
    assert.equal(run(start({ kind: 'find', query: query('0 ') })), 'waiting');
  });

  it('marks the lines that pass, continue a trace, or hide their group', () => {
    const texts = ['ERROR it broke', '\tat a.b.C.d(C.java:12)', 'INFO secret', 'plain'];
    store.append(texts.map((text) => line(text)));
    store.append([{ ...line('ERROR of Gantry'), kind: 'marker' }]);
    sync();
    const levels = ['error', 'none'] as const;
    run(start({ kind: 'mark', folds: true, filter: { exclude: query('secret'), levels } }));
    const marks = reports.flatMap((report) => (report.kind === 'marked' ? [...report.marks] : []));
    assert.deepEqual(marks, [
      KNOWN | PASSES,
      KNOWN | PASSES | CONTINUES,
      KNOWN | HIDES,
      KNOWN | PASSES,
      KNOWN | PASSES,
    ]);
  });

  it('knows the head of a trace that begins before the lines of a step', () => {
    // More lines than the first step has.
    const frames = Array.from({ length: 900 }, (_, at) => line(`\tat a.b.C.d(C.java:${at})`));
    store.append([line('java.io.IOException: no'), ...frames, line('plain')]);
    sync();
    run(start({ kind: 'mark', folds: true }));
    const marks = new Map(
      reports.flatMap((report) =>
        report.kind === 'marked'
          ? [...report.marks].map((mark, slot) => [report.from + slot, mark] as const)
          : [],
      ),
    );
    const continuing = [...marks].filter(([, mark]) => mark & CONTINUES).map(([id]) => id);
    assert.deepEqual(
      continuing.sort((a, b) => a - b),
      frames.map((_, at) => at + 1),
    );
  });
});

describe('the lines of a trace', () => {
  const FRAME = '\tat a.b.C.d(C.java:12)';
  /** Returns which lines continue the one before; lines of another stream begin with "2:". */
  const read = (lines: readonly string[]): readonly boolean[] => {
    const reader = new TraceReader();
    return lines.map((text) => reader.next(text.replace(/^2:/, ''), text.startsWith('2:') ? 2 : 1));
  };

  for (const [what, lines, expected] of [
    ['follow their head', ['java.io.IOException: no', FRAME, 'x'], [false, true, false]],
    ['follow none in the other stream', ['java.io.IOException: no', `2:${FRAME}`], [false, false]],
    [
      'follow none after a line of the other stream, until the next head',
      ['java.io.IOException: no', FRAME, '2:x', FRAME, FRAME],
      [false, true, false, false, true],
    ],
  ] as const)
    it(what, () => {
      assert.deepEqual(read(lines), expected);
    });

  it('are a thousand at most; the next one is a head', () => {
    const lines = ['java.io.IOException: no', ...Array<string>(MOST_FOLLOWING + 2).fill(FRAME)];
    const heads = read(lines).flatMap((belongs, at) => (belongs ? [] : [at]));
    assert.deepEqual(heads, [0, MOST_FOLLOWING + 1]);
  });

  it('have the level of their head', () => {
    const reader = new TraceReader();
    assert.equal(reader.level, 'none');
    for (const [text, level] of [
      ['ERROR it broke', 'error'],
      [FRAME, 'error'],
      ['INFO fine', 'info'],
    ] as const) {
      reader.next(text, 1);
      assert.equal(reader.level, level);
    }
  });
});

describe('a query', () => {
  for (const [pattern, options, matching, others] of [
    ['a.c', {}, ['a.c', 'xA.Cx'], ['abc']],
    ['a.c', { matchCase: true }, ['a.c'], ['A.C']],
    ['a.c', { isRegex: true }, ['abc', 'ABC'], ['ac']],
    ['a|b', { isRegex: true, wholeWord: true }, ['a', 'x b'], ['ab', 'xb']],
    ['é', { wholeWord: true }, ['é', 'x É!'], ['éa', '_é']],
    ['(x)', { wholeWord: true }, ['a(x)b'], ['x']],
    ['\\-', { isRegex: true }, ['a-b'], ['ab']],
    ['.', { isRegex: true, wholeWord: true }, ['😀'], ['']],
  ] as const)
    it(`of ${pattern} ${JSON.stringify(options)} matches ${matching.join(', ')}`, () => {
      const matcher = new LineMatcher(query(pattern, options));
      for (const text of matching) assert(matcher.matches(text), text);
      for (const text of others) assert(!matcher.matches(text), text);
    });

  for (const [pattern, problem] of [
    ['a(', 'Unterminated group'],
    ['a', undefined],
  ] as const)
    it(`of ${pattern} ${problem ? 'is invalid' : 'is valid'} as an expression`, () => {
      assert.equal(queryProblem(query(pattern, { isRegex: true })), problem);
      assert.equal(queryProblem(query(pattern)), undefined);
      assert.equal(queryProblem(undefined), undefined);
    });
});
