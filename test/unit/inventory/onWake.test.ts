import assert from 'node:assert/strict';
import { onWake } from '../../../src/inventory/onWake.ts';
import type { Disposable } from '../../../src/lifetime.ts';
import { FakeClock } from '../support/fakeClock.ts';

const HOURS = 3 * 3_600_000;

describe('inventory/wake', () => {
  let jumps: number;
  let wall: FakeClock;
  let awake: FakeClock;
  let wake: Disposable;

  /** So much passes for the wall, and so much for who is awake, until the next tick. */
  const pass = (byWall: number, byAwake: number): void => {
    wall.set(wall.now() + byWall);
    awake.set(awake.now() + byAwake);
    awake.pass(0);
  };

  beforeEach(() => {
    [jumps, wall, awake] = [0, new FakeClock(), new FakeClock()];
    wake = onWake(() => jumps++, wall, awake);
  });

  it('says nothing while time passes as it should', () => {
    for (let round = 0; round < 100; round++) pass(20_010, 20_000);
    pass(24_000, 24_000);
    assert.equal(jumps, 0);
  });

  it('says once that the machine slept', () => {
    pass(HOURS, 20_000);
    pass(20_000, 20_000);
    assert.equal(jumps, 1);
  });

  it('says so where both times go on in a sleep', () => {
    pass(HOURS, HOURS);
    pass(20_000, 20_000);
    assert.equal(jumps, 1);
  });

  it('says so when somebody sets the clock back', () => {
    pass(-HOURS, 20_000);
    assert.equal(jumps, 1);
  });

  it('ends', () => {
    wake.dispose();
    assert.deepEqual(awake.sleeping, []);
  });

  it('keeps no process alive and asks nothing by itself', () => {
    const before = process.getActiveResourcesInfo().length;
    const real = onWake(() => assert.fail('nobody slept'));
    assert.equal(process.getActiveResourcesInfo().length, before);
    real.dispose();
  });
});
