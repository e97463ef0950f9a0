import { EngineError, isLost } from '../../engine/errors.ts';
import type { ChangeLatch } from './changeLatch.ts';
import { RetryDelay } from './retryDelay.ts';
import type { MarkerReporter } from './markerReporter.ts';

/** Longest wait between two tries of a log that the engine refuses, in milliseconds. */
const LONGEST_REFUSED_MS = 60_000;
/** A reading that lasted so long was a success although nothing came, in milliseconds. */
const LONG_READING_MS = 5000;

/** What is said of a log that cannot be read on, and when it is tried again. */
export class Recovery {
  readonly #markers: MarkerReporter;
  readonly #latch: ChangeLatch;
  readonly #retryDelay: RetryDelay;
  /** When the log was opened that is read now; undefined while none is. */
  #openedAt: number | undefined;

  constructor(
    told: MarkerReporter,
    latch: ChangeLatch,
    pause: ConstructorParameters<typeof RetryDelay>[1],
  ) {
    this.#markers = told;
    this.#latch = latch;
    this.#retryDelay = new RetryDelay(latch, pause);
  }

  /** The engine gives the log. */
  opened(): void {
    this.#openedAt = performance.now();
    this.#markers.answered();
  }

  /** Something of it has come. */
  received(): void {
    this.#retryDelay.renew();
    this.#markers.succeeded();
  }

  /** Resolves when it is to be asked for again although nothing failed. */
  wait(signal: AbortSignal): Promise<void> {
    return this.#retryDelay.wait(signal);
  }

  /**
   * Resolves when it is to be tried again after a failure.
   *
   * @param onTold called where the failure counts as one.
   */
  async after(error: unknown, onTold: () => void, signal: AbortSignal): Promise<void> {
    const openedAt = this.#openedAt;
    this.#openedAt = undefined;
    if (openedAt !== undefined && isLost(error)) {
      // A proxy cuts streams that are silent for long: only the next try tells whether the engine is lost.
      if (performance.now() - openedAt > LONG_READING_MS) this.#retryDelay.renew();
      await this.#retryDelay.retry(signal);
      return;
    }
    await this.#markers.failure(error);
    onTold();
    if (isUnreadable(error)) await this.#latch.next(signal);
    else await this.#retryDelay.wait(signal, isLost(error) ? undefined : LONGEST_REFUSED_MS);
  }
}

/** Whether the container's log driver cannot be read, which does not pass. */
function isUnreadable(error: unknown): boolean {
  return error instanceof EngineError && error.status === 501;
}
