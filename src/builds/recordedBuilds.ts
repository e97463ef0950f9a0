import { asError, failedWith } from '../engine/errors.ts';
import type { BuildEvent, BuildHistoryEvent, BuildRecord } from '../engine/builds/model.ts';
import {
  DisposableStore,
  Emitter,
  isCancellation,
  toDisposable,
  type Disposable,
} from '../base/lifetime.ts';
import { PAINT_MS, nextPause, Throttle, type Clock } from '../base/time.ts';
import type { BuildHistorySource, RecordedFailure } from './buildHistorySource.ts';
import { BuildTrace, type StepCounts } from './buildTrace.ts';
import { recordTitle, type BuildPhase, type ShownBuild } from './shownBuild.ts';

/** Maximum number of builds shown: an engine keeps about 50, the user may let it keep more. */
const MOST_BUILDS = 500;
const FIRST_PAUSE_MS = 1000;
const LONGEST_MS = 30_000;
/** If the engine is there but its history cannot be read, which rarely passes. */
const LONGEST_PROBLEM_MS = 300_000;
/** Milliseconds after which a stream counts as working. */
const LASTING_MS = 15_000;

/** The builds in the history of an engine, including those of other clients. Listens only while it is watched. */
export class RecordedBuilds implements Disposable {
  readonly #engine: string;
  readonly #source: BuildHistorySource;
  readonly #clock: Clock;
  readonly #store = new DisposableStore();
  readonly #changes = this.#store.add(new Emitter<ReadonlySet<RecordedBuild>>());
  readonly #painter: Throttle;
  readonly #builds = new Map<string, RecordedBuild>();
  readonly #hidden = new Set<string>();
  /** The builds that have changed since the last event. */
  #changed = new Set<RecordedBuild>();
  #watching: AbortController | undefined;
  #problem: Error | undefined;
  /** Whether all builds have been reported since it is watched. */
  #isLoaded = false;

  /**
   * Fires with the builds that were added or changed, and with none if only others were removed, or if `problem` or
   * `isLoaded` changed: at most ten times per second.
   */
  readonly onDidChange = this.#changes.event;

  constructor(engine: string, source: BuildHistorySource, clock: Clock) {
    this.#engine = engine;
    this.#source = source;
    this.#clock = clock;
    this.#painter = this.#store.add(new Throttle(clock, PAINT_MS, () => this.#fire()));
  }

  /** In the order in which the engine reported them. */
  get all(): readonly RecordedBuild[] {
    return [...this.#builds.values()];
  }

  /** Listens until the result is disposed. Does nothing if it listens already. */
  watch(): Disposable {
    if (!this.#watching) {
      const controller = (this.#watching = new AbortController());
      this.#isLoaded = false;
      void this.#listen(controller.signal);
    }
    const watching = this.#watching;
    return toDisposable(() => {
      if (this.#watching !== watching) return;
      this.#watching = undefined;
      this.#problem = undefined;
      watching.abort();
      for (const build of this.#builds.values()) build.close();
    });
  }

  /** Does not show a build of this window that is in the history for a short time. */
  hide(ref: string): void {
    this.#hidden.add(ref);
    this.forget(ref);
  }

  /** Forgets a build that was removed from the history. */
  forget(ref: string): void {
    const build = this.#builds.get(ref);
    build?.close();
    if (this.#builds.delete(ref)) this.#painter.request();
  }

  dispose(): void {
    this.#watching?.abort();
    for (const build of this.#builds.values()) build.close();
    this.#store.dispose();
  }

  /** Why the history cannot be read; undefined if it can be, as far as is known. */
  get problem(): Error | undefined {
    return this.#problem;
  }

  /** Whether `all` and `problem` say what there is. Until then, that there are no builds means nothing. */
  get isLoaded(): boolean {
    return this.#isLoaded || this.#builds.size > 0 || this.#problem !== undefined;
  }

  /** The history is listed again whenever the stream begins. */
  async #listen(signal: AbortSignal): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; !signal.aborted;) {
      const { isListed, hasReported, error } = await this.#follow(signal);
      if (isListed && hasReported) pause = FIRST_PAUSE_MS;
      // A connection that was lost may be back at once; what is said of the engine is enough.
      const isPassing = failedWith(error, 'cut', 'timeout') && pause === FIRST_PAUSE_MS;
      if (error !== undefined && !isPassing) this.#setProblem(asError(error));
      await this.#clock.delay(pause, signal).catch(() => undefined);
      pause = nextPause(pause, FIRST_PAUSE_MS, this.#problem ? LONGEST_PROBLEM_MS : LONGEST_MS);
    }
  }

  /** Follows the history until the stream ends or fails. */
  async #follow(signal: AbortSignal): Promise<HistoryRound> {
    const known = [...this.#builds.keys()];
    const reported = new Set<string>();
    const round = new AbortController();
    // The stream does not say when it has reported all builds, not even that there are none.
    let isListed = known.length === 0 && this.#isLoaded;
    let isEmpty = false;
    let hasLasted = false;
    const settle = (): void => {
      if (isListed && (isEmpty || hasLasted || reported.size > 0)) this.#setLoaded();
    };
    // A stream without builds reports nothing: that it lasts shows that the history can be read again, and that builds
    // of the list have been removed since.
    const lasting = this.#clock.after(LASTING_MS, () => {
      hasLasted = true;
      this.#setProblem(undefined);
      settle();
    });
    const either = AbortSignal.any([signal, round.signal]);
    let error: unknown;
    try {
      const following = this.#source.follow((change) => {
        reported.add(change.kind === 'removed' ? change.ref : change.record.ref);
        if (either.aborted) return;
        if (isListed) this.#setProblem(undefined);
        this.#apply(change);
        settle();
      }, either);
      const listing = isListed ? undefined : this.#forgetMissing(known, reported, either);
      const listed = listing?.then((count) => {
        isListed = true;
        isEmpty = count === 0;
        settle();
      });
      await Promise.all([following, listed]);
    } catch (thrown) {
      error = thrown;
    }
    lasting.dispose();
    // If only the list failed, the stream would go on beside the next one.
    round.abort();
    return { isListed, hasReported: reported.size > 0, error: signal.aborted ? undefined : error };
  }

  #setProblem(problem: Error | undefined): void {
    const isSame = problem?.message === this.#problem?.message;
    this.#problem = problem;
    if (!isSame) this.#painter.request();
  }

