import * as l10n from '@vscode/l10n';
import type { LimitFacts, LimitName } from '../../engine/facts/containerFacts.ts';
import { formatLimit } from '../../views/formatMeasure.ts';
import type { SourceRow } from './sourceRow.ts';

/** Returns the row of a limit. */
export function limitRow({ what, value }: LimitFacts): SourceRow {
  const isCount = what === 'cpus' || what === 'cpuShares' || what === 'pids';
  return { label: NAMES[what](), value: isCount ? String(value) : formatLimit(value) };
}

/** Whether this is the name of a limit. */
export function isLimitName(what: string): what is LimitName {
  return Object.hasOwn(NAMES, what);
}

const NAMES: Readonly<Record<LimitName, () => string>> = {
  memory: () => l10n.t('Memory'),
  memoryReservation: () => l10n.t('Memory reservation'),
  memorySwap: () => l10n.t('Memory and swap'),
  shmSize: () => l10n.t('Size of /dev/shm'),
  cpus: () => l10n.t('CPUs'),
  cpuShares: () => l10n.t('CPU shares'),
  pids: () => l10n.t('Processes'),
};
