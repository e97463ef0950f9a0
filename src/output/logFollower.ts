import type { Connection } from '../engine/connection.ts';
import type { ContainerDetails } from '../engine/containerDetails.ts';
import { inspectContainer } from '../engine/containers.ts';
import { EngineError, failedWith, isConnectionFailure } from '../engine/errors.ts';
import { LogReader } from '../engine/logs.ts';
import type { LogLine } from '../engine/model.ts';
import type { L10n } from '../l10n.ts';
import { delay, type Disposable, type Event } from '../lifetime.ts';
import { ChangeLatch, type ContainersChange } from './changeLatch.ts';
import { logText, remarkText, type Remark } from './logText.ts';
import type { LogWriter } from './logWriter.ts';

/** Which part of a log is shown, and how. */
export interface LogView {
  /** Goes on with what the container writes, over restarts and breaks of the connection. */
  readonly follow: boolean;
  readonly tail: number | 'all';
  /** `seconds[.nanoseconds]`, see `parseSince`. */
  readonly since?: string | undefined;
  readonly timestamps: boolean;
}

/** What a follower stands on. */
export interface FollowerParts {
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

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [250, 5000];

/** Brings one container's log into one channel, from one call to the end of the container or of the follower. */
export class LogFollower implements Disposable {
  readonly #id: string;
  readonly #view: LogView;
  readonly #writer: LogWriter;
  readonly #parts: FollowerParts;
  readonly #controller = new AbortController();
  readonly #latch: ChangeLatch;
  #reader: LogReader | undefined;
  /** When the run began whose log was read last; empty before the first start. */
  #startedAt: string | undefined;
  #hasEndedCleanly = false;
  #isFollowing = false;
  /** Identifies the last exit that was told, and the last failure. */
  #toldExit = '';
  #toldFailure = '';
  #pauseMs = FIRST_PAUSE_MS;
  #isOver = false;
  /** Where the container lives. */
  #engineUrl: string | undefined;

  constructor(id: string, view: LogView, writer: LogWriter, parts: FollowerParts) {
    this.#id = id;
    this.#view = view;
    this.#writer = writer;
    this.#parts = parts;
    this.#latch = new ChangeLatch(parts.onDidChangeContainers, id);
  }

  /** Whether the container is gone, so that no line will ever come. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Starts. Resolves when the engine has answered; without `follow`, when every line is appended. May be
   * called again without `follow`: it then adds what is new.
   *
   * @throws EngineError of the first request that fails. Later failures are told in the channel.
   */
  async open(): Promise<void> {
    if (this.#view.follow) this.#parts.watch();
    const connection = await this.#connect();
    const batches = await this.#read(connection);
    if (this.#view.follow) void this.#keepOn(connection, batches);
    else {
      await this.#copy(batches);
      await this.#writeRest();
    }
  }

  dispose(): void {
    this.#controller.abort();
    this.#writer.dispose();
    this.#latch.dispose();
  }

  /** A container of this id is another engine's business: there it would only be unknown. */
  async #connect(): Promise<Connection> {
    const connection = await this.#parts.connect(this.#controller.signal);
    const { url } = connection.endpoint;
    this.#engineUrl ??= url;
    if (url === this.#engineUrl) return connection;
    throw new EngineError('unreachable', { endpoint: this.#engineUrl });
  }

  async #read(connection: Connection): Promise<Batches> {
    const { signal } = this.#controller;
    const details = await inspectContainer(connection, this.#id, signal);
    this.#reader ??= new LogReader(this.#id, {
      tail: this.#view.tail,
      since: this.#view.since,
      hasTty: details.hasTty,
      wantsStamps: this.#view.timestamps,
    });
    const isNewRun = await this.#noteRun(details);
    const runStartedAt = isNewRun && this.#hasEndedCleanly ? details.startedAt : undefined;
    // What has ended is read whole without; followed, engines leave out the end.
    this.#isFollowing = this.#view.follow && details.isRunning;
    const options = { follow: this.#isFollowing, runStartedAt };
    const batches = await this.#reader.open(connection, options, signal);
    this.#toldFailure = '';
    return batches;
  }

  /** Says where another run begins. */
  async #noteRun({ startedAt }: ContainerDetails): Promise<boolean> {
    const before = this.#startedAt;
    this.#startedAt = startedAt;
    if (before === undefined || before === startedAt) return false;
    if (this.#view.follow) await this.#remark({ kind: before === '' ? 'started' : 'startedAgain' });
    return true;
  }

  async #copy(batches: Batches): Promise<void> {
    this.#hasEndedCleanly = false;
    for await (const lines of batches) {
      this.#pauseMs = FIRST_PAUSE_MS;
      await this.#writer.write(logText(lines, this.#view.timestamps));
    }
    this.#hasEndedCleanly = true;
  }

  /** Ends with the container or with the follower, and never rejects. */
  async #keepOn(connection: Connection, first: Batches): Promise<void> {
    let round = (): Promise<Next> => this.#finish(connection, first);
    while (!this.#isOver && !this.#controller.signal.aborted) {
      try {
        if ((await round()) === 'waitForStart') await this.#nextStart();
      } catch (error) {
        await this.#recover(error).catch(() => undefined);
      }
      round = async () => {
        const again = await this.#connect();
        return this.#finish(again, await this.#read(again));
      };
    }
  }

  /** Reads to the end of the run, and tells how it ended. */
  async #finish(connection: Connection, batches: Batches): Promise<Next> {
    await this.#copy(batches);
    // Looked at first of all: a restart policy may be about to hide the exit status.
    const details = await this.#inspect(connection);
    const isRunning = details.isRunning && details.state !== 'restarting';
    if (isRunning && details.startedAt === this.#startedAt) {
      // The engine ended the stream, or it has not noticed the exit yet.
      await this.#backOff();
      return 'readOn';
    }
    await this.#readMissedEnd(connection, isRunning ? betweenRuns(details) : undefined);
    await this.#writeRest();
    if (isRunning) return 'readOn';
    await this.#tellExit(details);
    return 'waitForStart';
  }

