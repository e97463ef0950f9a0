import { formatSize } from '../../views/format.ts';

const UNITS = [
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
] as const;

/** Formats a limit as it was probably written: in the largest unit that divides it, else as any size. */
export function formatLimit(bytes: number): string {
  const [unit, size] = UNITS.find(([, one]) => bytes % one === 0) ?? [];
  return unit === undefined ? formatSize(bytes) : `${bytes / size} ${unit}`;
}
