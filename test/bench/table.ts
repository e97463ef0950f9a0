import type { BenchRow } from './row.ts';

/** Prints one value as a line with aligned columns. */
export function printRow({ name, value, unit, peer, ratio, target, holds, note }: BenchRow): void {
  const columns = [
    name.padEnd(62),
    `${value} ${unit}`.padStart(14),
    (ratio === undefined ? '' : `${ratio} ×`).padStart(10),
    (target ?? '').padEnd(8),
    holds === undefined ? '' : holds ? 'holds' : 'MISSED',
    [peer, note].filter((part) => part !== undefined).join(' · '),
  ];
  console.log(columns.join('  ').trimEnd());
}
