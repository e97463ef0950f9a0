import { capabilitiesOf } from '../../engine/capabilities/capabilities.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { keepsNoLog, type ContainerDetails } from '../../engine/containers/containerDetails.ts';
import { inspectContainer } from '../../engine/containers/containers.ts';
import { withSignal } from '../../engine/http/withTimeLimit.ts';
import { EngineError, failedWith, isLost } from '../../engine/errors.ts';
import { LogReader } from '../../engine/logs/logReader.ts';
import type { LogPage } from '../../engine/logs/logPages.ts';
import type { LogLine } from '../../engine/model.ts';
import { ExitTracker } from '../../engine/containers/exitTracker.ts';
import type { Disposable } from '../../base/lifetime.ts';
import { delay, EventLoopYielder } from '../../base/time.ts';
import { ChangeLatch } from './changeLatch.ts';
import type { ContainerLogOptions, LogDependencies } from './containerLogOptions.ts';
import type { LogSink } from './logMarker.ts';
import { Recovery, MarkerReporter } from './recovery.ts';
import { betweenRuns, RestartGuard, ContainerRestarted } from './restartGuard.ts';

/**
 * The log of one container with each line exactly once, across restarts of the container, lost connections
 * and restarts of the engine.
 */
export class ContainerLog implements Disposable {
  readonly #id: string;
  readonly #options: ContainerLogOptions;
  readonly #sink: LogSink;
  readonly #parts: LogDependencies;
  readonly #controller = new AbortController();
  readonly #latch: ChangeLatch;
  #reader: LogReader | undefined;
  /** The start time of the last run that was read; empty before the first start. */
  #startedAt: string | undefined;
  /** Whether that run was read to its end. */
  #isRunRead = false;
  readonly #endWatch = new ExitTracker();
  #endChecks = 0;
  /** Whether the engine keeps no log, so that there are no older lines. */
  #isUnkept = false;
  /** Whether lines may be missing after the last reading, because the end of the run was not known when it began. */
  #mayLackEnd = false;
  readonly #yielder = new EventLoopYielder();
  readonly #markers: MarkerReporter;
  /** The last requested page, settled or not. One page is read at a time. */
  #paging: Promise<unknown> = Promise.resolve();
  /** The address of the container's engine. */
  #engineUrl: string | undefined;
  readonly #recovery: Recovery;
  #isCaughtUp = false;
  /** Resolves when the existing log was read, or cannot be read though the engine responds. */
  readonly #settled = Promise.withResolvers<undefined>();
  #isOver = false;
  /** The reading that is followed; undefined while the log is not followed. */
  #followed: RestartGuard | undefined;
  #receivedAt = 0;
  /** Whether what the engine did not send is read before the log is followed again. */
  #isRefreshing = false;

  constructor(id: string, view: ContainerLogOptions, sink: LogSink, parts: LogDependencies) {
    this.#id = id;
    this.#options = view;
    this.#sink = sink;
    this.#parts = parts;
    this.#markers = new MarkerReporter(sink);
    this.#latch = new ChangeLatch(parts.onDidChangeContainers, id);
    this.#recovery = new Recovery(this.#markers, this.#latch, parts.pause ?? delay);
  }

  /** Whether the container or its engine was removed, so that no more lines will come. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The time of the last record before the first line; empty if there is none or it is unknown. */
  get stampBefore(): string {
    return this.#reader?.stampBefore ?? '';
  }

