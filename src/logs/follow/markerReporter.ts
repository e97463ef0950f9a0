import type { ContainerDetails } from '../../engine/containers/containerDetails.ts';
import { EngineError, failedWith, isLost } from '../../engine/errors.ts';
import type { LogSink } from './logSink.ts';
import type { LogMarker } from './logMarker.ts';

/** The failures that have a sentence of their own in a log. */
const OWN_MARKERS = ['disconnected', 'engineRemoved', 'sshFull'] as const;

/** Says in a log how the container ended, and why the log cannot be read on; each once. */
export class MarkerReporter {
  readonly #sink: LogSink;
  /** Identifies the last exit that was told, and the last failure. */
  #exit = '';
  #failure = '';
  #isLost = false;

  constructor(sink: LogSink) {
    this.#sink = sink;
  }

  /** Nothing where the container was never started. */
  async exit({ wasStarted, startedAt, finishedAt, exitCode }: ContainerDetails): Promise<void> {
    const exit = `${startedAt} ${finishedAt}`;
    if (!wasStarted || exit === this.#exit) return;
    this.#exit = exit;
    await this.#sink.marker({ kind: 'exited', exitCode }, finishedAt);
  }

  /** Says a failure once until a reading succeeds or another failure happens. */
  async failure(error: unknown): Promise<void> {
    const marker = markerOf(error);
    const failure = JSON.stringify(marker);
    if (failure === this.#failure) return;
    this.#failure = failure;
    this.#isLost = marker.kind === 'lost';
    await this.#sink.marker(marker);
  }

  /** The engine is there: what it refuses may still fail again. */
  answered(): void {
    if (this.#isLost) this.#failure = '';
  }

  /** A reading has succeeded. */
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
