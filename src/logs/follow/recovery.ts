import { EngineError, isLost, failedWith, needsUser } from '../../engine/errors.ts';
import { nextPause, type Clock } from '../../base/time.ts';
import type { ChangeLatch } from './changeLatch.ts';
import type { ContainerDetails } from '../../engine/containers/containerDetails.ts';
import type { LogSink, LogMarker } from './logMarker.ts';

// Milliseconds: the first and longest pause between two tries, and the longest for a log that the engine refuses.
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5000;
const LONGEST_REFUSED_MS = 60_000;
/** A reading that lasted this many milliseconds counts as a success even without lines. */
const LONG_READING_MS = 5000;

/** Decides when a log that cannot be read is retried, with growing pauses or at a change, and reports the failure. */
export class Recovery {
  readonly #markers: MarkerReporter;
  readonly #latch: ChangeLatch;
  readonly #pause: Clock['delay'];
  #pauseMs = FIRST_PAUSE_MS;
  /** Whether a reading has succeeded since the last retry without a pause. */
  #isRenewed = true;
  /** When the current reading was opened; undefined if there is none. */
  #openedAt: number | undefined;
  /** When the connection was lost, RFC 3339: it is reported later, maybe after the container was started again. */
  #lostAt: string | undefined;

  /** @param pause waits for this many milliseconds; rejects with the abort reason. */
  constructor(markers: MarkerReporter, latch: ChangeLatch, pause: Clock['delay']) {
    this.#markers = markers;
    this.#latch = latch;
    this.#pause = pause;
  }

  /** Records that the engine returns the log. */
  opened(): void {
    this.#openedAt = performance.now();
    this.#lostAt = undefined;
    this.#markers.answered();
  }

  /** Records that lines were received. */
  received(): void {
    this.#renew();
    this.#markers.succeeded();
  }

  /**
   * Resolves when the log should be read again after a failure.
   *
   * @param onReported called if the failure is reported.
   */
  async after(error: unknown, onReported: () => void, signal: AbortSignal): Promise<void> {
    const openedAt = this.#openedAt;
    this.#openedAt = undefined;
    if (isLost(error)) this.#lostAt ??= new Date().toISOString();
    if (openedAt !== undefined && isLost(error)) {
      // A proxy cuts streams that are silent for long. Only the next try shows whether the engine is lost.
      if (performance.now() - openedAt > LONG_READING_MS) this.#renew();
      if (!this.#isRenewed) await this.wait(signal);
      this.#isRenewed = false;
      return;
    }
    await this.#markers.failure(error, isLost(error) ? this.#lostAt : undefined);
    onReported();
    if (isPermanent(error)) await this.#latch.next(signal);
    else await this.wait(signal, isLost(error) ? undefined : LONGEST_REFUSED_MS);
  }

  /**
   * Resolves after the pause or at a change of the container; rejects with the abort reason.
   *
   * @param longest the limit of the growing pause, in milliseconds.
   */
  async wait(signal: AbortSignal, longest = LONGEST_PAUSE_MS): Promise<void> {
    const early = new AbortController();
    const either = AbortSignal.any([early.signal, signal]);
    const pauseMs = Math.min(this.#pauseMs, longest);
    const waits = [this.#pause(pauseMs, either), this.#latch.next(either)];
    this.#pauseMs = nextPause(pauseMs, FIRST_PAUSE_MS, longest);
    try {
      await Promise.race(waits);
    } finally {
      early.abort();
      await Promise.allSettled(waits);
    }
  }

  #renew(): void {
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#isRenewed = true;
  }
}

/** Whether retries are pointless: the log driver does not support reading, or only the user can fix the failure. */
function isPermanent(error: unknown): boolean {
  return error instanceof EngineError && (error.status === 501 || needsUser(error));
}

/** The failures with a marker kind of their own. */
const OWN_MARKERS = ['disconnected', 'engineRemoved', 'sshFull'] as const;

/** Writes the markers for how the container exited and why its log cannot be read; each once. */
export class MarkerReporter {
  readonly #sink: LogSink;
  /** Identify the last reported exit and the last reported failure. */
  #exit = '';
  #failure = '';
  #isLost = false;

  constructor(sink: LogSink) {
    this.#sink = sink;
  }

  /** Does nothing if the container was never started. */
  async exit({ wasStarted, startedAt, finishedAt, exitCode }: ContainerDetails): Promise<void> {
    const exit = `${startedAt} ${finishedAt}`;
    if (!wasStarted || exit === this.#exit) return;
    this.#exit = exit;
    await this.#sink.marker({ kind: 'exited', exitCode }, finishedAt);
  }

  /**
   * Reports a failure once, until a reading succeeds or another failure occurs.
   *
   * @param at when it happened, RFC 3339, if that was earlier.
   */
  async failure(error: unknown, at?: string): Promise<void> {
    const marker = markerOf(error);
    const failure = JSON.stringify(marker);
    if (failure === this.#failure) return;
    this.#failure = failure;
    this.#isLost = marker.kind === 'lost';
    await (at === undefined ? this.#sink.marker(marker) : this.#sink.marker(marker, at));
  }

  /** Records that the engine responded, so that the next lost connection is reported again. */
  answered(): void {
    if (this.#isLost) this.#failure = '';
  }

  /** Records that a reading succeeded. */
  succeeded(): void {
    this.#failure = '';
  }
}

function markerOf(error: unknown): LogMarker {
  const own = OWN_MARKERS.find((kind) => failedWith(error, kind));
  if (own) return { kind: own };
  return isLost(error) ? { kind: 'lost' } : { kind: 'failed', words: engineMessageOf(error) };
}

function engineMessageOf(error: unknown): string | undefined {
  if (error instanceof EngineError) return error.engineMessage;
  return error instanceof Error ? error.message : undefined;
}
