import { isCancellation } from '../lifetime.ts';
import type { PullStep } from '../engine/model.ts';
import { withSignal } from '../engine/http/withTimeLimit.ts';
import { LayerProgress, type LayerState, type TransferState } from './layerProgress.ts';

/** One pull or push under way. Any number of callers wait for it; it ends early once none of them does. */
export class Transfer<Result extends TransferResult = TransferResult> {
  /** Of this window. */
  readonly id: number;
  readonly #events: TransferEvents<Result>;
  #spec: TransferSpec<Result>;
  #run: Run<Result>;
  #keepsFailure: boolean;

  constructor(id: number, spec: TransferSpec<Result>, events: TransferEvents<Result>) {
    this.id = id;
    this.#events = events;
    this.#spec = spec;
    this.#keepsFailure = spec.keepsFailure;
    this.#run = this.#begin(spec.keepsFailure);
  }

  get spec(): Omit<TransferSpec<Result>, 'work'> {
    return this.#spec;
  }

  get phase(): TransferPhase {
    return this.#run.end?.phase ?? 'running';
  }

  /** How it ended; undefined while it runs. */
  get end(): TransferEnd<Result> | undefined {
    return this.#run.end;
  }

  get state(): TransferState {
    return this.#run.progress.state;
  }

  get layers(): readonly LayerState[] {
    return this.#run.progress.layers;
  }

  /** Bytes a second; undefined where nothing can be said of it, as when it has ended. */
  get rate(): number | undefined {
    if (this.#run.end) return undefined;
    return this.#run.meter.rate(this.#events.now(), this.state.bytesDone);
  }

  /** Whether it stays in sight when it fails. */
  get keepsFailure(): boolean {
    return this.#keepsFailure;
  }

  /** Somebody looks on who wants to see it where it fails, and to try it again as they would have begun it. */
  keepFailure(spec: TransferSpec<Result>): void {
    this.#keepsFailure = true;
    this.#spec = spec;
  }

  /**
   * Waits for it. A caller that cancels stops waiting; the last one to do so ends it. Rejects as the work does, and
   * with a cancellation when it is cancelled.
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

  /** Ends it for all who wait. Does nothing where it has ended. */
  cancel(): void {
    this.#cancel(this.#run);
  }

  /**
   * Begins anew after a failure.
   *
   * @param isInteractive whether somebody is there to be asked, whoever began it.
   * @param spec takes the place of what it was begun with.
   */
  retry(isInteractive: boolean, spec?: TransferSpec<Result>): void {
    if (this.phase !== 'failed') return;
    if (spec) this.#spec = spec;
    this.#run = this.#begin(isInteractive);
    this.#events.onDidChange();
  }

  #cancel(run: Run<Result>): void {
    if (run.end) return;
    this.#finish(run, { phase: 'cancelled' });
    run.controller.abort(new DOMException('This operation was cancelled', 'AbortError'));
  }

  #begin(isInteractive: boolean): Run<Result> {
    const run = new Run<Result>();
    // Not before this object is whole: the work may tell something at once.
    run.work = Promise.resolve().then(() =>
      this.#spec.work(
        (step) => {
          this.#take(run, step);
        },
        run.controller.signal,
        isInteractive,
      ),
    );
    run.work = run.work.then(
      (result) => {
        this.#finish(run, { phase: 'done', result });
        return result;
      },
      (error: unknown) => {
        this.#finish(
          run,
          isCancellation(error) ? { phase: 'cancelled' } : { phase: 'failed', error },
        );
        throw error;
      },
    );
    // Where nobody waits any more, nobody is to be told.
    run.work.catch(() => undefined);
    return run;
  }

  #take(run: Run<Result>, step: PullStep): void {
    if (run.end) return;
    const line = run.progress.add(step);
    run.meter.note(this.#events.now(), () => run.progress.bytesDone);
    if (line !== undefined) this.#events.onLine(line);
    this.#events.onDidChange();
  }

  #finish(run: Run<Result>, end: TransferEnd<Result>): void {
    if (run.end) return;
    run.end = end;
    this.#events.onDidEnd(end);
    this.#events.onDidChange();
  }
}

/** What is known at the end. */
export interface TransferResult {
  /** Of a pull. */
  readonly imageId?: string;
  /** Of the manifest in the registry. */
  readonly digest?: string;
}

/** What is transferred, and how. */
export interface TransferSpec<Result> {
  readonly kind: 'pull' | 'push';
  /** The id of the engine. */
  readonly engine: string;
  /** The image as the person calls it, with its tag or digest. */
  readonly reference: string;
  /** The same with nothing left out: by it one finds another. */
  readonly fullName: string;
  /** The reference with what tells it from those of other engines. */
  readonly title: string;
  readonly platform?: string | undefined;
  /** Whether nobody else may join it: it brings credentials of its own. */
  readonly isPrivate?: boolean;
  /** Whether it stays in sight when it failed, until it is dismissed. */
  readonly keepsFailure: boolean;
  /** Does it; ends with `signal`. `isInteractive`: whether this time somebody is there to be asked. */
  readonly work: (
    onStep: (step: PullStep) => void,
    signal: AbortSignal,
    isInteractive: boolean,
  ) => Promise<Result>;
}

export type TransferPhase = 'running' | 'done' | 'failed' | 'cancelled';

/** What a transfer tells the one who keeps it. */
export interface TransferEvents<Result> {
  readonly now: () => number;
  /** It looks different. */
  readonly onDidChange: () => void;
  /** A line worth keeping. */
  readonly onLine: (line: string) => void;
  onDidEnd(end: TransferEnd<Result>): void;
}

/** How it ended. */
export type TransferEnd<Result> =
  | { readonly phase: 'done'; readonly result: Result }
  | { readonly phase: 'failed'; readonly error: unknown }
  | { readonly phase: 'cancelled' };

/** One try. */
class Run<Result> {
  readonly progress = new LayerProgress();
  readonly meter = new RateMeter();
  readonly controller = new AbortController();
  work = new Promise<Result>(() => undefined);
  end: TransferEnd<Result> | undefined;
  /** How many callers wait for it. */
  waiting = 0;
}

/** How long back it looks, and how much of that it needs before it says anything, in milliseconds. */
const [WINDOW, ENOUGH] = [5000, 1000];
/** So far apart are the moments it keeps, in milliseconds. */
const SPACING = 250;

/** Bytes a second, over the last few seconds. */
class RateMeter {
  readonly #samples: { readonly at: number; readonly bytes: number }[] = [];

  /** So many bytes are done at this moment (milliseconds). Counted only where it is to be kept. */
  note(at: number, count: () => number): void {
    const last = this.#samples.at(-1);
    if (last && at - last.at < SPACING) return;
    this.#samples.push({ at, bytes: count() });
    while (this.#samples.length > 1 && at - (this.#samples[0]?.at ?? at) > WINDOW) {
      this.#samples.shift();
    }
  }

  /** Undefined until it has seen enough. */
  rate(at: number, bytes: number): number | undefined {
    const [first] = this.#samples;
    const elapsed = first ? at - first.at : 0;
    return !first || elapsed < ENOUGH ? undefined : ((bytes - first.bytes) / elapsed) * 1000;
  }
}
