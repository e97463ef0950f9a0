import type { ContainerDetails } from './containerDetails.ts';

type Run = Pick<ContainerDetails, 'isRunning' | 'startedAt' | 'finishedAt'>;

/**
 * Time by which the exit may be recorded before the start. Both engines record the start after they have
 * finished starting, when a short run is already over: some milliseconds late, and more if they are busy.
 */
const NOTED_LATE_MS = 5000;

/**
 * Decides whether the details of a container describe the exit of its last run or still that of the run before.
 * Podman reports that the container is not running a little before it knows how the run exited, and until then
 * reports exit code 0. Details must be passed in the order in which they arrived.
 */
export class ExitTracker {
  #seen: Run | undefined;
  /** The `finishedAt` reported before the last run had exited. */
  #endBefore: string | undefined;
  /** The `startedAt` of the last run that was seen running. */
  #runningSince: string | undefined;

  /** Records the current details of the container. */
  see(run: Run): void {
    const isOther = this.#seen !== undefined && this.#seen.startedAt !== run.startedAt;
    if (isOther) this.#endBefore = this.#seen?.finishedAt;
    // While a container is running, `finishedAt` is that of the run before.
    if (run.isRunning) {
      this.#endBefore = run.finishedAt;
      this.#runningSince = run.startedAt;
    }
    this.#seen = run;
  }

  /** Returns whether these details, the latest, describe the exit of the last run. */
  isKnown(run: Run): boolean {
    this.see(run);
    const { isRunning, startedAt, finishedAt } = run;
    if (isRunning || finishedAt === '' || finishedAt === this.#endBefore) return false;
    // Whatever the times are: the clock may have been set back during the run.
    if (startedAt === this.#runningSince) return true;
    return Date.parse(finishedAt) >= Date.parse(startedAt) - NOTED_LATE_MS;
  }
}