  #setLoaded(): void {
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    this.#painter.request();
  }

  #apply(change: BuildHistoryEvent): void {
    if (change.kind === 'removed') {
      this.forget(change.ref);
      return;
    }
    const { record } = change;
    if (this.#hidden.has(record.ref)) return;
    const known = this.#builds.get(record.ref);
    if (known) known.record = record;
    const build = known ?? this.#made(record);
    this.#builds.set(record.ref, build);
    if (this.#builds.size > MOST_BUILDS) this.#forgetOldest();
    this.#repaint(build);
  }

  /** Forgets the builds that were removed while nothing was reported. Resolves to how many builds there are. */
  async #forgetMissing(
    known: readonly string[],
    reported: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<number> {
    const listed = new Set(await this.#source.list(signal));
    signal.throwIfAborted();
    for (const ref of known) if (!listed.has(ref) && !reported.has(ref)) this.forget(ref);
    return listed.size;
  }

  #forgetOldest(): void {
    const [first, ...others] = this.#builds.values();
    if (!first) return;
    const oldest = others.reduce((a, b) => (b.startedAt < a.startedAt ? b : a), first);
    this.forget(oldest.ref);
  }

  #made(record: BuildRecord): RecordedBuild {
    const build = new RecordedBuild(this.#engine, record, this.#source, () => this.#repaint(build));
    return build;
  }

  #repaint(build: RecordedBuild): void {
    this.#changed.add(build);
    this.#painter.request();
  }

  #fire(): void {
    const changed = this.#changed;
    this.#changed = new Set();
    this.#changes.fire(changed);
  }
}

/** End of one round of following the history. */
interface HistoryRound {
  readonly isListed: boolean;
  readonly hasReported: boolean;
  /** Why it failed; undefined if the engine ended the stream, or if it was stopped. */
  readonly error: unknown;
}

/** A build of an engine's history. */
export class RecordedBuild implements ShownBuild {
  readonly engine: string;
  readonly isOwn = false;
  record: BuildRecord;
  readonly #source: BuildHistorySource;
  readonly #onDidChange: () => void;
  #trace = new BuildTrace();
  #following: AbortController | undefined;
  #isLoaded = false;

  constructor(
    engine: string,
    record: BuildRecord,
    source: BuildHistorySource,
    onDidChange: () => void,
  ) {
    this.engine = engine;
    this.record = record;
    this.#source = source;
    this.#onDidChange = onDidChange;
  }

  get ref(): string {
    return this.record.ref;
  }

  get title(): string {
    return recordTitle(this.record);
  }

  get phase(): BuildPhase {
    return this.record.state;
  }

  get startedAt(): number {
    return this.record.startedAt;
  }

  get endedAt(): number | undefined {
    return this.record.endedAt;
  }

  get error(): unknown {
    return this.record.error;
  }

  get counts(): StepCounts {
    const { steps, cachedSteps, completedSteps } = this.record;
    const known = this.#trace.counts;
    // The record has all steps of the builder, and those of the beginning while it runs.
    if (known.all > 0) return known;
    return { all: steps, cached: cachedSteps, finished: completedSteps };
  }

  get trace(): BuildTrace {
    return this.#trace;
  }

  /**
   * Loads the steps and their output. Resolves when all of them are there, or immediately for a running build: then
   * they keep coming until the build ends. Rejects if the engine does not have them.
   */
  async open(): Promise<void> {
    if (this.#isLoaded || this.#following) return;
    const { signal } = (this.#following = new AbortController());
    const trace = (this.#trace = new BuildTrace());
    const replayed = this.#source
      .replay(
        this.ref,
        (event: BuildEvent) => {
          // The output is read when it is asked for.
          if (event.kind === 'output') return;
          trace.add(event);
          this.#onDidChange();
        },
        signal,
      )
      .then(
        () => {
          this.#isLoaded = true;
        },
        (error: unknown) => {
          if (!isCancellation(error)) throw error;
        },
      )
      .finally(() => (this.#following = undefined));
    if (this.phase !== 'running') await replayed;
    else replayed.catch(() => undefined);
  }

  /** Reads why it failed; undefined if the engine does not have it. */
  readFailure(signal: AbortSignal): Promise<RecordedFailure | undefined> {
    return this.#source.findFailure(this.ref, signal);
  }

  /** Stops loading, and forgets the steps. */
  close(): void {
    this.#following?.abort();
    this.#isLoaded = false;
    this.#trace = new BuildTrace();
  }
}
