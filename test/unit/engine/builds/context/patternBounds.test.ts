import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ContextError } from '../../../../../src/engine/builds/context/contextError.ts';
import { followPaths } from '../../../../../src/engine/builds/context/followPaths.ts';
import { sortedInTurns } from '../../../../../src/engine/builds/context/listFolder.ts';
import {
  PatternList,
  TooManyPatterns,
} from '../../../../../src/engine/builds/context/patternList.ts';
import { walkContext } from '../../../../../src/engine/builds/context/walkContext.ts';
import { StepYielder } from '../../../../../src/base/stepYielder.ts';

/** How many steps may be taken without yielding, and how many more one character or a short match takes. */
const MOST = 10_000;
const ONE_MATCH = 10_000;

/** Counts the steps between two yields, and after the abort. */
class Recorder extends StepYielder {
  longest = 0;
  all = 0;
  yields = 0;
  afterAbort = 0;
  #since = 0;
  readonly #aborts: AbortController;
  readonly #abortAfter: number;

  constructor(controller: AbortController, abortAfter = Infinity) {
    super(controller.signal, MOST);
    this.#aborts = controller;
    this.#abortAfter = abortAfter;
  }

  override count(steps: number): void {
    super.count(steps);
    this.all += steps;
    this.#since += steps;
    this.longest = Math.max(this.longest, this.#since);
    if (this.#aborts.signal.aborted) this.afterAbort += steps;
    if (this.all > this.#abortAfter) this.#aborts.abort(new Error('enough'));
  }

  override async rest(): Promise<void> {
    this.#since = 0;
    this.yields++;
    await super.rest();
  }
}

/** Takes very many steps, and matches nothing. */
const slow = (number: number, length = 200): string => `${'*a'.repeat(length / 2)}b${number}`;

describe('the names of a large folder', () => {
  const names = Array.from({ length: 100_000 }, (_, at) => (at * 7919) % 100_003);

  it('are sorted in turns', async () => {
    const pace = new Recorder(new AbortController());
    let compared = 0;
    let before = 0;
    let longest = 0;
    const rest = pace.rest.bind(pace);
    pace.rest = async () => {
      longest = Math.max(longest, compared - before);
      before = compared;
      await rest();
    };
    const compare = (a: number, b: number): number => {
      compared++;
      return a - b;
    };
    const sorted = await sortedInTurns(names, compare, pace);
    assert.deepEqual(
      sorted,
      names.toSorted((a, b) => a - b),
    );
    assert.ok(compared > 1_000_000, String(compared));
    assert.ok(longest <= 3 * MOST, String(longest));
  });

  it('are no longer sorted once the build is canceled', async () => {
    const pace = new Recorder(new AbortController(), 200_000);
    await assert.rejects(
      sortedInTurns(names, (a, b) => a - b, pace),
      /enough/,
    );
    assert.ok(pace.afterAbort <= 2 * MOST, String(pace.afterAbort));
  });
});

describe('the patterns that an engine sends', () => {
  let root: string;
  let controller: AbortController;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'gantry-bounds-'));
    controller = new AbortController();
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function makeFiles(count: number): void {
    for (let at = 0; at < count; at++) writeFileSync(join(root, `${'a'.repeat(200)}${at}`), '');
  }

  async function walked(lines: readonly string[], pace: Recorder): Promise<number> {
    let count = 0;
    for await (const _ of walkContext(root, { excludes: lines }, controller.signal, pace)) count++;
    return count;
  }

  it('are refused if they are too many, or have too many wildcards, together or alone', () => {
    const many = (count: number, make: (at: number) => string) =>
      Array.from({ length: count }, (_, at) => make(at));
    assert.throws(() => new PatternList(many(60, (at) => slow(at, 1000))), TooManyPatterns);
    assert.throws(() => new PatternList(many(10_001, (at) => `a${at}`)), TooManyPatterns);
    assert.throws(() => new PatternList([slow(0, 1002)]), TooManyPatterns);
    assert.throws(() => new PatternList([`[${'ab'.repeat(600)}]`]), TooManyPatterns);
    // What people write.
    assert.ok(new PatternList(many(5000, (at) => `src/some/longer/folder-${at}/**`)));
    assert.ok(new PatternList(many(1000, (at) => `**/*.suffix${at}`)));
  });

  it('fail the build with what is wrong', async () => {
    const lines = Array.from({ length: 900 }, (_, at) => slow(at, 1000));
    await assert.rejects(walked(lines, new Recorder(controller)), (error: unknown) => {
      return error instanceof ContextError && error.problem === 'tooManyPatterns';
    });
  });

  it('are compared with the files of a folder in turns', async () => {
    makeFiles(10);
    const pace = new Recorder(controller);
    const lines = Array.from({ length: 20 }, (_, at) => slow(at));
    assert.equal(await walked(lines, pace), 10);
    assert.ok(pace.all > 100 * (MOST + ONE_MATCH), String(pace.all));
    assert.ok(pace.longest <= MOST + ONE_MATCH, String(pace.longest));
  });

  it('are compared in turns with one long path, and not after the abort', async () => {
    const list = new PatternList([slow(0, 990)]);
    const pace = new Recorder(controller);
    const path = 'a'.repeat(4000);
    assert.equal((await list.match(path, undefined, pace)).isMatch, false);
    assert.ok(pace.all > 20 * MOST, String(pace.all));
    assert.ok(pace.longest <= MOST + ONE_MATCH, String(pace.longest));
    const other = new Recorder(controller, 5 * MOST);
    await assert.rejects(list.match(path, undefined, other), /enough/);
    assert.ok(other.afterAbort <= ONE_MATCH, String(other.afterAbort));
  });

  it('are refused if they have too many characters', () => {
    const long = Array.from({ length: 1000 }, (_, at) => `${'a'.repeat(4000)}${at}`);
    assert.throws(() => new PatternList(long), TooManyPatterns);
  });

  it('are no longer compared once the build is canceled', async () => {
    makeFiles(10);
    const pace = new Recorder(controller, 1_000_000);
    const lines = Array.from({ length: 20 }, (_, at) => slow(at));
    await assert.rejects(walked(lines, pace), /enough/);
    assert.ok(pace.afterAbort <= ONE_MATCH, String(pace.afterAbort));
  });

  it('also count if they only have names', async () => {
    makeFiles(10);
    const pace = new Recorder(controller);
    const lines = Array.from({ length: 5000 }, (_, at) => `name-${at}`);
    assert.equal(await walked(lines, pace), 10);
    assert.ok(pace.all >= 50_000);
    assert.ok(pace.longest <= MOST + 2, String(pace.longest));
    assert.ok(pace.yields >= 4, String(pace.yields));
  });

  describe('as paths to follow', () => {
    it('are compared with the links of a folder only, and in turns', async () => {
      makeFiles(200);
      const paths = Array.from({ length: 20 }, (_, at) => slow(at));
      const none = new Recorder(controller);
      assert.deepEqual(await followPaths(root, paths, controller.signal, none), paths);
      // Each name is read once.
      assert.equal(none.all, 200);
      for (let at = 0; at < 10; at++) symlinkSync('x', join(root, `${'a'.repeat(200)}-${at}`));
      const pace = new Recorder(controller);
      assert.deepEqual(await followPaths(root, paths, controller.signal, pace), paths);
      assert.ok(pace.all > 10 * (MOST + ONE_MATCH), String(pace.all));
      assert.ok(pace.longest <= MOST + ONE_MATCH, String(pace.longest));
    });

    it('are no longer compared once the build is canceled', async () => {
      for (let at = 0; at < 10; at++) symlinkSync('x', join(root, `${'a'.repeat(200)}-${at}`));
      const paths = Array.from({ length: 20 }, (_, at) => slow(at));
      const pace = new Recorder(controller, 1_000_000);
      await assert.rejects(followPaths(root, paths, controller.signal, pace), /enough/);
      assert.ok(pace.afterAbort <= ONE_MATCH, String(pace.afterAbort));
      const other = new Recorder(controller);
      await assert.rejects(followPaths(root, ['a/b'], controller.signal, other), /enough/);
    });

    it('are all files if there are too many, with wildcards or in links', async () => {
      const follow = (paths: readonly string[]) => followPaths(root, paths, controller.signal);
      const wild = Array.from({ length: 1000 }, (_, at) => slow(at));
      assert.equal(await follow(wild), undefined);
      for (let at = 0; at < 400; at++) symlinkSync('x', join(root, `l${at}`));
      const stars = Array.from({ length: 300 }, (_, at) => `l*${at}/x`);
      assert.equal(await follow(stars), undefined);
    });

    it('may have odd characters, also where links lead', async () => {
      mkdirSync(join(root, '[x]'));
      symlinkSync('[x]/*', join(root, 'l?'));
      const found = await followPaths(root, ['l\\?'], controller.signal);
      assert.deepEqual(found, ['l\\?', '\\[x\\]/\\*']);
    });
  });
});
