import type { ContainerDetails } from '../../engine/containers/containerDetails.ts';

/**
 * A moment between the end of the last run and the start of this one: an engine notes either a little late,
 * when the last lines of the one, or the first of the other, are already written.
 */
export function betweenRuns({ finishedAt, startedAt }: ContainerDetails): string {
  const [end, start] = [Date.parse(finishedAt), Date.parse(startedAt)];
  return end < start ? new Date((end + start) / 2).toISOString() : startedAt;
}
