import { isCancellation } from '../../base/lifetime.ts';
import type { PullStep } from '../../engine/model.ts';
import { withSignal } from '../../engine/http/withTimeLimit.ts';
import { LayerProgress, type LayerState, type TransferState } from './layerProgress.ts';

/** A running pull or push. Any number of callers can wait for it; it is canceled when the last one stops waiting. */
export class Transfer<Result extends TransferResult = TransferResult> {
  /** Unique in this window. */
  readonly id: number;
  readonly #events: TransferEvents;
  #spec: TransferSpec<Result>;
  #run: Run<Result>;

  constructor(id: number, spec: TransferSpec<Result>, events: TransferEvents) {
    this.id = id;
    this.#events = events;
    this.#spec = spec;
    this.#run = this.#begin(spec.keepsFailure);
  }

  get spec(): Omit<TransferSpec<Result>, 'work'> {
    return this.#spec;
  }

  get phase(): TransferPhase {
    return this.#run.end?.phase ?? 'running';
  }

  /** The outcome, or undefined while it is running. */
  get end(): TransferEnd<Result> | undefined {
    return this.#run.end;
  }

  /** Resolves when it does not run any more. Does not keep it running. */
  get settled(): Promise<void> {
    return this.#run.work.then(noop, noop);
  }

  get state(): TransferState {
    return this.#run.progress.state;
  }

  get layers(): readonly LayerState[] {
    return this.#run.progress.layers;
  }

  /** Bytes per second, or undefined if unknown or after the end. */
  get rate(): number | undefined {
    if (this.#run.end) return undefined;
    return this.#run.meter.rate(this.#events.now(), this.state.bytesDone);
  }

  /** Replaces the spec, so that a failure stays visible and a retry runs as the new caller would have started it. */
  keepFailure(spec: TransferSpec<Result>): void {
    this.#spec = spec;
  }

  /**
   * Waits for the result. A caller that cancels stops waiting; the last one to do so cancels the transfer.
   * Rejects with the error of the work, or with a cancellation error if the transfer is canceled.
   */
  async join(signal?: AbortSignal): Promise<Result> {
    const run = this.#run;
    const { signal: own } = run.controller;
    run.waiting += 1;
    try {
      return await withSignal(run.work, signal ? AbortSignal.any([signal, own]) : own);
    } finally {
      run.waiting -= 1;
      if (run.waiting === 0) this.#cancel(run);
    }
  }

  /** Cancels the transfer for all callers. Does nothing after its end. */
  cancel(): void {
    this.#cancel(this.#run);
  }

  /**
   * Starts again after a failure.
   *
   * @param isInteractive whether the user can be prompted, regardless of who started it first.
   */
  retry(isInteractive: boolean): void {
    if (this.phase !== 'failed') return;
    this.#run = this.#begin(isInteractive);
    this.#events.onDidChange();
    this.#events.onNews({ kind: 'begun' });
  }

  #cancel(run: Run<Result>): void {
    if (run.end) return;
    this.#finish(run, { phase: 'cancelled' });
    run.controller.abort(new DOMException('This operation was canceled', 'AbortError'));
  }

  #begin(isInteractive: boolean): Run<Result> {
    const run = new Run<Result>();
    // Start asynchronously, when this object is complete: the work may report a step synchronously.
    const onStep = (step: PullStep): void => this.#apply(run, step);
    const work = Promise.resolve().then(() =>
      this.#spec.work(onStep, run.controller.signal, isInteractive),
    );
    run.work = work.then(
      (result) => {
        this.#finish(run, { phase: 'done', result });
        return result;
      },
      (error: unknown) => {
        const isCancelled = isCancellation(error);
        this.#finish(run, isCancelled ? { phase: 'cancelled' } : { phase: 'failed', error });
        throw error;
      },
    );
    // Prevents an unhandled rejection if there are no waiters any more.
    run.work.catch(() => undefined);
    return run;
  }

  #apply(run: Run<Result>, step: PullStep): void {
    if (run.end) return;
    const line = run.progress.add(step);
    run.meter.record(this.#events.now(), () => run.progress.state.bytesDone);
    if (line !== undefined) this.#events.onNews({ kind: 'line', line });
    this.#events.onDidChange();
  }

  #finish(run: Run<Result>, end: TransferEnd<Result>): void {
    if (run.end) return;
    run.end = end;
    this.#events.onNews({ kind: 'ended', end });
    this.#events.onDidChange();
  }
}

