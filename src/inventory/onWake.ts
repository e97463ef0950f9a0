import type { Disposable } from '../lifetime.ts';

/** How often the two times are compared, in milliseconds. Nothing is asked of anybody. */
const TICK_MS = 20_000;
/** A busy machine is late by less; what sleeps for less loses nothing. */
const JUMP_MS = 5_000;

/**
 * Calls back once after each sleep of the machine, and after somebody set its clock: what events told meanwhile may
 * be lost. The wall has gone on then by more than the other time, or a tick comes much too late by both.
 */
export function onWake(onJump: () => void, times: WakeClock = realTimes): Disposable {
  let [wall, awake] = [times.wall(), times.awake()];
  return times.every(TICK_MS, () => {
    const [wallBefore, awakeBefore] = [wall, awake];
    [wall, awake] = [times.wall(), times.awake()];
    const [passed, lived] = [wall - wallBefore, awake - awakeBefore];
    const isJump = Math.abs(passed - lived) > JUMP_MS || lived - TICK_MS > JUMP_MS;
    if (isJump) onJump();
  });
}

/** What a sleep is told by; tests have their own. */
export interface WakeClock {
  /** Milliseconds of the wall, which goes on while the machine sleeps. */
  readonly wall: () => number;
  /** Milliseconds that stand still while the machine sleeps. */
  readonly awake: () => number;
  /** Calls back so often, in milliseconds, and keeps no process alive. */
  readonly every: (milliseconds: number, onTick: () => void) => Disposable;
}

const realTimes: WakeClock = {
  wall: Date.now,
  awake: () => performance.now(),
  every: (milliseconds, onTick) => {
    const timer = setInterval(onTick, milliseconds);
    timer.unref();
    return {
      dispose: () => {
        clearInterval(timer);
      },
    };
  },
};
