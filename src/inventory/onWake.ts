import type { Disposable } from '../lifetime.ts';
import { monotonicClock, wallClock, type Clock } from '../time.ts';

/** How often the two clocks are compared, in milliseconds. Nothing is asked of any engine. */
const TICK_MS = 20_000;
/** A busy machine is late by less; what sleeps for less loses nothing. */
const JUMP_MS = 5_000;

/**
 * Calls back once after each sleep of the machine, and after its clock was set: events may be lost that came
 * meanwhile. The wall clock has gone on then by more than the other one, or a tick comes much too late by both.
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
