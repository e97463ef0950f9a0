import type { ContainerDetails } from '../engine/containerDetails.ts';
import { EngineError, failedWith, isConnectionFailure } from '../engine/errors.ts';
import type { LogSink } from './logSink.ts';
import type { Remark } from './remark.ts';

/** Says in a log how the container ended, and why the log cannot be read on; each once. */
export class Told {
  readonly #sink: LogSink;
  /** Identifies the last exit that was told, and the last failure. */
  #exit = '';
  #failure = '';

  constructor(sink: LogSink) {
    this.#sink = sink;
  }

  /** Nothing where the container was never started. */
  async exit({ wasStarted, startedAt, finishedAt, exitCode }: ContainerDetails): Promise<void> {
    const exit = `${startedAt} ${finishedAt}`;
    if (!wasStarted || exit === this.#exit) return;
    this.#exit = exit;
    await this.#sink.remark({ kind: 'exited', exitCode }, finishedAt);
  }

  /** Says a failure until a reading succeeds or another one happens. */
  async failure(error: unknown): Promise<void> {
    const remark: Remark = isLost(error)
      ? { kind: 'lost' }
      : { kind: 'failed', words: wordsOf(error) };
    const failure = JSON.stringify(remark);
    if (failure === this.#failure) return;
    this.#failure = failure;
    await this.#sink.remark(remark);
  }

  /** A reading has succeeded. */
  succeeded(): void {
    this.#failure = '';
  }
}

/** Whether the engine cannot be reached now, which takes nothing from a log. */
export function isLost(error: unknown): boolean {
  return isConnectionFailure(error) || failedWith(error, 'cut', 'timeout');
}

function wordsOf(error: unknown): string | undefined {
  if (error instanceof EngineError) return error.engineMessage;
  return error instanceof Error ? error.message : undefined;
}
