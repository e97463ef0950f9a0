import type { ContainerDetails } from './containerDetails.ts';

type Run = Pick<ContainerDetails, 'isRunning' | 'startedAt' | 'finishedAt'>;

/**
 * So much earlier than its start an end may be noted: the start once the engine is done with it, when a short run is
 * already over. Both engines do, by some milliseconds, and by more where they are busy.
 */
const NOTED_LATE_MS = 5000;

/**
 * Whether a container's details tell of the end of its last run, or still of the one before. Podman says that nothing
 * runs a little before it knows how the run ended, and until then tells 0 as the exit status. Details are to be seen
 * here in the order in which they came.
 */
export class ExitTracker {
  #seen: Run | undefined;
  /** What was told as an end before the last run had one. */
  #endBefore: string | undefined;

  /** Notes what is told of the container now. */
  see(run: Run): void {
    const isOther = this.#seen !== undefined && this.#seen.startedAt !== run.startedAt;
    if (isOther) this.#endBefore = this.#seen?.finishedAt;
    // While it runs, the end of the run before is told.
    if (run.isRunning) this.#endBefore = run.finishedAt;
    this.#seen = run;
  }

  /** Whether these details, the latest, tell how the run ended. */
  isKnown(run: Run): boolean {
    this.see(run);
    const { isRunning, startedAt, finishedAt } = run;
    if (isRunning || finishedAt === this.#endBefore) return false;
    return Date.parse(finishedAt) >= Date.parse(startedAt) - NOTED_LATE_MS;
  }
}
