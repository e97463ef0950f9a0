import * as l10n from '@vscode/l10n';
import { formatPercent } from './format.ts';

const UNITS = [
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
] as const;
/** What is written in more units was computed. */
const MOST_UNITS = 9999;

/** Formats a limit as it was probably written: in the largest unit that divides it, else rounded. */
export function formatLimit(bytes: number): string {
  const [unit, size] = UNITS.find(([, one]) => bytes % one === 0) ?? [];
  if (unit === undefined || bytes === 0 || bytes / size > MOST_UNITS) return formatBinary(bytes);
  return `${bytes / size} ${unit}`;
}

/** Formats a size in the units of memory, with at least two digits: `4.3 MiB`, `812 KiB`. */
export function formatBinary(bytes: number): string {
  const [unit, size] = UNITS.find(([, one]) => bytes >= one) ?? [];
  if (unit === undefined) return `${Math.max(0, Math.round(bytes) || 0)} B`;
  const value = bytes / size;
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} ${unit}`;
}

/** Formats memory in use; with a limit, both and the share: `62 MiB of 64 MiB (97%)`. */
export function formatMemoryUse(bytes: number, limit?: number): string {
  if (limit === undefined || !(limit > 0)) return formatBinary(bytes);
  const share = formatPercent((bytes / limit) * 100);
  return l10n.t('{0} of {1} ({2})', formatBinary(bytes), formatLimit(limit), share);
}
