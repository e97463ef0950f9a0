import type { BuildEvent } from '../engine/builds/model.ts';
import { withSignal } from '../engine/http/withTimeLimit.ts';
import { DisposableStore, Emitter, type Disposable, type Event } from '../base/lifetime.ts';
import { PacedChanges, type Clock } from '../base/time.ts';
import { BuildRun, type BuildEnd, type BuildSpec } from './buildRun.ts';

/** Maximum number of finished builds that are kept, with their output. */
const MOST_FINISHED = 20;

/** The builds that this window has started, on all engines: running, and the last finished ones. */
export class Builds implements Disposable {
  readonly #clock: Clock;
  readonly #store = new DisposableStore();
  readonly #changes: PacedChanges<BuildRun>;
  readonly #news = this.#store.add(new Emitter<BuildNews>());
  #all: readonly BuildRun[] = [];

  /** Fires for everything that is reported, without delay. */
  readonly onDidReport: Event<BuildNews> = this.#news.event;

  /** @param clock milliseconds since 1970. */
  constructor(clock: Clock) {
    this.#clock = clock;
    this.#changes = this.#store.add(new PacedChanges(clock));
  }

  /** Fires with the builds that were added, removed, or changed: at most ten times per second. */
  get onDidChange(): Event<ReadonlySet<BuildRun>> {
    return this.#changes.onDidChange;
  }

  /** Oldest first. */
  get all(): readonly BuildRun[] {
    return this.#all;
  }

  get(engine: string, ref: string): BuildRun | undefined {
    return this.#all.find((one) => one.engine === engine && one.ref === ref);
  }

  /** Starts a build. The caller must join it immediately. */
  start(spec: BuildSpec): BuildRun {
    const notify = (news: Omit<BuildNews, 'run'>): void => {
      this.#news.fire({ run, ...news });
      this.#changes.add(run);
    };
    const run = new BuildRun(spec, {
      now: () => this.#clock.now(),
      onEvent: (event) => notify({ event }),
      onEnd: (end) => {
        notify({ end });
        this.#forgetOldest();
      },
    });
    this.#all = [...this.#all, run];
    notify({});
    return run;
  }

  /** Reports what is known of a build, and follows it if it is running. Resolves when it has ended. */
  async replay(
    run: BuildRun,
    onEvent: (event: BuildEvent) => void,
    signal: AbortSignal,
  ): Promise<void> {
    for (const event of run.trace.replay()) onEvent(event);
    if (run.phase !== 'running') return;
    const ended = Promise.withResolvers<undefined>();
    const subscription = this.onDidReport((news) => {
      if (news.run !== run) return;
      if (news.event) onEvent(news.event);
      if (news.end) ended.resolve(undefined);
    });
    try {
      await withSignal(ended.promise, signal);
    } finally {
      subscription.dispose();
    }
  }

  /** Removes a build that is not running. */
  remove(run: BuildRun): void {
    if (run.phase === 'running') return;
    this.#all = this.#all.filter((one) => one !== run);
    this.#changes.add(run);
  }

  /** Cancels and removes all builds of a removed engine. */
  drop(engine: string): void {
    for (const run of this.#all.filter((one) => one.engine === engine)) {
      run.cancel();
      this.remove(run);
    }
  }

  dispose(): void {
    for (const run of this.#all) run.cancel();
    this.#store.dispose();
  }

  #forgetOldest(): void {
    const finished = this.#all.filter(({ phase }) => phase !== 'running');
    for (const run of finished.slice(0, -MOST_FINISHED)) this.remove(run);
  }
}

/** Event of a build; neither `event` nor `end` if it was started. */
export interface BuildNews {
  readonly run: BuildRun;
  readonly event?: BuildEvent;
  readonly end?: BuildEnd;
}
