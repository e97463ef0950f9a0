import { KILLED } from '../model.ts';
import type { ContainerDetails } from './containerDetails.ts';

/** Returns how the last run of a container ended; undefined if it never ran, or is running again. */
export function lastExit({
  wasStarted,
  isRunning,
  state,
  exitCode,
  wasOutOfMemory,
}: ContainerDetails): LastExit | undefined {
  if (!wasStarted || (isRunning && state !== 'restarting')) return undefined;
  // Engines may keep the reason of a run before: an exit code of a program is not a kill.
  return { exitCode, oomKilled: wasOutOfMemory && exitCode === KILLED };
}

export interface LastExit {
  /** -1 if the engine does not say. */
  readonly exitCode: number;
  /** Whether the engine killed it for lack of memory. */
  readonly oomKilled: boolean;
}
