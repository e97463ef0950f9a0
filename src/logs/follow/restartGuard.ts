import type { ContainerDetails } from '../../engine/containers/containerDetails.ts';

/**
 * Aborts a reading if its container was restarted since it was inspected, because the engine's stream would
 * continue into the new run without a sign of where that begins.
 */
export class RestartGuard {
  /** Aborts the reading. */
  readonly signal: AbortSignal;
  readonly #attempt = new AbortController();
  #looking: Promise<unknown> = Promise.resolve();

  /** @param signal aborts the reading too. */
  constructor(signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#attempt.signal]);
  }

  /**
   * Returns a check that aborts the reading if the container is in another run now.
   *
   * @param look inspects the container again. Its errors are ignored, because other requests will report them.
   * @returns a function that throws ContainerRestarted in that case.
   */
  of(run: Run, look: () => Promise<Run>): () => Promise<void> {
    return async () => {
      const now = await look().catch(() => run);
      if (now.startedAt !== run.startedAt) throw this.#end();
    };
  }

  /**
   * Aborts the reading when the container has left the run or cannot be inspected. Resuming from where it ended is
   * exact. Podman checks only from time to time whether a run is over, and its stream continues into the next run.
   *
   * @param changed resolves at a change of the container.
   */
  async endWith(run: Run, changed: () => Promise<void>, look: () => Promise<Live>): Promise<void> {
    while (!this.signal.aborted) {
      await changed();
      await (this.#looking = this.#endIfLeft(run, look));
    }
  }

  /** Resolves once it is known whether a reported change was the end of the run. */
  readonly settled = async (): Promise<void> => {
    await this.#looking;
  };

  async #endIfLeft(run: Run, look: () => Promise<Live>): Promise<void> {
    const now = await look().catch(() => undefined);
    if (now?.isRunning !== true || now.startedAt !== run.startedAt) this.#end();
  }

  /** Aborts the reading, so that it is resumed. */
  leave(): void {
    this.#end();
  }

  #end(): ContainerRestarted {
    const error = new ContainerRestarted();
    this.#attempt.abort(error);
    return error;
  }
}

/** The run being read is over, the container was restarted, or its log is to be read again. */
export class ContainerRestarted extends Error {}

type Run = Pick<ContainerDetails, 'startedAt'>;
type Live = Pick<ContainerDetails, 'startedAt' | 'isRunning'>;

/**
 * Returns a time between the end of the last run and the start of this one, because an engine records either
 * a little late, when the last lines of the old run or the first lines of the new one are already written.
 */
export function betweenRuns({ finishedAt, startedAt }: ContainerDetails): string {
  const end = Date.parse(finishedAt);
  const start = Date.parse(startedAt);
  return end < start ? new Date((end + start) / 2).toISOString() : startedAt;
}
