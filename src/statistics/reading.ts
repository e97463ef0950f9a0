/** What was measured of a container at a time, in the units of `docker stats`. */
export interface Reading {
  /** Time of this machine, in milliseconds since 1970. */
  readonly at: number;
  /** CPU time since the reading before: 100 is one whole CPU. Undefined for the first reading of a run. */
  readonly cpuPercent: number | undefined;
  /** Memory in use without the cache of files that can be dropped, in bytes. */
  readonly memoryBytes: number;
  /** The memory limit in bytes: that of the container, otherwise that of the host. Undefined if unknown. */
  readonly memoryLimitBytes: number | undefined;
  /** Bytes since the start of the container. */
  readonly networkReceived: number;
  readonly networkSent: number;
  /** Bytes since the start of the container. Undefined if the engine does not say. */
  readonly blockRead: number | undefined;
  readonly blockWritten: number | undefined;
  /** Number of processes and threads. Undefined if the engine does not say. */
  readonly pids: number | undefined;
}

/** Something that happened to a container, marked in its graphs. */
export interface Mark {
  /** Time of this machine, in milliseconds since 1970. */
  readonly at: number;
  readonly kind: 'started' | 'exited' | 'outOfMemory' | 'healthy' | 'unhealthy';
  /** Of an exit. */
  readonly exitCode?: number;
}
