import * as l10n from '@vscode/l10n';
import { Worker } from 'node:worker_threads';
import { InputError } from '../../engine/errors.ts';
import { abortReason, type Disposable } from '../../base/lifetime.ts';
import { monotonicClock, Throttle } from '../../base/time.ts';
import type { LineStore } from '../store/lineStore.ts';
import type { FindReport, LineFilter, LineQuery, MarkReport } from './lineQuery.ts';
import { checkQuery } from './lineMatcher.ts';
import type { BlockLocation, StoreSnapshot } from '../store/storeSnapshot.ts';
import {
  type SearchTask,
  type StoreChange,
  type WorkerReport,
  type WorkerRequest,
  HEARTBEAT,
} from './storeMirror.ts';

/** Time limit of an expression for one line, in milliseconds. */
const HANG_TIMEOUT_MS = 3000;
/** The shortest interval between two updates of the worker's view of the store, in milliseconds. */
const NEWS_MS = 40;
/**
 * The size of the worker's young heap generation in MB. A search creates only short-lived garbage, so this is
 * enough; the memory is never given back.
 */
const YOUNG_MEGABYTES = 6;

/** Searches a line store in a worker thread, which is started on first use. */
export class LogSearch implements Disposable {
  readonly #store: LineStore;
  readonly #options: LogSearchOptions;
  readonly #standing = new Map<number, Standing>();
  readonly #subscription: Disposable;
  #running: Running | undefined;
  #lastJob = 0;
  readonly #news = new Throttle(monotonicClock, NEWS_MS, () => this.#sync());
  #isDisposed = false;

