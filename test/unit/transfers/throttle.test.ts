import assert from 'node:assert/strict';

import { Throttle, type Scheduler } from '../../../src/transfers/throttle.ts';

describe('transfers/throttle', () => {
  let paints: number;
  let waiting: (() => void)[];
  let intervals: number[];
  let throttle: Throttle;

  const later: Scheduler = (run, milliseconds) => {
    intervals.push(milliseconds);
    waiting.push(run);
    return {
      dispose: () => {
        waiting = waiting.filter((one) => one !== run);
      },
    };
  };

  /** Lets the interval that runs come to its end. */
  function endInterval(): void {
    const runs = waiting;
    waiting = [];
    for (const run of runs) run();
  }

  beforeEach(() => {
    [paints, waiting, intervals] = [0, [], []];
    throttle = new Throttle(() => paints++, 100, later);
  });

  it('paints at once, and what came in the interval once at its end', () => {
    for (let i = 0; i < 50; i++) throttle.request();
    assert.equal(paints, 1);
    endInterval();
    assert.equal(paints, 2);
    assert.deepEqual(intervals, [100, 100]);
  });

  it('rests when nothing came', () => {
    throttle.request();
    endInterval();
    assert.equal(paints, 1);
    assert.equal(waiting.length, 0);
    throttle.request();
    assert.equal(paints, 2);
  });

  it('paints the last of it when it ends, and nothing after', () => {
    throttle.request();
    throttle.request();
    throttle.dispose();
    assert.equal(paints, 2);
    assert.equal(waiting.length, 0);
    throttle.request();
    throttle.dispose();
    assert.equal(paints, 2);
  });

  it('paints nothing where nothing came', () => {
    throttle.dispose();
    assert.equal(paints, 0);
  });

  it('paints nothing after its end, though it rested', () => {
    throttle.request();
    endInterval();
    throttle.dispose();
    throttle.request();
    assert.equal(paints, 1);
  });

  it('keeps to real time when none is given', async () => {
    const real = new Throttle(() => paints++, 20);
    const until = performance.now() + 110;
    while (performance.now() < until) {
      real.request();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    real.dispose();
    assert.ok(paints >= 3 && paints <= 8, String(paints));
  });
});