  /**
   * Opens the log. Resolves when the engine has responded; without `follow`, when every line has been
   * written. Without `follow` it may be called again, to add new lines.
   *
   * @throws EngineError if the first request fails. Later failures are reported by a marker.
   */
  async open(): Promise<void> {
    if (this.#options.follow) this.#parts.watch();
    const connection = await this.#connect();
    const batches = await this.#read(connection);
    if (this.#options.follow) void this.#keepOn(() => this.#finish(connection, batches));
    else {
      await this.#copy(batches);
      await this.#writeRest();
      this.#catchUp();
    }
  }

  /** Follows the log as soon as it can be read. Failures, including the first, are reported by a marker. */
  keepOpen(): void {
    this.#parts.watch();
    void this.#keepOn(() => this.#readOn());
  }

  /**
   * Reads what the engine has and has not sent, and follows the log again. Docker sends nothing more of a log that was
   * truncated from outside, and does not end the stream. Does nothing while the log is not followed, or if something
   * was received just now.
   */
  refresh(): void {
    if (!this.#followed || performance.now() - this.#receivedAt < QUIET_MS) return;
    this.#isRefreshing = true;
    this.#followed.leave();
  }

  /**
   * Returns the lines before the first one written, and with each further call the lines before those, oldest
   * first. Returns `count` lines or slightly more; fewer only at the start of the log. Waits until the log
   * is open. The sink must have `caughtUp`, so that no line is doubled or missing.
   *
   * @throws EngineError if the engine cannot return them. The same lines may then be requested again.
   */
  async older(count: number, signal: AbortSignal): Promise<LogPage> {
    const both = AbortSignal.any([signal, this.#controller.signal]);
    const page = this.#paging.then(() => this.#olderNow(count, both));
    this.#paging = page.catch(() => undefined);
    return page;
  }

  async #olderNow(count: number, signal: AbortSignal): Promise<LogPage> {
    signal.throwIfAborted();
    const connection = await this.#connect();
    // Before that, it is not known where the lines to return end.
    await withSignal(this.#settled.promise, signal);
    if (this.#isUnkept) return { lines: [], isStart: true };
    return this.#reader?.older(connection, count, signal) ?? { lines: [], isStart: this.#isOver };
  }

  dispose(): void {
    this.#controller.abort();
    this.#latch.dispose();
  }

  /** Rejects if the engine is now at another address, because the container would be unknown there. */
  async #connect(): Promise<Connection> {
    const connection = await this.#parts.connect(this.#controller.signal);
    this.#engineUrl ??= connection.endpoint.url;
    if (connection.endpoint.url === this.#engineUrl) return connection;
    throw new EngineError('unreachable', { endpoint: this.#engineUrl });
  }

  async #read(connection: Connection): Promise<Batches> {
    const details = await this.#inspect(connection);
    this.#isUnkept = keepsNoLog(details);
    this.#reader ??= new LogReader(this.#id, {
      tail: this.#options.tail,
      since: this.#options.since,
      hasTty: details.hasTty,
      wantsStamps: this.#options.timestamps,
    });
    // Only the first reading: a user waits for it, and there is no marker about earlier runs.
    const isFirst = this.#startedAt === undefined;
    const isAgain = await this.#recordRun(connection, details);
    const runStartedAt = isAgain ? betweenRuns(details) : undefined;
    // The log of an exited container is read without `follow`: with it, engines omit the end.
    const follow = this.#options.follow && details.isRunning;
    this.#mayLackEnd = this.#options.follow && !this.#endWatch.isKnown(details);
    // Only if the sink asks for it, because readings then start in another way.
    const onCaughtUp = this.#sink.caughtUp && this.#catchUp;
    const run = new RestartGuard(this.#controller.signal);
    const look = (): Promise<ContainerDetails> => this.#inspect(connection);
    const onAnswered = isFirst ? undefined : run.of(details, look);
    const { endsLogsWithRun } = capabilitiesOf(await connection.info(run.signal));
    const isContinued = follow && !endsLogsWithRun;
    const settled = isContinued ? run.settled : undefined;
    const options = { follow, runStartedAt, onCaughtUp, onAnswered, settled };
    this.#isRunRead = false;
    const batches = await this.#reader.open(connection, options, run.signal);
    this.#recovery.opened();
    if (follow) this.#followed = run;
    return isContinued
      ? this.#untilLeft(batches, (changed) => run.endWith(details, changed, look))
      : batches;
  }

  /** Ends a reading with its run, so that lines of the next run come after its marker. */
  async *#untilLeft(
    batches: Batches,
    end: (changed: () => Promise<void>) => Promise<void>,
  ): AsyncGenerator<readonly LogLine[]> {
    const done = new AbortController();
    const ended = end(() => this.#latch.next(done.signal)).catch(() => undefined);
    try {
      yield* batches;
    } finally {
      done.abort();
      await ended;
    }
  }

  readonly #catchUp = (): void => {
    this.#settled.resolve(undefined);
    this.#reportCaughtUp();
  };

  readonly #reportCaughtUp = (): void => {
    if (this.#isCaughtUp) return;
    this.#isCaughtUp = true;
    this.#sink.caughtUp?.();
  };

  /**
   * Writes a marker at the start of another run, after all lines of the run before, whose reading may have broken off.
   *
   * @returns whether there is an earlier run, which is read to its end.
   */
  async #recordRun(connection: Connection, details: ContainerDetails): Promise<boolean> {
    const before = this.#startedAt;
    const { startedAt } = details;
    const isNew = this.#options.follow && before !== undefined && before !== startedAt;
    if (isNew && !this.#isRunRead) {
      // Even if its end was known when the reading began.
      this.#mayLackEnd = true;
      await this.#endRun(connection, betweenRuns(details));
    }
    this.#startedAt = startedAt;
    if (!isNew) return false;
    await this.#sink.marker({ kind: before === '' ? 'started' : 'startedAgain' }, startedAt);
    return before !== '';
  }

  async #copy(batches: Batches): Promise<void> {
    for await (const lines of batches) {
      this.#recovery.received();
      this.#receivedAt = performance.now();
      await this.#reportGap();
      await this.#sink.lines(lines);
      await this.#yielder.yieldIfDue();
    }
  }

  async #reportGap(): Promise<void> {
    const open = this.#reader?.consumeGap();
    if (!open) return;
    if (open.length > 0) await this.#sink.lines(open);
    await this.#sink.marker({ kind: 'gap' });
  }

  /** Runs until the container is removed or this is disposed. Never rejects. */
  async #keepOn(first: () => Promise<Next>): Promise<void> {
    let round = first;
    while (!this.#isOver && !this.#controller.signal.aborted) {
      try {
        if ((await round()) === 'waitForStart') await this.#nextStart();
      } catch (error) {
        await this.#recover(error).catch(() => undefined);
      }
      round = () => this.#readOn();
    }
    this.#latch.dispose();
  }

  async #readOn(): Promise<Next> {
    const connection = await this.#connect();
    if (this.#isRefreshing) await this.#readUnsent(connection);
    return this.#finish(connection, await this.#read(connection));
  }

  async #readUnsent(connection: Connection): Promise<void> {
    const run = new RestartGuard(this.#controller.signal);
    const now = { startedAt: this.#startedAt ?? '' };
    const onAnswered = run.of(now, () => this.#inspect(connection));
    this.#isRefreshing = false;
    const unsent = await this.#reader?.open(connection, { follow: false, onAnswered }, run.signal);
    if (unsent) await this.#copy(unsent);
  }

  /** Reads to the end of the run and reports how it ended. */
  async #finish(connection: Connection, batches: Batches): Promise<Next> {
    try {
      await this.#copy(batches);
    } finally {
      this.#followed = undefined;
    }
    // Inspect first: a restart policy may be about to replace the exit code.
    const details = await this.#inspect(connection);
    const isRunning = details.isRunning && details.state !== 'restarting';
    const isSame = isRunning && details.startedAt === this.#startedAt;
    if (isSame || this.#isStillEnding(details)) {
      // The engine ended the stream, or has not noticed the exit yet.
      await this.#recovery.wait(this.#controller.signal);
      return 'readOn';
    }
    this.#endChecks = 0;
    // There may have been a short run in the meantime, which must be read too.
    const isContinued = isRunning || details.startedAt !== this.#startedAt;
    await this.#endRun(connection, isContinued ? betweenRuns(details) : undefined);
    if (isContinued) return 'readOn';
    await this.#markers.exit(details);
    this.#catchUp();
    return 'waitForStart';
  }

  /**
   * Whether the engine has not recorded the end of the run yet: until then, lines may still come and the exit
   * code is not valid. Gives up after some checks, because the engine may never record it.
   */
  #isStillEnding(details: ContainerDetails): boolean {
    if (details.isRunning || !details.wasStarted || this.#endWatch.isKnown(details)) return false;
    this.#endChecks += 1;
    return this.#endChecks <= MOST_END_LOOKS;
  }

  /**
   * Reads the missing lines of a run.
   *
   * @param endsBefore if the container runs again, a time before that start.
   */
  async #endRun(connection: Connection, endsBefore: string | undefined): Promise<void> {
    // Before the first run nothing can be missing, and existing lines belong to the next run.
    if (this.#reader && this.#mayLackEnd && this.#startedAt !== '') {
      const run = new RestartGuard(this.#controller.signal);
      const now = { startedAt: this.#startedAt ?? '' };
      const check = run.of(now, () => this.#inspect(connection));
      const onAnswered = endsBefore === undefined ? check : undefined;
      const options = { follow: false, endsBefore, onAnswered };
      await this.#copy(await this.#reader.open(connection, options, run.signal));
    }
    await this.#writeRest();
    this.#isRunRead = true;
  }

  /** Waits until the container was started after the last reading. */
  async #nextStart(): Promise<void> {
    for (;;) {
      await this.#latch.next(this.#controller.signal);
      if (await this.#isNewRun()) return;
    }
  }

  async #isNewRun(): Promise<boolean> {
    try {
      const details = await this.#inspect(await this.#connect());
      return details.startedAt !== this.#startedAt;
    } catch (error) {
      // A lost engine does not affect an exited container. Its return is another change to check at.
      if (isLost(error)) return false;
      throw error;
    }
  }

  async #inspect(connection: Connection): Promise<ContainerDetails> {
    const details = await inspectContainer(connection, this.#id, this.#controller.signal);
    this.#endWatch.see(details);
    return details;
  }

  async #recover(error: unknown): Promise<void> {
    const { signal } = this.#controller;
    if (signal.aborted || error instanceof ContainerRestarted) return;
    if (failedWith(error, 'notFound', 'engineRemoved')) {
      this.#isOver = true;
      await this.#writeRest();
      if (error.reason === 'notFound') await this.#sink.marker({ kind: 'removed' });
      else await this.#markers.failure(error);
      this.#catchUp();
    } else if (failedWith(error, 'conflict') && (await this.#isBeingRemoved())) {
      await this.#latch.next(signal);
    } else {
      // The sink does not wait for a lost engine. Older lines do: the log is opened when it is back.
      const onReported = isLost(error) ? this.#reportCaughtUp : this.#catchUp;
      await this.#recovery.after(error, onReported, signal);
    }
  }

  /** Whether the container is being removed. The engine does not return its log then. */
  async #isBeingRemoved(): Promise<boolean> {
    const details = await this.#inspect(await this.#connect());
    if (details.state !== 'removing') return false;
    await this.#writeRest();
    await this.#markers.exit(details);
    return true;
  }

  /** Writes what was held back for the rest of an incomplete line. */
  async #writeRest(): Promise<void> {
    const rest = this.#reader?.flush() ?? [];
    await this.#reportGap();
    if (rest.length > 0) await this.#sink.lines(rest);
  }
}

type Batches = AsyncIterable<readonly LogLine[]>;
/** Step after a reading: read on now, or wait for the container's next start. */
type Next = 'readOn' | 'waitForStart';

/** After how many milliseconds without lines a followed log may be one that the engine sends nothing more of. */
const QUIET_MS = 1000;

/**
 * Number of times that an engine is asked for an end that it has not recorded, with growing pauses: about twenty
 * seconds in total.
 */
const MOST_END_LOOKS = 8;
