import type { Answer, SeenRequest } from './fakeEngine.ts';
import { frame } from './chunks.ts';

/** A record in the log file of an engine. */
export interface StoredRecord {
  readonly kind: 1 | 2;
  /** In nanoseconds since the epoch. */
  readonly at: bigint;
  readonly text: string;
}

/** Variants of how engines handle `since` and how precise their timestamps are. */
export const BEHAVIOURS = ['docker20', 'docker24', 'podman4', 'podman5'] as const;
/** The variants that accept numbers in `since`. */
export const NUMBERED = ['docker20', 'docker24', 'podman4'] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

const SECOND = 1_000_000_000n;

/** Answers a ping as this engine. */
export function pingOf(behaviour: Behaviour): Answer {
  const server = behaviour.startsWith('docker')
    ? 'Docker/20.10.24 (linux)'
    : `Libpod/${behaviour === 'podman4' ? '4.3.1' : '5.8.6'} (linux)`;
  return (_, response) => {
    response.writeHead(200, { 'api-version': '1.41', server });
    response.end('OK');
  };
}

/** Formats a time as the engine does. */
export function stampOf(at: bigint, behaviour: Behaviour): string {
  const seconds = new Date(Number(at / SECOND) * 1000).toISOString().slice(0, 19);
  return behaviour === 'podman4'
    ? `${seconds}Z`
    : `${seconds}.${String(at % SECOND).padStart(9, '0')}Z`;
}

/** Returns the records that the engine sends for a request. */
export function selectRecords(
  records: readonly StoredRecord[],
  behaviour: Behaviour,
  query: {
    readonly since?: string | null;
    readonly until?: string | null;
    readonly tail?: string | null;
  },
): readonly StoredRecord[] {
  const tail = query.tail ?? 'all';
  return behaviour.startsWith('docker')
    ? ofDocker(records, behaviour, { ...query, tail })
    : ofPodman(records, { ...query, tail });
}

/** Docker applies `tail` to the whole log, before `since` and `until`. */
function ofDocker(
  records: readonly StoredRecord[],
  behaviour: Behaviour,
  query: { readonly since?: string | null; readonly until?: string | null; readonly tail: string },
): readonly StoredRecord[] {
  const since = asNanoseconds(query.since ?? '0');
  const until = asNanoseconds(query.until ?? '9999999999');
  const counted = lastOf(records, query.tail);
  const first = counted.findIndex(({ at }) => at >= since);
  const recent =
    behaviour === 'docker24'
      ? counted.slice(first < 0 ? counted.length : first)
      : counted.filter(({ at }) => at >= since);
  const end = recent.findIndex(({ at }) => at > until);
  return end < 0 ? recent : recent.slice(0, end);
}

/** Podman applies `tail` after `since` and `until`, both of which are exclusive. */
function ofPodman(
  records: readonly StoredRecord[],
  query: { readonly since?: string | null; readonly until?: string | null; readonly tail: string },
): readonly StoredRecord[] {
  const since = asPodman(query.since ?? '0');
  const until = asPodman(query.until ?? '9999999999');
  return lastOf(
    records.filter(({ at }) => at > since && at < until),
    query.tail,
  );
}

function lastOf(records: readonly StoredRecord[], tail: string): readonly StoredRecord[] {
  return tail === 'all' ? records : records.slice(Math.max(0, records.length - Number(tail)));
}

/** Returns the records with frame headers. */
export function framed(records: readonly StoredRecord[], behaviour: Behaviour): Buffer {
  return Buffer.concat(
    records.map(({ kind, at, text }) => frame(kind, `${stampOf(at, behaviour)} ${text}`)),
  );
}

/** Returns a function like {@link framed} for many answers from one log: it frames each record only once. */
export function framing(behaviour: Behaviour): (records: readonly StoredRecord[]) => Buffer {
  const frames = new Map<StoredRecord, Buffer>();
  const frameOf = (record: StoredRecord): Buffer => {
    const made = frames.get(record) ?? framed([record], behaviour);
    frames.set(record, made);
    return made;
  };
  return (records) => Buffer.concat(records.map(frameOf));
}

/** Returns the framed response to a log request. */
export function logAnswer(
  records: readonly StoredRecord[],
  behaviour: Behaviour,
  { query }: SeenRequest,
  frames = framing(behaviour),
): Buffer {
  const range = { since: query.get('since'), until: query.get('until'), tail: query.get('tail') };
  return frames(selectRecords(records, behaviour, range));
}

function asNanoseconds(since: string): bigint {
  const [seconds = '0', fraction = ''] = since.split('.');
  return BigInt(seconds) * SECOND + BigInt(fraction.padEnd(9, '0'));
}

/** Podman parses dates exactly, and numbers as floating point. */
function asPodman(moment: string): bigint {
  const [, seconds = '', fraction] = /^(\d{4}-.*T[\d:]+)\.(\d{9})Z$/.exec(moment) ?? [];
  if (fraction !== undefined)
    return BigInt(Date.parse(`${seconds}Z`)) * 1_000_000n + BigInt(fraction);
  const number = Number(moment);
  const whole = Math.trunc(number);
  return BigInt(whole) * SECOND + BigInt(Math.trunc((number - whole) * 1e9));
}
