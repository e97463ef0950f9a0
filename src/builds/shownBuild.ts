import type { BuildEvent, BuildRequest, BuildStep } from '../engine/builds/model.ts';
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

/** A build, or one of its steps, whose output is shown as a log. */
export interface ViewedBuild extends Pick<ShownBuild, 'ref' | 'title'> {
  /** The step whose output is shown; by default, that of all. */
  readonly step?: Pick<BuildStep, 'id' | 'name'>;
  /** Whether the build has ended. */
  readonly isOver: boolean;
  /** What is built, if this window has started it. */
  readonly request?: BuildRequest;
  /** Reports everything about the build, and follows it if it is running. Resolves when it has ended. */
  readonly replay: (onEvent: (event: BuildEvent) => void, signal: AbortSignal) => Promise<void>;
}
