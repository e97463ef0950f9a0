/**
 * Ends an attempt to read a log where its container began another run since it was looked at: the engine's answer goes
 * on into that run, and nobody would tell where it begins.
 */
export class RestartGuard {
  /** Ends the attempt. */
  readonly signal: AbortSignal;
  readonly #attempt = new AbortController();
  #looking: Promise<unknown> = Promise.resolve();

  /** @param signal ends the attempt, too. */
  constructor(signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#attempt.signal]);
  }

  /**
   * @param look looks at the container once more. What it throws is for others to find out.
   * @returns the check, which throws ContainerRestarted where the run is another one now.
   */
  of(run: Run, look: () => Promise<Run>): () => Promise<void> {
    return async () => {
      const now = await look().catch(() => run);
      if (now.startedAt !== run.startedAt) throw this.#end();
    };
  }

  /**
   * Ends the attempt once the container is heard to have left the run, or cannot be looked at: to read on from where
   * it ended is exact. Podman looks only now and then whether a run is over, and goes on into the next one.
   *
   * @param heard resolves at a change of the container.
   */
  async endWith(run: Run, heard: () => Promise<void>, look: () => Promise<Live>): Promise<void> {
    while (!this.signal.aborted) {
      await heard();
      await (this.#looking = this.#endIfLeft(run, look));
    }
  }

  /** Resolves once it is known whether a change that was heard of was the end of the run. */
  readonly settled = async (): Promise<void> => {
    await this.#looking;
  };

  async #endIfLeft(run: Run, look: () => Promise<Live>): Promise<void> {
    const now = await look().catch(() => undefined);
    if (now?.isRunning !== true || now.startedAt !== run.startedAt) this.#end();
  }

  #end(): ContainerRestarted {
    const error = new ContainerRestarted();
    this.#attempt.abort(error);
    return error;
  }
}

/** The run that is read is over, or the container has begun another one. */
export class ContainerRestarted extends Error {}

interface Run {
  readonly startedAt: string;
}

interface Live extends Run {
  readonly isRunning: boolean;
}
