/** The container has begun another run since it was looked at. */
export class StartedMeanwhile extends Error {}

/**
 * Ends an attempt to read a log where its container began another run since it was looked at: the engine's answer goes
 * on into that run, and nobody would tell where it begins.
 */
export class RunCheck {
  /** Ends the attempt. */
  readonly signal: AbortSignal;
  readonly #attempt = new AbortController();

  /** @param signal ends the attempt, too. */
  constructor(signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#attempt.signal]);
  }

  /**
   * @param look looks at the container once more. What it throws is for others to find out.
   * @returns the check, which throws StartedMeanwhile where the run is another one now.
   */
  of(run: Run, look: () => Promise<Run>): () => Promise<void> {
    return async () => {
      const now = await look().catch(() => run);
      if (now.startedAt === run.startedAt) return;
      const error = new StartedMeanwhile();
      this.#attempt.abort(error);
      throw error;
    };
  }
}

interface Run {
  readonly startedAt: string;
}
