import { capabilitiesOf } from '../../engine/capabilities.ts';
import type { Connection } from '../../engine/http/connection.ts';
import type { ContainerDetails } from '../../engine/containers/containerDetails.ts';
import { inspectContainer } from '../../engine/containers/containers.ts';
import { EngineError, failedWith, isLost } from '../../engine/errors.ts';
import { LogReader } from '../../engine/logs/logReader.ts';
import type { LogPage } from '../../engine/logs/logPages.ts';
import type { LogLine } from '../../engine/model.ts';
import { ExitTracker } from '../../engine/containers/exitTracker.ts';
import type { L10n } from '../../l10n.ts';
import type { Disposable, Event } from '../../lifetime.ts';
import { delay, EventLoopYielder } from '../../time.ts';
import { betweenRuns } from './betweenRuns.ts';
import { ChangeLatch, type ContainersChange } from './changeLatch.ts';
import type { LogSink } from './logSink.ts';
import { Recovery } from './recovery.ts';
import { RestartGuard, ContainerRestarted } from './restartGuard.ts';
import { MarkerReporter } from './markerReporter.ts';

/** One container's log, exact over restarts, losses of the connection and restarts of the engine: each line once. */
export class ContainerLog implements Disposable {
  readonly #id: string;
  readonly #options: ContainerLogOptions;
  readonly #sink: LogSink;
  readonly #parts: LogDependencies;
  readonly #controller = new AbortController();
  readonly #latch: ChangeLatch;
  #reader: LogReader | undefined;
  /** When the run began whose log was read last; empty before the first start. */
  #startedAt: string | undefined;
  /** Whether that run is read to its end. */
  #isRunRead = false;
  readonly #endWatch = new ExitTracker();
  #endChecks = 0;
  /** Whether lines may have come since the last reading ended: the run's end was not known when it began. */
  #mayLackEnd = false;
  readonly #yielder = new EventLoopYielder();
  readonly #markers: MarkerReporter;
  /** The last page asked for, settled or not: one is read at a time. */
  #paging: Promise<unknown> = Promise.resolve();
  /** Where the container lives. */
  #engineUrl: string | undefined;
  readonly #recovery: Recovery;
  #isCaughtUp = false;
  #isOver = false;

  constructor(id: string, view: ContainerLogOptions, sink: LogSink, parts: LogDependencies) {
    this.#id = id;
    this.#options = view;
    this.#sink = sink;
    this.#parts = parts;
    this.#markers = new MarkerReporter(sink);
    this.#latch = new ChangeLatch(parts.onDidChangeContainers, id);
    this.#recovery = new Recovery(this.#markers, this.#latch, parts.pause ?? delay);
  }

  /** Whether the container, or its engine, was removed: no line will ever come. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Starts. Resolves when the engine has answered; without `follow`, when every line has come. May be
   * called again without `follow`: it then adds what is new.
   *
   * @throws EngineError of the first request that fails. Later failures are told by a marker.
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

  /** Follows the log as soon as it can be read; what keeps it from that is told by a marker, like later failures. */
  keepOpen(): void {
    this.#parts.watch();
    void this.#keepOn(() => this.#readOn());
  }

  /**
   * Lines before the first one that came, the newest last, and with each call before those: `count`, or a few more;
   * fewer only at the log's start. None doubled or left out against what came, where the sink has `caughtUp`.
   *
   * @throws EngineError where the engine cannot give them; the same lines may be asked for again then.
   */
  async older(count: number, signal: AbortSignal): Promise<LogPage> {
    const both = AbortSignal.any([signal, this.#controller.signal]);
    const page = this.#paging.then(() => this.#olderNow(count, both));
    this.#paging = page.catch(() => undefined);
    return page;
  }

  async #olderNow(count: number, signal: AbortSignal): Promise<LogPage> {
    signal.throwIfAborted();
    if (!this.#reader) return { lines: [], isStart: false };
    return this.#reader.older(await this.#connect(), count, signal);
  }

  dispose(): void {
    this.#controller.abort();
    this.#latch.dispose();
  }

  /** A container of this id is another engine's business: there it would only be unknown. */
  async #connect(): Promise<Connection> {
    const connection = await this.#parts.connect(this.#controller.signal);
    this.#engineUrl ??= connection.endpoint.url;
    if (connection.endpoint.url === this.#engineUrl) return connection;
    throw new EngineError('unreachable', { endpoint: this.#engineUrl });
  }

  async #read(connection: Connection): Promise<Batches> {
    const details = await this.#inspect(connection);
    this.#reader ??= new LogReader(this.#id, {
      tail: this.#options.tail,
      since: this.#options.since,
      hasTty: details.hasTty,
      wantsStamps: this.#options.timestamps,
    });
    // A person waits for the first one; and of the runs before it nothing was told.
    const isFirst = this.#startedAt === undefined;
    const isAgain = await this.#noteRun(connection, details);
    const runStartedAt = isAgain ? betweenRuns(details) : undefined;
    // What has ended is read whole without; followed, engines leave out the end.
    const follow = this.#options.follow && details.isRunning;
    this.#mayLackEnd = this.#options.follow && !this.#endWatch.isKnown(details);
    // Only a sink that wants to know has readings begin so that it can.
    const onCaughtUp = this.#sink.caughtUp && this.#catchUp;
    const run = new RestartGuard(this.#controller.signal);
    const look = (): Promise<ContainerDetails> => this.#inspect(connection);
    const onAnswered = isFirst ? undefined : run.of(details, look);
    const { endsLogsWithRun } = capabilitiesOf(await connection.info(run.signal));
    const goesOn = follow && !endsLogsWithRun;
    const settled = goesOn ? run.settled : undefined;
    const options = { follow, runStartedAt, onCaughtUp, onAnswered, settled };
    this.#isRunRead = false;
    const batches = await this.#reader.open(connection, options, run.signal);
    this.#recovery.opened();
    return goesOn
      ? this.#untilLeft(batches, (heard) => run.endWith(details, heard, look))
      : batches;
  }

  /** Ends a reading with its run: what is of the next one comes after what is said of that. */
  async *#untilLeft(
    batches: Batches,
    end: (heard: () => Promise<void>) => Promise<void>,
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
    if (this.#isCaughtUp) return;
    this.#isCaughtUp = true;
    this.#sink.caughtUp?.();
  };

  /**
   * Says where another run begins: behind all of the one before, whose reading may have broken off.
   *
   * @returns whether one was before that is read to its end.
   */
  async #noteRun(connection: Connection, details: ContainerDetails): Promise<boolean> {
    const [before, { startedAt }] = [this.#startedAt, details];
    const isNew = this.#options.follow && before !== undefined && before !== startedAt;
    if (isNew && !this.#isRunRead) {
      // Also if its end was known when that reading began.
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
      await this.#reportGap();
      await this.#sink.lines(lines);
      await this.#yielder.yieldIfDue();
    }
  }

  async #reportGap(): Promise<void> {
    const open = this.#reader?.takeGap();
    if (!open) return;
    if (open.length > 0) await this.#sink.lines(open);
    await this.#sink.marker({ kind: 'gap' });
  }

  /** Ends with the container or when this is disposed, and never rejects. */
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
    return this.#finish(connection, await this.#read(connection));
  }

