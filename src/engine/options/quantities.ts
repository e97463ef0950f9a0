/** Amounts as people write them: memory, lengths of time, shares of processors. */

import type { L10n } from '../../l10n.ts';
import { InputError } from '../errors.ts';

/** Bytes of one unit, the largest first. */
const MEMORY_UNITS: readonly (readonly [letter: string, bytes: number])[] = [
  ['g', 1024 ** 3],
  ['m', 1024 ** 2],
  ['k', 1024],
  ['b', 1],
];

/** Nanoseconds of one unit, the longest first. */
const TIME_UNITS: readonly (readonly [unit: string, nanoseconds: number])[] = [
  ['h', 3_600_000_000_000],
  ['m', 60_000_000_000],
  ['s', 1_000_000_000],
  ['ms', 1_000_000],
  ['us', 1000],
  ['ns', 1],
];

/** Engines take nothing shorter, but for 0, which means "not said". */
const SHORTEST_NANOSECONDS = 1_000_000;
/** What engines themselves hold a time in ends after 292 years. */
const LONGEST_NANOSECONDS = 2 ** 63;

/** Reads `512m`, `1.5g`, `65536k` or plain bytes. Units are of 1024. Hands back bytes, at least 1. */
export function parseMemory(text: string, l10n: L10n): number {
  const [whole, count, letter = 'b'] =
    /^(\d+(?:\.\d+)?)([bkmg])?(?:i?b)?$/i.exec(text.trim()) ?? [];
  const unit = MEMORY_UNITS.find(([name]) => name === letter.toLowerCase())?.[1] ?? 1;
  const bytes = Math.round(Number(count) * unit);
  if (whole !== undefined && bytes >= 1 && Number.isSafeInteger(bytes)) return bytes;
  throw new InputError(l10n.t('"{0}" is not an amount of memory. Write it as 512m or 1.5g.', text));
}

/** Bytes in the largest unit that leaves no rest, as `parseMemory` reads them. */
export function formatMemory(bytes: number): string {
  const [letter, unit] = MEMORY_UNITS.find(([, size]) => bytes % size === 0) ?? ['b', 1];
  return `${bytes / unit}${letter}`;
}

/** Reads `30s`, `1m30s`, `1.5h` or `500ms`. Hands back nanoseconds, at least a millisecond's. */
export function parseDuration(text: string, l10n: L10n): number {
  const trimmed = text.trim();
  const isOne = /^(?:\d+(?:\.\d+)?(?:h|ms|us|ns|m|s))+$/.test(trimmed);
  const parts = isOne ? trimmed.split(/(?<=[a-z])(?=\d)/) : [];
  const sum = parts.reduce((total, part) => {
    const unit = part.replace(/^[\d.]+/, '');
    const nanoseconds = TIME_UNITS.find(([name]) => name === unit)?.[1] ?? 0;
    return total + Number.parseFloat(part) * nanoseconds;
  }, 0);
  if (!isOne || sum >= LONGEST_NANOSECONDS) {
    throw new InputError(l10n.t('"{0}" is not a length of time. Write it as 30s or 1m30s.', text));
  }
  if (sum < SHORTEST_NANOSECONDS) {
    throw new InputError(l10n.t('"{0}" is too short: a millisecond (1ms) is the least.', text));
  }
  return Math.round(sum);
}

/** Nanoseconds, at least 1, as `parseDuration` reads them: `1m30s`. */
export function formatDuration(nanoseconds: number): string {
  let rest = nanoseconds;
  const parts = TIME_UNITS.map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? '' : `${count}${unit}`;
  });
  return parts.join('');
}

/** Converts how many processors a container may take, parts of one too, to billionths. Engines count from 0.01 on. */
export function parseCpus(cpus: number, l10n: L10n, text = String(cpus)): number {
  if (cpus >= 0.01 && cpus <= 100_000) return Math.round(cpus * 1e9);
  throw new InputError(
    l10n.t(
      '"{0}" is not a number of processors. Write it as 2 or 0.5; 0.01 is the least.',
      Number.isNaN(cpus) ? text : String(cpus),
    ),
  );
}
