import * as l10n from '@vscode/l10n';
import { formatElapsedTime } from '../../commands/containers/exitMessage.ts';
import type { ContainerFacts, Probe } from '../../engine/facts/containerFacts.ts';
import { formatDateTime } from '../../views/format.ts';
import type { SourceRow } from './sourceRow.ts';

/** Returns the rows of the last health checks, newest first. */
export function healthRows({ health, probes }: ContainerFacts): readonly SourceRow[] {
  if (health === undefined && probes.length === 0) return [];
  if (probes.length === 0)
    return [{ label: l10n.t('Last runs'), value: l10n.t('The health check has not run yet.') }];
  return probes.toReversed().map(probeRow);
}

/** Most health checks take less than a second. */
function formatDuration(milliseconds: number): string {
  return milliseconds < 1000
    ? l10n.t('{0} ms', Math.round(milliseconds))
    : formatElapsedTime(milliseconds);
}

/** Returns the row of one health check. */
export function probeRow({ startedAt, durationMs, exitCode, output }: Probe): SourceRow {
  const hasSucceeded = exitCode === 0;
  const value = hasSucceeded ? l10n.t('succeeded') : l10n.t('failed with exit code {0}', exitCode);
  return {
    label: formatDateTime(startedAt) || l10n.t('Run'),
    value,
    ...(durationMs !== undefined && { note: l10n.t('in {0}', formatDuration(durationMs)) }),
    ...(output !== '' && { block: output, copied: output }),
    ...(!hasSucceeded && { isBad: true }),
  };
}