export interface TransferResult {
  /** Set for a pull. */
  readonly imageId?: string;
  /** The digest of the manifest in the registry. */
  readonly digest?: string;
}

/** Describes a transfer and its work. */
export interface TransferSpec<Result> {
  readonly kind: 'pull' | 'push';
  readonly engine: string;
  /** The image reference as the user wrote it, with its tag or digest. */
  readonly reference: string;
  /** The fully qualified reference, to find transfers of the same image. */
  readonly fullName: string;
  /** The reference, with the name of the engine if there are several. */
  readonly title: string;
  readonly platform?: string;
  /** Of a push, the ID of the image that has the name. Only a push of the same image is joined. */
  readonly image?: string | undefined;
  /** Whether other callers must not join it, because it uses credentials of its own. */
  readonly isPrivate?: boolean;
  /** Whether it stays visible after a failure, until it is dismissed. */
  readonly keepsFailure: boolean;
  /** Runs the transfer; aborted by `signal`. `isInteractive`: whether the user can be prompted in this attempt. */
  readonly work: (
    onStep: (step: PullStep) => void,
    signal: AbortSignal,
    isInteractive: boolean,
  ) => Promise<Result>;
}

export type TransferPhase = 'running' | 'done' | 'failed' | 'cancelled';

/** Callbacks of a transfer to its owner. */
interface TransferEvents {
  readonly now: () => number;
  /** The visible state changed. */
  readonly onDidChange: () => void;
  readonly onNews: (news: TransferNews) => void;
}

/** An entry for the history of a transfer. */
export type TransferNews =
  | { readonly kind: 'begun' }
  | { readonly kind: 'line'; readonly line: string }
  | { readonly kind: 'ended'; readonly end: TransferEnd<TransferResult> };

type TransferEnd<Result> =
  | { readonly phase: 'done'; readonly result: Result }
  | { readonly phase: 'failed'; readonly error: unknown }
  | { readonly phase: 'cancelled' };

function noop(): void {
  // Only the time matters.
}

/** One attempt. */
class Run<Result> {
  readonly progress = new LayerProgress();
  readonly meter = new RateMeter();
  readonly controller = new AbortController();
  work = new Promise<Result>(() => undefined);
  end: TransferEnd<Result> | undefined;
  /** The number of waiting callers. */
  waiting = 0;
}

/** The time window of the rate, in milliseconds. */
const WINDOW = 5000;
/** The minimum time covered before a rate is shown, in milliseconds. */
const ENOUGH = 1000;
/** The minimum time between samples, in milliseconds. */
const SPACING = 250;

/** Measures bytes per second over the last few seconds. */
class RateMeter {
  readonly #samples: { readonly at: number; readonly bytes: number }[] = [];

  /** Records the bytes done at a time in milliseconds. Calls `count` only if the sample is kept. */
  record(at: number, count: () => number): void {
    const last = this.#samples.at(-1);
    if (last && at - last.at < SPACING) return;
    this.#samples.push({ at, bytes: count() });
    while (this.#samples.length > 1 && at - (this.#samples[0]?.at ?? at) > WINDOW)
      this.#samples.shift();
  }

  /** Returns bytes per second, or undefined if there are too few samples. */
  rate(at: number, bytes: number): number | undefined {
    const [first] = this.#samples;
    const elapsed = first ? at - first.at : 0;
    return !first || elapsed < ENOUGH ? undefined : ((bytes - first.bytes) / elapsed) * 1000;
  }
}
