import type { Disposable } from '../lifetime.ts';
import { monotonicClock, wallClock, type Clock } from '../time.ts';

/** How often the two clocks are compared, in milliseconds. Sends no request to an engine. */
const TICK_MS = 20_000;
/** A busy machine delays a timer by less, and a shorter sleep loses no events. */
const JUMP_MS = 5_000;

/**
 * Calls back once after each sleep of the machine and after its clock was set, because events may be lost.
 * Detected by the wall clock advancing by another amount than the monotonic clock, or by a tick that is much
 * too late on both.
 */
export function onWake(
  onJump: () => void,
  wallTime: Clock = wallClock,
  awakeTime: Clock = monotonicClock,
): Disposable {
  let [wall, awake] = [wallTime.now(), awakeTime.now()];
  const tick = (): void => {
    timer = awakeTime.after(TICK_MS, tick);
    const [wallBefore, awakeBefore] = [wall, awake];
    [wall, awake] = [wallTime.now(), awakeTime.now()];
    const [passed, lived] = [wall - wallBefore, awake - awakeBefore];
    const isJump = Math.abs(passed - lived) > JUMP_MS || lived - TICK_MS > JUMP_MS;
    if (isJump) onJump();
  };
  let timer = awakeTime.after(TICK_MS, tick);
  return {
    dispose: () => {
      timer.dispose();
    },
  };
}
