/** Formats bytes as `999 B`, `1.2 kB`, `48.0 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  // Compare the rounded value: 999.96 kB is shown as 1.0 MB, not 1000.0 kB.
  while (Number(value.toFixed(1)) >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? String(value) : value.toFixed(1)} ${units[unit] ?? ''}`;
}