  /** Reads to the end of the run, and tells how it ended. */
  async #finish(connection: Connection, batches: Batches): Promise<Next> {
    await this.#copy(batches);
    // Looked at first of all: a restart policy may be about to hide the exit status.
    const details = await this.#inspect(connection);
    const isRunning = details.isRunning && details.state !== 'restarting';
    const isSame = isRunning && details.startedAt === this.#startedAt;
    if (isSame || this.#isStillEnding(details)) {
      // The engine ended the stream, or it has not noticed the exit yet.
      await this.#recovery.wait(this.#controller.signal);
      return 'readOn';
    }
    this.#endChecks = 0;
    // A short run may have come and gone meanwhile: it is to be read, too.
    const goesOn = isRunning || details.startedAt !== this.#startedAt;
    await this.#endRun(connection, goesOn ? betweenRuns(details) : undefined);
    if (goesOn) return 'readOn';
    await this.#markers.exit(details);
    this.#catchUp();
    return 'waitForStart';
  }

  /**
   * Whether the engine is about to note how the run ended: until it has, lines may still come, and the status it tells
   * is none. Not for ever, for nobody promises that it will.
   */
  #isStillEnding(details: ContainerDetails): boolean {
    if (details.isRunning || !details.wasStarted || this.#endWatch.isKnown(details)) return false;
    this.#endChecks += 1;
    return this.#endChecks <= MOST_END_LOOKS;
  }

  /** Reads what is missing of a run. @param endsBefore where the container runs again: a moment before. */
  async #endRun(connection: Connection, endsBefore: string | undefined): Promise<void> {
    // Before its first run there is nothing to lack, and what is there is the next one's.
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

  /** Waits until the container has been started since the last reading. */
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
      // An engine that is away takes nothing from a container that has ended: its return is a change, too.
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
    } else await this.#recovery.after(error, this.#catchUp, signal);
  }

  /** Whether the container is being removed: an engine gives nothing of its log then. */
  async #isBeingRemoved(): Promise<boolean> {
    const details = await this.#inspect(await this.#connect());
    if (details.state !== 'removing') return false;
    await this.#writeRest();
    await this.#markers.exit(details);
    return true;
  }

  /** What was held back for the rest of a line that will not come. */
  async #writeRest(): Promise<void> {
    const rest = this.#reader?.flush() ?? [];
    await this.#reportGap();
    if (rest.length > 0) await this.#sink.lines(rest);
  }
}

/** Which part of a log is shown, and how. */
export interface ContainerLogOptions {
  /** Goes on with what the container writes, over restarts and breaks of the connection. */
  readonly follow: boolean;
  readonly tail: number | 'all';
  /** `seconds[.nanoseconds]`, see `parseSince`. */
  readonly since?: string | undefined;
  readonly timestamps: boolean;
}

/** What a container's log stands on. */
export interface LogDependencies {
  readonly connect: (signal?: AbortSignal) => Promise<Connection>;
  /** How a restart is heard of. */
  readonly onDidChangeContainers: Event<ContainersChange>;
  /** Asks for that event to be fed from now on. */
  readonly watch: () => void;
  readonly l10n: L10n;
  /** Waits so many milliseconds; tests have their own. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

type Batches = AsyncIterable<readonly LogLine[]>;
/** What to do after a reading has ended: read on now, wait for the container's next start. */
type Next = 'readOn' | 'waitForStart';

/** So often an engine is asked, longer apart each time, for an end that it has not noted: some twenty seconds. */
const MOST_END_LOOKS = 8;
