import type { PullResult } from '../../engine/images/pullImage.ts';
import type { PushResult } from '../../engine/images/pushImage.ts';
import { PacedChanges, type Clock } from '../../base/time.ts';
import { DisposableStore, Emitter, type Disposable, type Event } from '../../base/lifetime.ts';
import { Transfer, type TransferNews, type TransferResult, type TransferSpec } from './transfer.ts';

/** Time that a finished transfer stays visible, in milliseconds, until the image itself appears. */
const LINGER_MS = 5000;

/** The pulls and pushes of this window on all engines: running, failed and not dismissed, or just finished. */
export class Transfers implements Disposable {
  readonly #clock: Clock;
  readonly #store = new DisposableStore();
  readonly #changes: PacedChanges<Transfer>;
  readonly #news = this.#store.add(
    new Emitter<{ readonly transfer: Transfer; readonly news: TransferNews }>(),
  );
  readonly #pulls = new Map<number, Transfer<PullResult>>();
  readonly #pushes = new Map<number, Transfer<PushResult>>();
  readonly #closing = new AbortController();
  #count = 0;

  /** Fires for each history entry, without delay. */
  readonly onDidReport = this.#news.event;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#changes = this.#store.add(new PacedChanges(clock));
  }

  /** Fires with the transfers that were added, removed, or changed: at most ten times per second. */
  get onDidChange(): Event<ReadonlySet<Transfer>> {
    return this.#changes.onDidChange;
  }

  /** The visible transfers, oldest first. */
  get all(): readonly Transfer[] {
    return [...this.#pulls.values(), ...this.#pushes.values()].sort((a, b) => a.id - b.id);
  }

  /** Pulls an image: joins the running pull of it, retries a failed one, or starts a new one. */
  pull(spec: TransferSpec<PullResult>): Transfer<PullResult> {
    return this.#open(this.#pulls, spec);
  }

  /**
   * Pushes an image: joins the running push of the same image under the name, retries a failed one, or starts a new
   * one.
   */
  push(spec: TransferSpec<PushResult>): Transfer<PushResult> {
    return this.#open(this.#pushes, spec);
  }

  /** Removes a transfer that is not running. */
  dismiss(transfer: Transfer): void {
    if (transfer.phase === 'running') return;
    this.#pulls.delete(transfer.id);
    this.#pushes.delete(transfer.id);
    this.#changes.add(transfer);
  }

  /** Cancels and removes all transfers of a removed engine. */
  drop(engine: string): void {
    for (const transfer of this.all.filter((one) => one.spec.engine === engine)) {
      transfer.cancel();
      this.dismiss(transfer);
    }
  }

  dispose(): void {
    for (const transfer of this.all) transfer.cancel();
    this.#closing.abort();
    this.#store.dispose();
  }

  #open<Result extends TransferResult>(
    all: Map<number, Transfer<Result>>,
    spec: TransferSpec<Result>,
  ): Transfer<Result> {
    const known = [...all.values()].find((one) => canJoin(one, spec));
    if (known) {
      // A script joining the transfer must not discard the spec of the user.
      if (spec.keepsFailure) known.keepFailure(spec);
      known.retry(spec.keepsFailure);
      return known;
    }
    const id = ++this.#count;
    const onNews = (news: TransferNews): void => {
      this.#news.fire({ transfer, news });
      if (news.kind === 'ended') this.#settle(transfer, news.end.phase);
    };
    const transfer = new Transfer<Result>(id, spec, {
      now: () => this.#clock.now(),
      onDidChange: () => this.#changes.add(transfer),
      onNews,
    });
    all.set(id, transfer);
    onNews({ kind: 'begun' });
    this.#changes.add(transfer);
    return transfer;
  }

  /** Removes an ended transfer, except for a failure that the user should see. */
  #settle(transfer: Transfer, phase: 'done' | 'failed' | 'cancelled'): void {
    if (phase === 'failed' && transfer.spec.keepsFailure) return;
    if (phase !== 'done') {
      this.dismiss(transfer);
      return;
    }
    this.#dismissFailed(transfer);
    // `delay` rejects only when aborted, on dispose.
    void this.#clock.delay(LINGER_MS, this.#closing.signal).then(
      () => this.dismiss(transfer),
      () => undefined,
    );
  }

  /** Removes earlier failures of the same image after a success, however it was started. */
  #dismissFailed({ spec }: Transfer): void {
    for (const one of this.all) {
      const isSame = one.spec.kind === spec.kind && isSameImage(one.spec, spec);
      if (isSame && one.phase === 'failed') this.dismiss(one);
    }
  }
}

/**
 * Returns whether a transfer can be joined. A finished or canceled one is only shown and must not be joined
 * in place of a running one.
 */
function canJoin<Result extends TransferResult>(
  transfer: Transfer<Result>,
  wanted: TransferSpec<Result>,
): boolean {
  const { spec } = transfer;
  const isSame =
    isSameImage(spec, wanted) && spec.platform === wanted.platform && spec.image === wanted.image;
  const isPrivate = spec.isPrivate === true || wanted.isPrivate === true;
  return isSame && !isPrivate && (transfer.phase === 'running' || transfer.phase === 'failed');
}

function isSameImage(one: Transfer['spec'], other: Transfer['spec']): boolean {
  return one.engine === other.engine && one.fullName === other.fullName;
}
