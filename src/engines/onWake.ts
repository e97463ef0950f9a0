import type { Disposable, Event } from '../base/lifetime.ts';
import { monotonicClock, wallClock, type Clock } from '../base/time.ts';

/** Two clocks that were read one after the other, and corrections of the time, differ by less. In milliseconds. */
const JUMP_MS = 5_000;
/** If the monotonic clock also counts a sleep, a pause of the user this long counts as one. In milliseconds. */
const PAUSE_MS = 30 * 60_000;

/**
 * Calls back once after each sleep of the machine and after its clock was set, because events may be lost. Uses no
 * timer: detects it at the first sign of the user, by the wall clock that advanced by another amount than the
 * monotonic clock.
 *
 * @param onActivity fires when the user comes back to the window or leaves it.
 */
export function onWake(
  onJump: () => void,
  onActivity: Event<unknown>,
  wallTime: Pick<Clock, 'now'> = wallClock,
  awakeTime: Pick<Clock, 'now'> = monotonicClock,
  countsSleep = process.platform === 'win32',
): Disposable {
  let wall = wallTime.now();
  let awake = awakeTime.now();
  return onActivity(() => {
    const wallBefore = wall;
    const awakeBefore = awake;
    wall = wallTime.now();
    awake = awakeTime.now();
    const passed = wall - wallBefore;
    const lived = awake - awakeBefore;
    const isLongPause = countsSleep && lived > PAUSE_MS;
    if (isLongPause || Math.abs(passed - lived) > JUMP_MS) onJump();
  });
}
