import { Worker } from 'node:worker_threads';
import { InputError } from '../../engine/errors.ts';
import type { L10n } from '../../l10n.ts';
import { abortReason, type Disposable } from '../../lifetime.ts';
import { monotonicClock, Throttle } from '../../time.ts';
import type { LineStore } from '../store/lineStore.ts';
import type { FindReport, LineFilter, LineQuery, MarkReport } from './lineQuery.ts';
import { checkQuery } from './lineMatcher.ts';
import type { WorkerRequest, WorkerReport, SearchTask, WorkerData } from './workerMessages.ts';
import { StoreChanges } from './storeChanges.ts';
import { Watchdog } from './watchdog.ts';

/** An expression may take so many milliseconds for one line. */
const HANG_TIMEOUT_MS = 3000;
/** The thread hears at most so often, in milliseconds, how the store has changed. */
const NEWS_MS = 40;
/** What a search leaves behind is garbage at once: megabytes for what is new are enough, and are never given back. */
const YOUNG_MEGABYTES = 6;

/** Searches a line store in a thread of its own, which is started when it is needed first. */
export class LogSearch implements Disposable {
  readonly #store: LineStore;
  readonly #options: LogSearchOptions;
  readonly #standing = new Map<number, Standing>();
  readonly #subscription: Disposable;
  #running: Running | undefined;
  #lastJob = 0;
  readonly #news = new Throttle(monotonicClock, NEWS_MS, () => {
    this.#sync();
  });
  #isDisposed = false;

  constructor(store: LineStore, options: LogSearchOptions) {
    this.#store = store;
    this.#options = options;
    this.#subscription = store.onDidChange(() => {
      if (this.#standing.size > 0) this.#news.request();
    });
  }

  /** Starts the thread, so that the first search need not wait for it. */
  start(): void {
    if (!this.#isDisposed) this.#running ??= this.#run();
  }

  /**
   * Finds the lines that match, the newest first, and then among those that come, until the signal is aborted.
   *
   * @param filter only lines that pass it are found; its `context` has no meaning here.
   * @param onFailure a failure after the promise was resolved.
   * @returns resolves when all lines that are there have been searched.
   * @throws InputError for what is no regular expression, or one that takes too long; an Error where lines cannot
   * be read; the signal's reason.
   */
  async find(
    query: LineQuery,
    filter: LineFilter | undefined,
    onFound: (found: FindReport) => void,
    signal: AbortSignal,
    onFailure?: OnFailure,
  ): Promise<void> {
    checkQuery(query, this.#options.l10n);
    this.check(filter);
    const work: SearchTask = { kind: 'find', query, ...(filter && { filter }) };
    await this.#stand(work, signal, onFailure, (report) => {
      if (report.kind !== 'found') return false;
      onFound(report);
      return report.isDone;
    });
  }

  /**
   * Tells of every line whether it passes a filter and whether it belongs to the line before, the newest first,
   * and then of those that come, until the signal is aborted. Lines may be told of again.
   *
   * @param options `folds`: whether it is asked which lines belong to others.
   * @param onFailure see {@link find}.
   * @returns resolves when all lines that are there have been told of.
   * @throws see {@link find}.
   */
  async rows(
    options: { readonly filter?: LineFilter | undefined; readonly folds: boolean },
    onMarked: (marked: MarkReport) => void,
    signal: AbortSignal,
    onFailure?: OnFailure,
  ): Promise<void> {
    const { filter, folds } = options;
    this.check(filter);
    await this.#stand(
      { kind: 'mark', folds, ...(filter && { filter }) },
      signal,
      onFailure,
      (report) => {
        if (report.kind !== 'marked') return false;
        onMarked(report);
        return report.isDone;
      },
    );
  }

  /** @throws InputError with a sentence, where a filter holds what is no regular expression. */
  check(filter: LineFilter | undefined): void {
    checkQuery(filter?.include, this.#options.l10n);
    checkQuery(filter?.exclude, this.#options.l10n);
  }

  /** Ends the thread. What is still searched rejects as aborted. */
  dispose(): void {
    this.#isDisposed = true;
    this.#subscription.dispose();
    this.#news.dispose();
    this.#end();
    for (const { fail } of [...this.#standing.values()])
      fail(new DOMException('The search is over', 'AbortError'));
    this.#standing.clear();
  }

  /** @param take is told all reports; says whether it was the last of the first round. */
  #stand(
    work: SearchTask,
    signal: AbortSignal,
    onFailure: OnFailure | undefined,
    take: (report: WorkerReport) => boolean,
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
        this.#tell({ kind: 'stop', job });
        reject(abortReason(signal));
      };
      const fail = (error: Error): void => {
        leave();
        if (isSettled) onFailure?.(error);
        else reject(error);
      };
      const onReport = (report: WorkerReport): void => {
        if (!take(report)) return;
        isSettled = true;
        resolve();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#standing.set(job, { work, onReport, fail });
      this.#begin(job, work);
    });
  }

  #begin(job: number, work: SearchTask): void {
    this.start();
    this.#news.flush();
    this.#tell({ kind: 'start', job, work });
  }

  #sync(): void {
    if (!this.#running) return;
    const change = this.#running.changes.since(this.#store.snapshot());
    this.#tell({ kind: 'sync', ...change });
  }

  #tell(order: WorkerRequest): void {
    this.#running?.worker.postMessage(order);
    if (order.kind !== 'stop') this.#running?.watchdog.start();
  }

  #run(): Running {
    const watchdog = new Watchdog(this.#options.hangTimeoutMs ?? HANG_TIMEOUT_MS, (job) => {
      this.#onHang(job);
    });
    const workerData: WorkerData = { heartbeat: watchdog.heartbeat };
    const worker = new Worker(this.#options.workerFile, {
      workerData,
      // Of the extension host's own nothing is of use here.
      env: {},
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
      name: 'log search',
    });
    const running = { worker, watchdog, changes: new StoreChanges() };
    worker.on('message', (report: WorkerReport) => {
      this.#take(report);
    });
    worker.on('error', (error: Error) => {
      this.#onCrash(running, error);
    });
    // One that ends without an error would leave those who wait for it waiting.
    worker.on('exit', () => {
      this.#onCrash(running, new Error(this.#options.l10n.t('The search ended by itself.')));
    });
    worker.unref();
    return running;
  }

  #take(report: WorkerReport): void {
    const standing = this.#standing.get(report.job);
    if (report.kind === 'failed') standing?.fail(new Error(report.reason));
    else standing?.onReport(report);
  }

  /** The others begin anew with another worker. */
  #onHang(job: number): void {
    this.#end();
    const { l10n } = this.#options;
    this.#standing
      .get(job)
      ?.fail(new InputError(l10n.t('The search was ended: the expression takes too long.')));
    for (const [other, { work }] of [...this.#standing]) this.#begin(other, work);
  }

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

/** What a search needs besides the store. */
export interface LogSearchOptions {
  /** Path of the worker's program, `dist/logSearch.cjs`. */
  readonly workerFile: string;
  readonly l10n: L10n;
  /** Milliseconds without progress after which the worker is ended; default 3000. */
  readonly hangTimeoutMs?: number;
}

/** A search that stands, and whom to tell. */
interface Standing {
  readonly work: SearchTask;
  readonly onReport: (report: WorkerReport) => void;
  readonly fail: (error: Error) => void;
}

/** What is told when a search fails after its first end: nobody waits for it any more. */
type OnFailure = (error: Error) => void;

/** A worker and what goes with it. */
interface Running {
  readonly worker: Worker;
  readonly watchdog: Watchdog;
  readonly changes: StoreChanges;
}
