import type { UsedAmounts } from '../engine/statistics/readSample.ts';

/** What was measured of a container at a time, in the units of `docker stats`. */
export interface Reading extends UsedAmounts {
  /** Time of this machine, in milliseconds since 1970. */
  readonly at: number;
  /** CPU time since the reading before: 100 is one whole CPU. Undefined for the first reading of a run. */
  readonly cpuPercent: number | undefined;
}

/** Something that happened to a container, marked in its graphs. */
export interface Mark {
  /** Time of this machine, in milliseconds since 1970. */
  readonly at: number;
  readonly kind: 'started' | 'exited' | 'outOfMemory' | 'healthy' | 'unhealthy';
  /** Of an exit. */
  readonly exitCode?: number;
}
