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
