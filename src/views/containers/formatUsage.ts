import * as l10n from '@vscode/l10n';
import type { Reading } from '../../statistics/reading.ts';
import { formatPercent, joinParts } from '../format.ts';
import { formatMemoryUse } from '../formatMeasure.ts';

/**
 * Formats CPU and memory of containers together, as `docker stats` does: 100% is one processor. From 90% of the memory
 * limit on with the limit.
 *
 * @param isOld whether a reading is older than it should be.
 */
export function formatUsage(readings: readonly Reading[], isOld: boolean): string {
  const rates = readings.map(({ cpuPercent }) => cpuPercent);
  // It is known a second later.
  if (!rates.every((rate) => rate !== undefined)) return '';
  const cpu = formatPercent(rates.reduce((sum, rate) => sum + rate, 0));
  const [only] = readings.length === 1 ? readings : [];
  const bytes = readings.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
  const limit = only?.memoryLimitBytes;
  const isFull = limit !== undefined && bytes >= FULL * limit;
  const memory = formatMemoryUse(bytes, isFull ? limit : undefined);
  return joinParts(cpu, memory, isOld ? l10n.t('old') : '');
}

/** Share of the limit from which on memory is short. */
const FULL = 0.9;
