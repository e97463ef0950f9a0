import type { ContainerDetails } from '../../engine/containers/containerDetails.ts';
import { readLimits } from '../../engine/facts/readLimits.ts';
import { asRecord } from '../../engine/wire/wire.ts';
import type { LastRuns } from '../../inventory/runs/lastRuns.ts';

/** Records what an inspect tells of the run of a container, to tell what has changed if it fails later. */
export function recordRun(runs: Pick<LastRuns, 'recordDetails'>, details: ContainerDetails): void {
  const limits = readLimits(asRecord(asRecord(details.raw)['HostConfig']));
  const values = Object.fromEntries(limits.map(({ what, value }) => [what, value]));
  runs.recordDetails(details.id, details.variables, values);
}