  /** @param endsBefore where the container runs again: a moment before. */
  async #readMissedEnd(connection: Connection, endsBefore: string | undefined): Promise<void> {
    if (!this.#reader || !this.#isFollowing) return;
    const options = { follow: false, endsBefore };
    await this.#copy(await this.#reader.open(connection, options, this.#controller.signal));
  }

  async #tellExit({
    wasStarted,
    startedAt,
    finishedAt,
    exitCode,
  }: ContainerDetails): Promise<void> {
    const exit = `${startedAt} ${finishedAt}`;
    if (!wasStarted || exit === this.#toldExit) return;
    this.#toldExit = exit;
    await this.#remark({ kind: 'exited', exitCode });
  }

  /** Waits until the container has been started since the run that was read last. */
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

  #inspect(connection: Connection): Promise<ContainerDetails> {
    return inspectContainer(connection, this.#id, this.#controller.signal);
  }

  async #recover(error: unknown): Promise<void> {
    if (this.#controller.signal.aborted) return;
    if (failedWith(error, 'notFound')) {
      this.#isOver = true;
      await this.#writeRest();
      await this.#remark({ kind: 'removed' });
    } else if (isLost(error)) {
      await this.#tellFailure({ kind: 'lost' });
      await this.#backOff();
    } else {
      await this.#tellFailure({ kind: 'failed', words: wordsOf(error) });
      await this.#latch.next(this.#controller.signal);
    }
  }

  /** Says a failure once, until a reading succeeds or another one happens. */
  async #tellFailure(remark: Remark): Promise<void> {
    const failure = JSON.stringify(remark);
    if (failure === this.#toldFailure) return;
    this.#toldFailure = failure;
    await this.#remark(remark);
  }

  /** Waits longer each time; a change of the container ends it early. */
  async #backOff(): Promise<void> {
    const early = new AbortController();
    const signal = AbortSignal.any([early.signal, this.#controller.signal]);
    const pause = this.#parts.pause ?? delay;
    const waits = [pause(this.#pauseMs, signal), this.#latch.next(signal)];
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
    try {
      await Promise.race(waits);
    } finally {
      early.abort();
      await Promise.allSettled(waits);
    }
  }

  async #remark(remark: Remark): Promise<void> {
    await this.#writer.write(remarkText(remark, this.#parts.l10n));
  }

  /** What was held back for the rest of a line that will not come. */
  async #writeRest(): Promise<void> {
    await this.#writer.write(logText(this.#reader?.flush() ?? [], this.#view.timestamps));
    if (!this.#view.follow) this.#writer.flush();
  }
}

/**
 * A moment between the end of the last run and the start of this one: an engine notes either a little late,
 * when the last lines of the one, or the first of the other, are already written.
 */
function betweenRuns({ finishedAt, startedAt }: ContainerDetails): string {
  const [end, start] = [Date.parse(finishedAt), Date.parse(startedAt)];
  return end < start ? new Date((end + start) / 2).toISOString() : startedAt;
}

function isLost(error: unknown): boolean {
  return isConnectionFailure(error) || failedWith(error, 'cut', 'timeout');
}

function wordsOf(error: unknown): string | undefined {
  if (error instanceof EngineError) return error.engineMessage;
  return error instanceof Error ? error.message : undefined;
}
