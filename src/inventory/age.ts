import * as l10n from '@vscode/l10n';
import type { Image } from '../engine/model.ts';

/**
 * The age of a state. An engine's list reports it only as rounded English text ("Up 2 hours"), so the start
 * is known as a time span; each later list of the same run narrows it. Times are in milliseconds of the local
 * clock: the text counts back from the time of the list, so the engine's clock does not matter.
 */

/** The state began after `earliest` and at or before `latest`. */
export interface Age {
  readonly earliest: number;
  readonly latest: number;
}

/** The parsed status text of an engine. */
interface StatusText {
  readonly kind: 'up' | 'exited' | 'restarting' | 'created' | 'removing' | 'dead' | 'other';
  readonly exitCode?: number;
  /** The part in parentheses at the end: the health, or `Paused`. */
  readonly note?: string;
  /** Time since then, in milliseconds. The upper bound is exclusive. */
  readonly ago?: readonly [atLeast: number, below: number];
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** From one hour on, engines round to the nearest hour and derive longer units from those hours. */
const HALF = HOUR / 2;

interface Scale {
  readonly unit: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';
  readonly length: number;
  /** Added before the division, which rounds down. */
  readonly rounding: number;
  /** The age from which the next scale applies. */
  readonly below: number;
}

/** The scales of the Go function that Docker and Podman use for these texts. */
const SCALES: readonly [Scale, ...Scale[]] = [
  { unit: 'second', length: SECOND, rounding: 0, below: MINUTE },
  { unit: 'minute', length: MINUTE, rounding: 0, below: HOUR },
  { unit: 'hour', length: HOUR, rounding: HALF, below: 48 * HOUR - HALF },
  { unit: 'day', length: 24 * HOUR, rounding: HALF, below: 336 * HOUR - HALF },
  { unit: 'week', length: 168 * HOUR, rounding: HALF, below: 1440 * HOUR - HALF },
  { unit: 'month', length: 720 * HOUR, rounding: HALF, below: 17520 * HOUR - HALF },
  { unit: 'year', length: 8760 * HOUR, rounding: HALF, below: Infinity },
];

/** Two lists of one run may differ by this much, because a response is older than its arrival. */
const SLACK = SECOND;

const PLAIN_KINDS: ReadonlyMap<string, StatusText['kind']> = new Map([
  ['created', 'created'],
  ['dead', 'dead'],
  ['removal in progress', 'removing'],
]);

const TIMED = /^(Up|Exited|Restarting)(?: \((-?\d+)\))?(?: (.+?))??(?: ago)?(?: \(([^()]*)\))?$/i;

/** Parses a status text. Unknown texts have the kind `other`. */
export function parseStatus(status: string): StatusText {
  const plain = PLAIN_KINDS.get(status.toLowerCase());
  if (plain) return { kind: plain };
  const match = TIMED.exec(status);
  if (!match) return { kind: 'other' };
  const [, kind = '', exitCode, words = '', note] = match;
  const ago = parseSpan(words);
  return {
    kind: kind.toLowerCase() as 'up' | 'exited' | 'restarting',
    ...(exitCode !== undefined && { exitCode: Number(exitCode) }),
    ...(note !== undefined && { note }),
    ...(ago && { ago }),
  };
}

function parseSpan(words: string): readonly [number, number] | undefined {
  if (/^less than a second$/i.test(words)) return [0, SECOND];
  const match = /^(about an?|\d+) (second|minute|hour|day|week|month|year)s?$/i.exec(words);
  const at = SCALES.findIndex((one) => one.unit === match?.[2]?.toLowerCase());
  const scale = SCALES[at];
  if (!match || !scale) return undefined;
  const count = /^\d/.test(match[1] ?? '') ? Number(match[1]) : 1;
  const start = count * scale.length - scale.rounding;
  const end = start + scale.length;
  // The first and last step of a unit are cut short by the neighboring units.
  const from = Math.max(start, SCALES[at - 1]?.below ?? 0);
  const below = Math.min(end, scale.below);
  return from < below ? [from, below] : [start, end];
}

/** Returns the age of the state in a status text, for a list received at `listedAt`. */
export function ageOfStatus(status: StatusText, listedAt: number): Age | undefined {
  if (!status.ago) return undefined;
  const [atLeast, below] = status.ago;
  return { earliest: listedAt - below, latest: listedAt - atLeast };
}

/** Returns the age of an image; undefined if the engine reports no creation time. */
export function ageOfImage({ createdAt }: Image): Age | undefined {
  const at = Date.parse(createdAt);
  return Number.isNaN(at) ? undefined : { earliest: at, latest: at };
}

/** Whether two status texts differ at most in the time. */
export function isSameButAge(before: StatusText, next: StatusText): boolean {
  return (
    before.kind === next.kind && before.exitCode === next.exitCode && before.note === next.note
  );
}

/**
 * Combines the ages of two lists. If they contradict each other, the container has restarted and only the
 * later list counts.
 */
export function narrow(before: Age | undefined, next: Age | undefined): Age | undefined {
  if (!before || !next) return next;
  const both = {
    earliest: Math.max(before.earliest, next.earliest),
    latest: Math.min(before.latest, next.latest),
  };
  if (both.earliest <= both.latest) return both;
  return both.earliest - both.latest <= SLACK ? before : next;
}

/**
 * Returns the age in milliseconds that is certain. The lower bound, not the middle, so that the displayed age
 * of a run never decreases when a later list narrows it. Never negative, even if the clocks differ.
 */
function provenAge(age: Age, now: number): number {
  return Math.max(0, now - age.latest);
}

function scaleOf(passed: number): Scale {
  return SCALES.find((scale) => passed < scale.below) ?? SCALES[0];
}

/**
 * Returns the count and unit to display. From ten seconds on only every tenth second, because each repaint of
 * a row closes its tooltip.
 */
function countOf(age: Age, now: number): { readonly unit: Scale['unit']; readonly count: number } {
  const passed = provenAge(age, now);
  const { unit, length, rounding } = scaleOf(passed);
  const count = Math.floor((passed + rounding) / length);
  return { unit, count: unit === 'second' && count >= 10 ? count - (count % 10) : count };
}

const ONE: Readonly<Partial<Record<Scale['unit'], () => string>>> = {
  second: () => l10n.t('1 second'),
  minute: () => l10n.t('About a minute'),
  hour: () => l10n.t('About an hour'),
};

const SEVERAL: Readonly<Record<Scale['unit'], (count: number) => string>> = {
  second: (count) => l10n.t('{0} seconds', count),
  minute: (count) => l10n.t('{0} minutes', count),
  hour: (count) => l10n.t('{0} hours', count),
  day: (count) => l10n.t('{0} days', count),
  week: (count) => l10n.t('{0} weeks', count),
  month: (count) => l10n.t('{0} months', count),
  year: (count) => l10n.t('{0} years', count),
};

const SHORT: Readonly<Record<Scale['unit'], (count: number) => string>> = {
  second: (count) => l10n.t('{0} s', count),
  minute: (count) => l10n.t('{0} min', count),
  hour: (count) => l10n.t('{0} h', count),
  day: (count) => l10n.t('{0} d', count),
  week: (count) => l10n.t('{0} wk', count),
  month: (count) => l10n.t('{0} mo', count),
  year: (count) => l10n.t('{0} yr', count),
};

/** Formats an age like the engines do, for example `5 minutes`. */
export function formatAge(age: Age, now: number): string {
  const { unit, count } = countOf(age, now);
  if (count === 0) return l10n.t('Less than a second');
  const one = count === 1 ? ONE[unit] : undefined;
  return one ? one() : SEVERAL[unit](count);
}

/** Formats an age in short form for a row: `5 min`, `40 s`, `3 d`. Changes when the long form does. */
export function formatShortAge(age: Age, now: number): string {
  const { unit, count } = countOf(age, now);
  return SHORT[unit](count);
}

/** Returns the time at which the displayed age changes next. */
export function nextChangeAt(age: Age, now: number): number {
  const passed = provenAge(age, now);
  const { unit, length, rounding, below } = scaleOf(passed);
  const isInTens = unit === 'second' && passed >= 10 * SECOND;
  const stride = isInTens ? 10 * length : length;
  const step = (Math.floor((passed + rounding) / stride) + 1) * stride - rounding;
  return age.latest + Math.min(step, below);
}
