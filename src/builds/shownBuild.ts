import type { BuildEvent, BuildRecord, BuildRequest, BuildStep } from '../engine/builds/model.ts';
import type { BuildTrace, StepCounts } from './buildTrace.ts';

/** Facts of a build of any client that a view shows. */
export interface ShownBuild {
  /** Names the build on its engine. */
  readonly ref: string;
  /** The ID of the engine. */
  readonly engine: string;
  /** Whether this window started it, and can cancel it. */
  readonly isOwn: boolean;
  /** Name of what is built. */
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
  /** Request of the build, if this window has started it. */
  readonly request?: BuildRequest;
  /** Reports everything about the build, and follows it if it is running. Resolves when it has ended. */
  readonly replay: (onEvent: (event: BuildEvent) => void, signal: AbortSignal) => Promise<void>;
}

/** Returns what a build of the history is called: its tags, else its Dockerfile and target, else its reference. */
export function recordTitle({ tags, target, dockerfile, ref }: BuildRecord): string {
  return (
    tags.map(familiarTag).join(', ') || [dockerfile, target].filter(Boolean).join(' · ') || ref
  );
}

/** Returns a tag as it is typed: without the registry and the tag that are the defaults. */
function familiarTag(tag: string): string {
  return tag.replace(/^docker\.io\/(?:library\/)?(?=[^/])/, '').replace(/:latest$/, '');
}
