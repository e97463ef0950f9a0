import type { SeenRequest } from './fakeEngine.ts';
import { frame } from './chunks.ts';

/** One record in an engine's log file. */
export interface StoredRecord {
  readonly kind: 1 | 2;
  /** Nanoseconds since the epoch. */
  readonly at: bigint;
  readonly text: string;
}

/** What engines make of `since`, and how exact their stamps are. */
export const BEHAVIOURS = ['docker20', 'docker24', 'podman4'] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

const SECOND = 1_000_000_000n;

/** The stamp of a moment in an engine's own spelling. */
export function stampOf(at: bigint, behaviour: Behaviour): string {
  const seconds = new Date(Number(at / SECOND) * 1000).toISOString().slice(0, 19);
  return behaviour === 'podman4'
    ? `${seconds}Z`
    : `${seconds}.${String(at % SECOND).padStart(9, '0')}Z`;
}

/** The records an engine sends for a request. */
export function selectRecords(
  records: readonly StoredRecord[],
  behaviour: Behaviour,
  query: {
    readonly since?: string | null;
    readonly until?: string | null;
    readonly tail?: string | null;
  },
): readonly StoredRecord[] {
  const since = asNanoseconds(query.since ?? '0');
  const until = asNanoseconds(query.until ?? '9999999999');
  const tail = query.tail ?? 'all';
  // Docker counts from the end of the log, whatever the moments; Podman what is between them.
  const counted = behaviour === 'podman4' ? records : lastOf(records, tail);
  const first = counted.findIndex(({ at }) => at >= since);
  const recent =
    behaviour === 'docker24'
      ? counted.slice(first < 0 ? counted.length : first)
      : counted.filter(({ at }) => at >= since);
  if (behaviour === 'podman4')
    return lastOf(
      recent.filter(({ at }) => at <= until),
      tail,
    );
  const end = recent.findIndex(({ at }) => at > until);
  return end < 0 ? recent : recent.slice(0, end);
}

function lastOf(records: readonly StoredRecord[], tail: string): readonly StoredRecord[] {
  return tail === 'all' ? records : records.slice(Math.max(0, records.length - Number(tail)));
}

/** Records in the framed form. */
export function framed(records: readonly StoredRecord[], behaviour: Behaviour): Buffer {
  return Buffer.concat(
    records.map(({ kind, at, text }) => frame(kind, `${stampOf(at, behaviour)} ${text}`)),
  );
}

/** What an engine answers to a logs request, framed. */
export function logAnswer(
  records: readonly StoredRecord[],
  behaviour: Behaviour,
  { query }: SeenRequest,
): Buffer {
  const range = { since: query.get('since'), until: query.get('until'), tail: query.get('tail') };
  return framed(selectRecords(records, behaviour, range), behaviour);
}

function asNanoseconds(since: string): bigint {
  const [seconds = '0', fraction = ''] = since.split('.');
  return BigInt(seconds) * SECOND + BigInt(fraction.padEnd(9, '0'));
}
