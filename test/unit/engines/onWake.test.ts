import assert from 'node:assert/strict';
import { onWake } from '../../../src/engines/onWake.ts';
import { Emitter, type Disposable } from '../../../src/base/lifetime.ts';
import { FakeClock } from '../support/fakeClock.ts';

const HOURS = 3 * 3_600_000;

describe('engines/onWake', () => {
  let jumps: number;
  let wall: FakeClock;
  let awake: FakeClock;
  let activity: Emitter<unknown>;
  let wake: Disposable;

  /** Advances both clocks by these milliseconds until the user comes back. */
  const pass = (byWall: number, byAwake: number): void => {
    wall.set(wall.now() + byWall);
    awake.set(awake.now() + byAwake);
    activity.fire(undefined);
  };
  const watch = (countsSleep: boolean): void => {
    jumps = 0;
    wall = new FakeClock();
    awake = new FakeClock();
    activity = new Emitter();
    wake = onWake(() => jumps++, activity.event, wall, awake, countsSleep);
  };

  beforeEach(() => watch(false));

  it('does not call back while both clocks advance normally', () => {
    for (let round = 0; round < 100; round++) pass(20_010, 20_000);
    pass(HOURS, HOURS);
    assert.equal(jumps, 0);
  });

  it('calls back once after the machine slept', () => {
    pass(HOURS, 20_000);
    pass(20_000, 20_000);
    assert.equal(jumps, 1);
  });

  it('calls back after a long pause if both clocks advance during a sleep', () => {
    watch(true);
    pass(60_000, 60_000);
    assert.equal(jumps, 0);
    pass(HOURS, HOURS);
    pass(20_000, 20_000);
    assert.equal(jumps, 1);
  });

  it('calls back when the clock was set back', () => {
    pass(-HOURS, 20_000);
    assert.equal(jumps, 1);
  });

  it('runs no timer, and does nothing after it was disposed', () => {
    assert.deepEqual([...wall.sleeping, ...awake.sleeping], []);
    wake.dispose();
    pass(HOURS, 20_000);
    assert.equal(jumps, 0);
  });
});