  constructor(store: LineStore, options: LogSearchOptions) {
    this.#store = store;
    this.#options = options;
    this.#subscription = store.onDidChange(() => {
      if (this.#standing.size > 0) this.#news.request();
    });
  }

  /**
   * Finds matching lines, the newest first, and then among new lines, until the signal aborts.
   *
   * @param filter finds only lines that pass it; its `context` is ignored.
   * @param onFailure called for a failure after the promise has resolved.
   * @returns resolves when all existing lines have been searched.
   * @throws InputError if an expression is invalid or takes too long; Error if lines cannot be read; the abort reason.
   */
  async find(
    query: LineQuery,
    filter: LineFilter | undefined,
    onFound: (found: FindReport) => void,
    signal: AbortSignal,
    onFailure?: OnFailure,
  ): Promise<void> {
    checkQuery(query);
    this.check(filter);
    await this.#stand({ kind: 'find', query, filter }, signal, onFailure, (report) => {
      if (report.kind === 'found') onFound(report);
    });
  }

  /**
   * Reports for every line whether it passes a filter and whether it continues the line before: the newest
   * first, and then new lines, until the signal aborts. A line may be reported again.
   *
   * @param options `folds`: whether to detect continuation lines.
   * @param onFailure see {@link find}.
   * @returns resolves when all existing lines have been reported.
   * @throws see {@link find}.
   */
  async rows(
    options: { readonly filter?: LineFilter; readonly folds: boolean },
    onMarked: (marked: MarkReport) => void,
    signal: AbortSignal,
    onFailure?: OnFailure,
  ): Promise<void> {
    const { filter, folds } = options;
    this.check(filter);
    await this.#stand({ kind: 'mark', folds, filter }, signal, onFailure, (report) => {
      if (report.kind === 'marked') onMarked(report);
    });
  }

  /** @throws InputError with a message if an expression of the filter is invalid. */
  check(filter: LineFilter | undefined): void {
    checkQuery(filter?.include);
    checkQuery(filter?.exclude);
  }

  /** Terminates the worker. Searches that are still running reject with an AbortError. */
  dispose(): void {
    this.#isDisposed = true;
    this.#subscription.dispose();
    this.#news.dispose();
    this.#end();
    for (const { fail } of [...this.#standing.values()])
      fail(new DOMException('The search is over', 'AbortError'));
    this.#standing.clear();
  }

  /** @param onReport called with each report. */
  #stand(
    work: SearchTask,
    signal: AbortSignal,
    onFailure: OnFailure | undefined,
    onReport: Standing['onReport'],
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted || this.#isDisposed) {
        reject(abortReason(signal));
        return;
      }
      const job = ++this.#lastJob;
      let isSettled = false;
      const leave = (): void => {
        signal.removeEventListener('abort', onAbort);
        this.#standing.delete(job);
      };
      const onAbort = (): void => {
        leave();
        this.#post({ kind: 'stop', job });
        reject(abortReason(signal));
      };
      const fail = (error: Error): void => {
        leave();
        if (isSettled) onFailure?.(error);
        else reject(error);
      };
      const report: Standing['onReport'] = (found) => {
        onReport(found);
        if (!found.isDone) return;
        isSettled = true;
        resolve();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#standing.set(job, { work, onReport: report, fail });
      this.#begin(job, work);
    });
  }

  #begin(job: number, work: SearchTask): void {
    if (!this.#isDisposed) this.#running ??= this.#run();
    this.#news.flush();
    this.#post({ kind: 'start', job, work });
  }

  #sync(): void {
    if (!this.#running) return;
    const change = this.#running.changes.since(this.#store.snapshot());
    this.#post({ kind: 'sync', ...change });
  }

  #post(order: WorkerRequest): void {
    this.#running?.worker.postMessage(order);
    if (order.kind !== 'stop') this.#running?.watchdog.start();
  }

  #run(): Running {
    const watchdog = new Watchdog(this.#options.hangTimeoutMs ?? HANG_TIMEOUT_MS, this.#onHang);
    const worker = new Worker(this.#options.workerFile, {
      workerData: watchdog.heartbeat,
      // The worker needs no environment or arguments of the extension host.
      env: {},
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
      name: 'log search',
    });
    const running = { worker, watchdog, changes: new StoreChanges() };
    worker.on('message', this.#handle);
    worker.on('error', (error: Error) => this.#onCrash(running, error));
    // Without this, an exit without an error would leave searches pending.
    worker.on('exit', () => {
      this.#onCrash(running, new Error(l10n.t('The search process ended unexpectedly.')));
    });
    worker.unref();
    return running;
  }

  readonly #handle = (report: WorkerReport): void => {
    const standing = this.#standing.get(report.job);
    if (report.kind === 'failed') standing?.fail(new Error(report.reason));
    else standing?.onReport(report);
  };

  /** Fails the job that hangs and restarts the others in a new worker. */
  readonly #onHang = (job: number): void => {
    this.#end();
    this.#standing
      .get(job)
      ?.fail(
        new InputError(l10n.t('The search was stopped because the expression takes too long.')),
      );
    for (const [other, { work }] of [...this.#standing]) this.#begin(other, work);
  };

  #onCrash(running: Running, error: Error): void {
    if (this.#running !== running) return;
    this.#end();
    for (const { fail } of [...this.#standing.values()]) fail(error);
  }

  #end(): void {
    const running = this.#running;
    this.#running = undefined;
    running?.watchdog.dispose();
    void running?.worker.terminate();
  }
}

/** The dependencies of a search besides the store. */
interface LogSearchOptions {
  /** The path of the worker script, `dist/logSearch.cjs`. */
  readonly workerFile: string;
  /** Milliseconds without progress after which the worker is terminated. Default: 3000. */
  readonly hangTimeoutMs?: number;
}

/** A live search and its callbacks. */
interface Standing {
  readonly work: SearchTask;
  readonly onReport: (report: Exclude<WorkerReport, { readonly kind: 'failed' }>) => void;
  readonly fail: (error: Error) => void;
}

/** Called when a search fails after its promise has resolved. */
type OnFailure = (error: Error) => void;

/** A worker and its companions. */
interface Running {
  readonly worker: Worker;
  readonly watchdog: Watchdog;
  readonly changes: StoreChanges;
}

/** Determines how a store changed since the last call. */
class StoreChanges {
  #known = new Map<number, BlockLocation>();

  /** Returns the changes since the last call; on the first call, everything. */
  since({ blocks, ...rest }: StoreSnapshot): StoreChange {
    const changed = blocks.filter(
      (location) => !isSame(this.#known.get(location.serial), location),
    );
    const now = new Map(blocks.map((location) => [location.serial, location]));
    const gone = [...this.#known.keys()].filter((serial) => !now.has(serial));
    this.#known = now;
    return { ...rest, changed, gone };
  }
}

function isSame(a: BlockLocation | undefined, b: BlockLocation): boolean {
  return a?.count === b.count && a.memory === b.memory && a.image === b.image;
}

/** The interval of the checks in milliseconds, while there is work. */
const TICK = 250;

/** Checks that a worker makes progress while it has work. */
class Watchdog implements Disposable {
  readonly heartbeat = new SharedArrayBuffer(8);
  readonly #counters = new Int32Array(this.heartbeat);
  readonly #timeoutMs: number;
  readonly #onHang: (job: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #lastProgress = -1;
  /** The number of consecutive checks without progress, while at work and while idle. */
  #still = 0;
  #idle = 0;

  /**
   * @param patience in milliseconds. Counted in checks, so that sleep of the machine does not count as a hang.
   * @param onHang called with the job that hangs.
   */
  constructor(patience: number, onHang: (job: number) => void) {
    this.#timeoutMs = patience;
    this.#onHang = onHang;
  }

  /** Starts checking, because the worker has received work. */
  start(): void {
    this.#idle = 0;
    this.#timer ??= setInterval(this.#check, TICK);
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  readonly #check = (): void => {
    const progress = Atomics.load(this.#counters, HEARTBEAT.progress);
    const job = Atomics.load(this.#counters, HEARTBEAT.job);
    const isStill = progress === this.#lastProgress;
    this.#lastProgress = progress;
    this.#still = isStill && job !== 0 ? this.#still + 1 : 0;
    this.#idle = isStill && job === 0 ? this.#idle + 1 : 0;
    // A worker that is still starting counts as idle and gets twice the timeout.
    if (this.#idle * TICK > 2 * this.#timeoutMs) this.dispose();
    if (this.#still * TICK < this.#timeoutMs) return;
    this.dispose();
    this.#onHang(job);
  };
}
