import assert from 'node:assert/strict';
import type { LineStore } from '../../../../src/logs/store/lineStore.ts';
import type { MergedPage } from '../../../../src/logs/follow/olderMerge.ts';
import { BackwardReader } from '../../../../src/logviewer/host/backwardReader.ts';
import { stamp } from '../../support/lines.ts';
import { memoryStore, textsOf } from '../support.ts';

/** A log with a number of older lines. If gated, it responds only on {@link answer}. */
class Lab {
  readonly problems: unknown[] = [];
  readonly asked: number[] = [];
  readonly store: LineStore;
  readonly back: BackwardReader;
  readonly #text: string;
  #left: number;
  #gates: PromiseWithResolvers<undefined>[] = [];
  isGated = false;
  limits = 0;

  constructor(lines: number, text = '', store = memoryStore()) {
    this.#left = lines;
    this.#text = text;
    this.store = store;
    this.back = new BackwardReader({
      log: { older: (count, signal) => this.#older(count, signal) },
      store: this.store,
      onDidChange: () => undefined,
      onProblem: (error) => this.problems.push(error),
      onLimit: () => (this.limits += 1),
    });
  }

  async #older(count: number, signal: AbortSignal): Promise<MergedPage> {
    this.asked.push(count);
    if (this.isGated) {
      const gate = Promise.withResolvers<undefined>();
      this.#gates.push(gate);
      await gate.promise;
    }
    signal.throwIfAborted();
    const taken = Math.min(count, this.#left);
    this.#left -= taken;
    const lines = Array.from({ length: taken }, (_, at) => ({
      member: 0,
      line: {
        source: 'stdout',
        timestamp: stamp(this.#left + at),
        text: this.#text + String(this.#left + at),
      } as const,
    }));
    return { lines, isStart: this.#left === 0, horizon: `at ${this.#left}` };
  }

  answer(): void {
    this.#gates.shift()?.resolve(undefined);
  }
}

const settled = (): Promise<void> => new Promise(setImmediate);

describe('BackwardReader', () => {
  it('prepends one page in order and reports how far it has read', async () => {
    const lab = new Lab(1500);
    await lab.back.page();
    assert.equal(textsOf(lab.store).length, 1000);
    assert.deepEqual([textsOf(lab.store)[0], textsOf(lab.store).at(-1)], ['500', '1499']);
    assert.deepEqual([lab.back.isStart, lab.back.horizon], [false, 'at 500']);
    await lab.back.page();
    assert.equal(lab.back.isStart, true);
    await lab.back.page();
    assert.equal(lab.asked.length, 2);
  });

  it('reads only one page at a time', async () => {
    const lab = new Lab(5000);
    lab.isGated = true;
    const first = lab.back.page();
    await lab.back.page();
    await settled();
    assert.equal(lab.asked.length, 1);
    lab.answer();
    await first;
    assert.equal(textsOf(lab.store).length, 1000);
  });

  it('reads small pages, however much there is to read', async () => {
    const lab = new Lab(20_000);
    await lab.back.all();
    assert.deepEqual(lab.asked, Array(10).fill(2000));
    assert.equal(textsOf(lab.store)[0], '0');
  });

  it('reads to the start of the log when searching', async () => {
    const lab = new Lab(12_000);
    await lab.back.all();
    assert.deepEqual(
      [textsOf(lab.store).length, lab.back.isStart, lab.back.isSearching],
      [...[12_000, true, false]],
    );
  });

  it('stops without losing lines', async () => {
    const lab = new Lab(20_000);
    lab.isGated = true;
    const work = lab.back.all();
    await settled();
    lab.back.stop();
    assert.deepEqual([lab.back.isReading, lab.back.isSearching], [false, false]);
    lab.answer();
    await work;
    assert.deepEqual([lab.asked.length, lab.problems], [1, []]);
    lab.isGated = false;
    await lab.back.all();
    assert.equal(textsOf(lab.store).length, 20_000);
    assert.equal(textsOf(lab.store)[0], '0');
  });

  it('reads nothing more after the log was cleared', async () => {
    const lab = new Lab(20_000);
    lab.isGated = true;
    const work = lab.back.page();
    await settled();
    lab.back.end();
    lab.answer();
    await work;
    await lab.back.all();
    assert.deepEqual([textsOf(lab.store).length, lab.back.isStart], [0, true]);
  });

  it('stops when the store is full, and reports it and the time back to which lines are kept', async () => {
    const lab = new Lab(20_000, 'x'.repeat(40), memoryStore(100_000));
    await lab.back.all();
    const kept = textsOf(lab.store).length;
    assert.ok(kept > 0 && kept < 2000);
    assert.deepEqual(
      [lab.asked.length, lab.limits, lab.back.horizon],
      [1, 1, stamp(20_000 - kept)],
    );
    await lab.back.while(() => true);
    assert.deepEqual([lab.asked.length, lab.limits], [1, 2], 'nothing is read that is not kept');
    assert.deepEqual([lab.back.isFull, lab.back.isStart], [true, false]);
  });

  it('continues a search that is started right after a stop', async () => {
    const lab = new Lab(20_000);
    lab.isGated = true;
    const stopped = lab.back.all();
    await settled();
    lab.back.stop();
    const work = lab.back.all();
    lab.isGated = false;
    lab.answer();
    await stopped;
    assert.equal(lab.back.isSearching, true);
    await work;
    assert.deepEqual([lab.back.isSearching, textsOf(lab.store).length], [false, 20_000]);
  });

  it('reports an error and stops reading', async () => {
    const lab = new Lab(10);
    const gone = new Error('gone');
    lab.store.prepend = () => {
      throw gone;
    };
    await lab.back.page();
    assert.deepEqual([lab.problems, lab.back.isReading], [[gone], false]);
  });
});
