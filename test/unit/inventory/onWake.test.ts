import assert from 'node:assert/strict';
import { onWake } from '../../../src/inventory/onWake.ts';
import type { Disposable } from '../../../src/lifetime.ts';
import { FakeClock } from '../support/fakeClock.ts';

const HOURS = 3 * 3_600_000;

describe('inventory/onWake', () => {
  let jumps: number;
  let wall: FakeClock;
  let awake: FakeClock;
  let wake: Disposable;

  /** Advances both clocks, by these milliseconds, to the next tick. */
  const pass = (byWall: number, byAwake: number): void => {
    wall.set(wall.now() + byWall);
    awake.set(awake.now() + byAwake);
    awake.pass(0);
  };

  beforeEach(() => {
    [jumps, wall, awake] = [0, new FakeClock(), new FakeClock()];
    wake = onWake(() => jumps++, wall, awake);
  });

  it('does not call back while both clocks advance normally', () => {
    for (let round = 0; round < 100; round++) pass(20_010, 20_000);
    pass(24_000, 24_000);
    assert.equal(jumps, 0);
  });

  it('calls back once after the machine slept', () => {
    pass(HOURS, 20_000);
    pass(20_000, 20_000);
    assert.equal(jumps, 1);
  });

  it('calls back if both clocks advance during the sleep', () => {
    pass(HOURS, HOURS);
    pass(20_000, 20_000);
    assert.equal(jumps, 1);
  });

  it('calls back when the clock is set back', () => {
    pass(-HOURS, 20_000);
    assert.equal(jumps, 1);
  });

  it('stops its timer when disposed', () => {
    wake.dispose();
    assert.deepEqual(awake.sleeping, []);
  });

  it('does not keep the process alive', () => {
    const before = process.getActiveResourcesInfo().length;
    const real = onWake(() => assert.fail('a wake was reported without a sleep'));
    assert.equal(process.getActiveResourcesInfo().length, before);
    real.dispose();
  });
});
