import assert from 'node:assert/strict';
import { onWake } from '../../../src/inventory/onWake.ts';
import { toDisposable, type Disposable } from '../../../src/lifetime.ts';

const HOURS = 3 * 3_600_000;

describe('inventory/wake', () => {
  let [wall, awake, jumps] = [0, 0, 0];
  let tick: (() => void) | undefined;
  let wake: Disposable;

  /** So much passes for the wall, and so much for who is awake, until the next tick. */
  const pass = (byWall: number, byAwake: number): void => {
    wall += byWall;
    awake += byAwake;
    tick?.();
  };

  beforeEach(() => {
    [wall, awake, jumps] = [1_700_000_000_000, 5, 0];
    wake = onWake(() => jumps++, {
      wall: () => wall,
      awake: () => awake,
      every: (_, onTick) => {
        tick = onTick;
        return toDisposable(() => (tick = undefined));
      },
    });
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
    assert.equal(tick, undefined);
  });

  it('keeps no process alive and asks nothing by itself', () => {
    const before = process.getActiveResourcesInfo().length;
    const real = onWake(() => assert.fail('nobody slept'));
    assert.equal(process.getActiveResourcesInfo().length, before);
    real.dispose();
  });
});
