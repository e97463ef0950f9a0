import { quotable } from '../../base/plainText.ts';
import { InputError } from '../errors.ts';

/** Memory units in bytes, largest first. */
const MEMORY_UNITS: readonly (readonly [letter: string, bytes: number])[] = [
  ['p', 1024 ** 5],
  ['t', 1024 ** 4],
  ['g', 1024 ** 3],
  ['m', 1024 ** 2],
  ['k', 1024],
  ['b', 1],
];

/** Time units in nanoseconds, longest first. */
const TIME_UNITS: readonly (readonly [unit: string, nanoseconds: number])[] = [
  ['h', 3_600_000_000_000],
  ['m', 60_000_000_000],
  ['s', 1_000_000_000],
  ['ms', 1_000_000],
  ['us', 1000],
  ['ns', 1],
];

/** The shortest duration that engines accept. Only 0 is also allowed, and means "not set". */
const SHORTEST_NANOSECONDS = 1_000_000;
/** Limit of 292 years: engines store a duration as a 64-bit number of nanoseconds. */
const LONGEST_NANOSECONDS = 2 ** 63;

/** Parses `512m`, `1.5g`, `65536k` or plain bytes. Units are powers of 1024. Returns bytes, at least 1. */
export function parseMemory(text: string): number {
  const [whole, count, letter = 'b'] =
    /^(\d+(?:\.\d+)?) ?([bkmgtp])?(?:i?b)?$/i.exec(text.trim()) ?? [];
  const unit = MEMORY_UNITS.find(([name]) => name === letter.toLowerCase())?.[1] ?? 1;
  const bytes = Math.round(Number(count) * unit);
  if (whole !== undefined && bytes >= 1 && Number.isSafeInteger(bytes)) return bytes;
  throw InputError.of('"{0}" is not a memory size. Use the form 512m or 1.5g.', quotable(text));
}

/** Formats bytes in the largest unit that divides them evenly. `parseMemory` reads the result. */
export function formatMemory(bytes: number): string {
  const [letter, unit] = MEMORY_UNITS.find(([, size]) => bytes % size === 0) ?? ['b', 1];
  return `${bytes / unit}${letter}`;
}

/** Parses `30s`, `1m30s`, `1.5h` or `500ms`. Returns nanoseconds, at least 1,000,000 (1 ms). */
export function parseDuration(text: string): number {
  const trimmed = text.trim();
  const isOne = /^(?:\d+(?:\.\d+)?(?:h|ms|us|ns|m|s))+$/.test(trimmed);
  const parts = isOne ? trimmed.split(/(?<=[a-z])(?=\d)/) : [];
  const sum = parts.reduce((total, part) => {
    const unit = part.replace(/^[\d.]+/, '');
    const nanoseconds = TIME_UNITS.find(([name]) => name === unit)?.[1] ?? 0;
    return total + Number.parseFloat(part) * nanoseconds;
  }, 0);
  if (!isOne || sum >= LONGEST_NANOSECONDS)
    throw InputError.of('"{0}" is not a duration. Use the form 30s or 1m30s.', quotable(text));
  if (sum < SHORTEST_NANOSECONDS)
    throw InputError.of('"{0}" is too short. The minimum is 1ms.', quotable(text));
  return Math.round(sum);
}

/** Formats nanoseconds (at least 1) as `parseDuration` reads them: `1m30s`. */
export function formatNanoseconds(nanoseconds: number): string {
  let rest = nanoseconds;
  const parts = TIME_UNITS.map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? '' : `${count}${unit}`;
  });
  return parts.join('');
}

/** Converts a number of CPUs, which can be a fraction, to billionths (`NanoCpus`), at least 1. */
export function parseCpus(cpus: number, text = String(cpus)): number {
  const billionths = Math.round(cpus * 1e9);
  if (billionths >= 1 && Number.isSafeInteger(billionths)) return billionths;
  throw InputError.of(
    '"{0}" is not a number of CPUs. Use the form 2 or 0.5.',
    quotable(Number.isNaN(cpus) ? text : String(cpus)),
  );
}
