import type { Image } from '../engine/model.ts';
import type { L10n } from '../l10n.ts';

/**
 * How old a state is. An engine's list says it in rounded English only ("Up 2 hours"), so a start is known
 * as a span of time; every later list of the same run narrows it. Moments are milliseconds of our clock:
 * the text counts back from the list, so the engine's clock does not matter.
 */

/** A state began after `earliest` and not later than `latest`. */
export interface Age {
  readonly earliest: number;
  readonly latest: number;
}

/** What an engine's status text holds, taken apart. */
export interface StatusText {
  readonly kind: 'up' | 'exited' | 'restarting' | 'created' | 'removing' | 'dead' | 'other';
  readonly exitCode?: number;
  /** The part in brackets at the end: health, or `Paused`. */
  readonly note?: string;
  /** How long ago in milliseconds: from the first, up to but without the second. */
  readonly ago?: readonly [atLeast: number, below: number];
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** From an hour on engines round to the nearest hour, and count everything longer in those hours. */
const HALF = HOUR / 2;

interface Scale {
  readonly unit: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';
  readonly length: number;
  /** Added before the division rounds down. */
  readonly rounding: number;
  readonly from: number;
  readonly below: number;
}

/** The steps of the Go function that both engines use for such words. */
const SCALES: readonly [Scale, ...Scale[]] = [
  { unit: 'second', length: SECOND, rounding: 0, from: 0, below: MINUTE },
  { unit: 'minute', length: MINUTE, rounding: 0, from: MINUTE, below: HOUR },
  { unit: 'hour', length: HOUR, rounding: HALF, from: HOUR, below: 48 * HOUR - HALF },
  {
    unit: 'day',
    length: 24 * HOUR,
    rounding: HALF,
    from: 48 * HOUR - HALF,
    below: 336 * HOUR - HALF,
  },
  {
    unit: 'week',
    length: 168 * HOUR,
    rounding: HALF,
    from: 336 * HOUR - HALF,
    below: 1440 * HOUR - HALF,
  },
  {
    unit: 'month',
    length: 720 * HOUR,
    rounding: HALF,
    from: 1440 * HOUR - HALF,
    below: 17520 * HOUR - HALF,
  },
  { unit: 'year', length: 8760 * HOUR, rounding: HALF, from: 17520 * HOUR - HALF, below: Infinity },
];

/** Two lists of one run may miss each other by this much: an answer is older than its arrival. */
const SLACK = SECOND;

const PLAIN_KINDS: ReadonlyMap<string, StatusText['kind']> = new Map([
  ['created', 'created'],
  ['dead', 'dead'],
  ['removal in progress', 'removing'],
]);

const TIMED = /^(Up|Exited|Restarting)(?: \((-?\d+)\))?(?: (.+?))??(?: ago)?(?: \(([^()]*)\))?$/i;

/** Takes a status text apart. What is not understood is of kind `other`. */
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
  const scale = SCALES.find((one) => one.unit === match?.[2]?.toLowerCase());
  if (!match || !scale) return undefined;
  const count = /^\d/.test(match[1] ?? '') ? Number(match[1]) : 1;
  const start = count * scale.length - scale.rounding;
  const end = start + scale.length;
  // At the edges of a unit its first and last step are cut short by the neighbours.
  const [from, below] = [Math.max(start, scale.from), Math.min(end, scale.below)];
  return from < below ? [from, below] : [start, end];
}

/** When the state a status text speaks of began, for a list that came at `takenAt`. */
export function ageOfStatus(status: StatusText, takenAt: number): Age | undefined {
  if (!status.ago) return undefined;
  const [atLeast, below] = status.ago;
  return { earliest: takenAt - below, latest: takenAt - atLeast };
}

/** The age of what was made at a known moment, an ISO 8601 text. */
export function ageSince(moment: string): Age | undefined {
  const at = Date.parse(moment);
  return Number.isNaN(at) ? undefined : { earliest: at, latest: at };
}

/** How old an image is. */
export function ageOfImage(image: Image): Age | undefined {
  return ageSince(image.createdAt);
}

/** Whether two status texts differ at most in how long ago it was. */
export function isSameButAge(before: StatusText, next: StatusText): boolean {
  return (
    before.kind === next.kind && before.exitCode === next.exitCode && before.note === next.note
  );
}

/**
 * What is known after both lists. Where they contradict each other it was another run, and only the later
 * one counts.
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
 * The milliseconds an age surely has. The least that is proven, not the middle: so the words of a run only
 * ever go forward, however a later list narrows it. Never below zero, for clocks may disagree.
 */
function provenAge(age: Age, now: number): number {
  return Math.max(0, now - age.latest);
}

function scaleOf(passed: number): Scale {
  return SCALES.find((scale) => passed < scale.below) ?? SCALES[0];
}

/** From ten seconds on only every tenth is told: each repaint of a row closes the tooltip that is open on it. */
function inTens(seconds: number): number {
  return seconds < 10 ? seconds : seconds - (seconds % 10);
}

/** An age in an engine's own words, for example `5 minutes`. */
export function formatAge(age: Age, now: number, l10n: L10n): string {
  const passed = provenAge(age, now);
  const scale = scaleOf(passed);
  const count = Math.floor((passed + scale.rounding) / scale.length);
  switch (scale.unit) {
    case 'second':
      if (count === 0) return l10n.t('Less than a second');
      return count === 1 ? l10n.t('1 second') : l10n.t('{0} seconds', inTens(count));
    case 'minute':
      return count === 1 ? l10n.t('About a minute') : l10n.t('{0} minutes', count);
    case 'hour':
      return count === 1 ? l10n.t('About an hour') : l10n.t('{0} hours', count);
    case 'day':
      return l10n.t('{0} days', count);
    case 'week':
      return l10n.t('{0} weeks', count);
    case 'month':
      return l10n.t('{0} months', count);
    case 'year':
      return l10n.t('{0} years', count);
  }
}

/** The same in the least room, for a row: `5 min`, `40 s`, `3 d`. It changes when `wordsAt` does. */
export function formatShortAge(age: Age, now: number, l10n: L10n): string {
  const passed = provenAge(age, now);
  const scale = scaleOf(passed);
  const count = Math.floor((passed + scale.rounding) / scale.length);
  switch (scale.unit) {
    case 'second':
      return l10n.t('{0} s', inTens(count));
    case 'minute':
      return l10n.t('{0} min', count);
    case 'hour':
      return l10n.t('{0} h', count);
    case 'day':
      return l10n.t('{0} d', count);
    case 'week':
      return l10n.t('{0} wk', count);
    case 'month':
      return l10n.t('{0} mo', count);
    case 'year':
      return l10n.t('{0} yr', count);
  }
}

/** The moment when the words for an age change next. */
export function nextChangeAt(age: Age, now: number): number {
  const passed = provenAge(age, now);
  const { unit, length, rounding, below } = scaleOf(passed);
  const isInTens = unit === 'second' && passed >= 10 * SECOND;
  const stride = isInTens ? 10 * length : length;
  const step = (Math.floor((passed + rounding) / stride) + 1) * stride - rounding;
  return age.latest + Math.min(step, below);
}
