import type { BuildTrace, StepCounts } from './buildTrace.ts';

/** What a view shows of a build of any client. */
export interface ShownBuild {
  /** Names the build on its engine. */
  readonly ref: string;
  /** The ID of the engine. */
  readonly engine: string;
  /** Whether this window started it, and can cancel it. */
  readonly isOwn: boolean;
  /** What is built. */
  readonly title: string;
  readonly phase: BuildPhase;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly counts: StepCounts;
  /** Why it failed: what was thrown, or the words of the engine. */
  readonly error: unknown;
  /** Empty until it is asked for, if another client started the build. */
  readonly trace: BuildTrace;
}

export type BuildPhase = 'running' | 'done' | 'failed' | 'canceled';
