import type { PullResult } from '../engine/images/pullImage.ts';
import type { PushResult } from '../engine/images/pushImage.ts';
import { Throttle, type Clock } from '../time.ts';
import { DisposableStore, Emitter, type Disposable, type Event } from '../lifetime.ts';
import { Transfer, type TransferEnd, type TransferResult, type TransferSpec } from './transfer.ts';

/** Ten times a second is as fast as anybody reads; a bit less is never more, whichever second one looks at. */
const PAINT_MS = 120;
/** So long one that is done stays, for whoever shows it until the image itself is seen. */
const LINGER_MS = 5000;

/** The pulls and pushes of this window, on all engines: those that run, failed and are not dismissed, or just ended. */
export class Transfers implements Disposable {
  readonly #clock: Clock;
  readonly #store = new DisposableStore();
  readonly #changes = this.#store.add(new Emitter<ReadonlySet<Transfer>>());
  readonly #news = this.#store.add(
    new Emitter<{ readonly transfer: Transfer; readonly news: TransferNews }>(),
  );
  readonly #painter: Throttle;
  readonly #pulls = new Map<number, Transfer<PullResult>>();
  readonly #pushes = new Map<number, Transfer<PushResult>>();
  readonly #closing = new AbortController();
  #changed = new Set<Transfer>();
  #count = 0;

  /** Fires which came, went or look different: at most ten times a second, whatever an engine sends. */
  readonly onDidChange: Event<ReadonlySet<Transfer>> = this.#changes.event;

  /** Fires each thing that is worth keeping, as it happens. */
  readonly onDidReport = this.#news.event;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#painter = this.#store.add(
      new Throttle(clock, PAINT_MS, () => {
        const changed = this.#changed;
        this.#changed = new Set();
        this.#changes.fire(changed);
      }),
    );
  }

  /** Those that are to be seen, the oldest first. */
  get all(): readonly Transfer[] {
    return [...this.#pulls.values(), ...this.#pushes.values()].sort((a, b) => a.id - b.id);
  }

  /** A pull of this image: the one that runs already, the one that failed begun anew, or a new one. */
  pull(spec: TransferSpec<PullResult>): Transfer<PullResult> {
    return this.#open(this.#pulls, spec);
  }

  /** A push of this image, in the same way. */
  push(spec: TransferSpec<PushResult>): Transfer<PushResult> {
    return this.#open(this.#pushes, spec);
  }

  /** Begins one that failed anew, as it was. @param isInteractive whether somebody is there to be asked. */
  retry(transfer: Transfer, isInteractive: boolean): void {
    if (transfer.phase !== 'failed') return;
    transfer.retry(isInteractive);
    this.#news.fire({ transfer, news: { kind: 'begun' } });
  }

  /** Takes one that does not run out of sight. */
  dismiss(transfer: Transfer): void {
    if (transfer.phase === 'running') return;
    this.#pulls.delete(transfer.id);
    this.#pushes.delete(transfer.id);
    this.#change(transfer);
  }

  /** The engine is gone: so are its transfers. */
  drop(engine: string): void {
    for (const transfer of this.all.filter((one) => one.spec.engine === engine)) {
      transfer.cancel();
      this.dismiss(transfer);
    }
  }

  dispose(): void {
    for (const transfer of this.all) transfer.cancel();
    this.#closing.abort();
    this.#painter.finish();
    this.#store.dispose();
  }

  #open<Result extends TransferResult>(
    all: Map<number, Transfer<Result>>,
    spec: TransferSpec<Result>,
  ): Transfer<Result> {
    const known = [...all.values()].find((one) => canJoin(one, spec));
    if (spec.keepsFailure) known?.keepFailure(spec);
    if (known?.phase === 'running') return known;
    if (known?.phase !== 'failed') return this.#begin(all, spec);
    // A script's wish is no reason to forget how the person wanted it.
    known.retry(spec.keepsFailure, spec.keepsFailure ? spec : undefined);
    this.#news.fire({ transfer: known, news: { kind: 'begun' } });
    return known;
  }

  #begin<Result extends TransferResult>(
    all: Map<number, Transfer<Result>>,
    spec: TransferSpec<Result>,
  ): Transfer<Result> {
    const id = ++this.#count;
    const tell = (news: TransferNews): void => {
      this.#news.fire({ transfer, news });
    };
    const transfer = new Transfer<Result>(id, spec, {
      now: () => this.#clock.now(),
      onDidChange: () => {
        this.#change(transfer);
      },
      onLine: (line) => {
        tell({ kind: 'line', line });
      },
      onDidEnd: (end) => {
        tell({ kind: 'ended', end });
        this.#settle(transfer, end.phase);
      },
    });
    all.set(id, transfer);
    tell({ kind: 'begun' });
    this.#change(transfer);
    return transfer;
  }

  /** What a person wants to see of it stays. */
  #settle(transfer: Transfer, phase: 'done' | 'failed' | 'cancelled'): void {
    if (phase === 'failed' && transfer.keepsFailure) return;
    if (phase !== 'done') {
      this.dismiss(transfer);
      return;
    }
    this.#dismissFailed(transfer);
    // The clock rejects only when aborted, and then there is nothing to do.
    void this.#clock.delay(LINGER_MS, this.#closing.signal).then(
      () => {
        this.dismiss(transfer);
      },
      () => undefined,
    );
  }

  /** A failure that is made good, in whatever way it was asked for, is no news any more. */
  #dismissFailed({ spec }: Transfer): void {
    const { kind, engine, fullName } = spec;
    for (const one of this.all) {
      const isSame =
        one.spec.kind === kind && one.spec.engine === engine && one.spec.fullName === fullName;
      if (isSame && one.phase === 'failed') this.dismiss(one);
    }
  }

  #change(transfer: Transfer): void {
    this.#changed.add(transfer);
    this.#painter.request();
  }
}

/** Something for the history of a transfer. */
export type TransferNews =
  | { readonly kind: 'begun' }
  | { readonly kind: 'line'; readonly line: string }
  | { readonly kind: 'ended'; readonly end: TransferEnd<TransferResult> };

/** One that has ended well or was cancelled is only still to be seen, and would hide one that runs. */
function canJoin<Result extends TransferResult>(
  transfer: Transfer<Result>,
  wanted: TransferSpec<Result>,
): boolean {
  const { spec } = transfer;
  const isSame =
    spec.engine === wanted.engine &&
    spec.fullName === wanted.fullName &&
    spec.platform === wanted.platform;
  const isPrivate = spec.isPrivate === true || wanted.isPrivate === true;
  return isSame && !isPrivate && (transfer.phase === 'running' || transfer.phase === 'failed');
}
