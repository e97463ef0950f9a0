import { withSignal } from '../engine/http/withTimeLimit.ts';
import type {
  BuildControls,
  BuildEvent,
  BuildRequest,
  BuildResult,
} from '../engine/builds/model.ts';
import { isCancellation } from '../base/lifetime.ts';
import { BuildTrace, type StepCounts } from './buildTrace.ts';
import type { SecretSource } from './buildMemory.ts';
import type { BuildPhase, ShownBuild } from './shownBuild.ts';

/** A build that this window has started. */
export class BuildRun implements ShownBuild {
  readonly spec: BuildSpec;
  readonly ref: string;
  readonly engine: string;
  readonly title: string;
  readonly isOwn = true;
  readonly trace = new BuildTrace();
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  readonly #events: BuildRunEvents;
  readonly #controller = new AbortController();
  readonly #work: Promise<BuildResult>;
  #end: BuildEnd | undefined;
  #endedAt: number | undefined;

  constructor(spec: BuildSpec, events: BuildRunEvents) {
    this.spec = spec;
    this.ref = spec.ref;
    this.engine = spec.engine;
    this.title = spec.title;
    this.#events = events;
    this.startedAt = events.now();
    // Start when this object is complete: the work may report an event synchronously.
    const started = Promise.resolve().then(() =>
      spec.work((event) => this.#handle(event), this.#controller.signal),
    );
    this.#work = started.then(
      (result) => {
        this.#finish({ phase: 'done', result });
        return result;
      },
      (error: unknown) => {
        this.#finish(isCancellation(error) ? { phase: 'canceled' } : { phase: 'failed', error });
        throw error;
      },
    );
    // Prevents an unhandled rejection if there is no waiter.
    this.#work.catch(() => undefined);
  }

  get counts(): StepCounts {
    return this.trace.counts;
  }

  /** Why it failed. */
  get error(): unknown {
    return this.#end?.phase === 'failed' ? this.#end.error : undefined;
  }

  get phase(): BuildPhase {
    return this.#end?.phase ?? 'running';
  }

  /** The outcome, or undefined while it is running. */
  get end(): BuildEnd | undefined {
    return this.#end;
  }

  /** In milliseconds since 1970. */
  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  /**
   * Waits for the result. Rejects with the error of the work, or with a cancellation error if the build is canceled.
   *
   * @param signal cancels the build.
   */
  async join(signal?: AbortSignal): Promise<BuildResult> {
    const own = this.#controller.signal;
    try {
      return await withSignal(this.#work, signal ? AbortSignal.any([signal, own]) : own);
    } finally {
      this.cancel();
    }
  }

  /** Cancels the build. Does nothing after its end. */
  cancel(): void {
    if (this.#end) return;
    this.#finish({ phase: 'canceled' });
    this.#controller.abort(new DOMException('This operation was canceled', 'AbortError'));
  }

  #handle(event: BuildEvent): void {
    if (this.#end) return;
    this.trace.add(event);
    this.#events.onEvent(event);
  }

  #finish(end: BuildEnd): void {
    if (this.#end) return;
    this.#end = end;
    this.#endedAt = this.#events.now();
    this.#events.onEnd(end);
  }
}

/** Describes a build and its work. */
export interface BuildSpec {
  /** Names the build on its engine. */
  readonly ref: string;
  /** The ID of the engine. */
  readonly engine: string;
  /** For a bake file: its folder and its path. */
  readonly request: BuildRequest;
  /** Name of what is built, with the name of the engine if there are several. */
  readonly title: string;
  /** Runs the build; aborted by `signal`. */
  readonly work: (
    onEvent: (event: BuildEvent) => void,
    signal: AbortSignal,
  ) => Promise<BuildResult>;
  /**
   * Builds another request with the same secrets and credentials. It is not listed as a build. Missing for a builder
   * that is not the engine's.
   */
  readonly rebuild?: (request: BuildRequest, controls: BuildControls) => Promise<BuildResult>;
  /** What the build was given besides the request. Missing for a build that cannot be run again, such as of a bake file. */
  readonly given?: GivenToBuild;
}

/** What a build is given besides its request: never the value of a secret. */
export interface GivenToBuild {
  readonly secrets?: Readonly<Record<string, SecretSource>>;
  /** The name of a builder of `docker buildx` that builds instead of the engine. */
  readonly builder?: string;
  /** Whether that builder pushes the image. */
  readonly push?: boolean;
}

/** Whether a build has ended, and its request is known: a build that this window has started. */
export function canBuildAgain(build: ShownBuild): build is BuildRun & { readonly spec: AgainSpec } {
  return build instanceof BuildRun && build.phase !== 'running' && build.spec.given !== undefined;
}

type AgainSpec = BuildSpec & Required<Pick<BuildSpec, 'given'>>;

export type BuildEnd =
  | { readonly phase: 'done'; readonly result: BuildResult }
  | { readonly phase: 'failed'; readonly error: unknown }
  | { readonly phase: 'canceled' };

/** Callbacks of a build to its owner. */
export interface BuildRunEvents {
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
  readonly onEvent: (event: BuildEvent) => void;
  readonly onEnd: (end: BuildEnd) => void;
}
