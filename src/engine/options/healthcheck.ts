/** The check by which an engine sees whether a container is well. */

import { isDeepStrictEqual } from 'node:util';

import type { L10n } from '../../l10n.ts';
import { InputError } from '../errors.ts';
import { formatDuration, parseDuration } from './quantities.ts';
import { asNumber, asRecord, asTexts } from '../wire.ts';

/** A check as a person describes it; what is not said is the image's, and else the engine's. */
export interface Healthcheck {
  /** A line for the container's shell, or the words of a program that is run without one. */
  readonly test?: string | readonly string[];
  /** Between two checks: `30s`. */
  readonly interval?: string;
  /** How long one may take: `30s`. */
  readonly timeout?: string;
  /** How long failures do not count after a start: `1m`. */
  readonly startPeriod?: string;
  /** After how many failures in a row it is unwell; from 1 on. */
  readonly retries?: number;
}

/** The same in the words of the API. */
export interface HealthcheckWire {
  readonly Test?: readonly string[];
  /** Nanoseconds. */
  readonly Interval?: number;
  readonly Timeout?: number;
  readonly StartPeriod?: number;
  readonly Retries?: number;
}

/** What engines take where a check says nothing, in nanoseconds and times. */
const USUAL: Readonly<Record<string, number>> = {
  Interval: 30e9,
  Timeout: 30e9,
  StartPeriod: 0,
  Retries: 3,
};

/** The fields a description may have. */
export const HEALTHCHECK_FIELDS: readonly string[] = [
  'test',
  'interval',
  'timeout',
  'startPeriod',
  'retries',
];

/** Whether a value that comes from outside has the shape of a description, or is false. Says nothing of its words. */
export function isHealthcheck(value: unknown): value is Healthcheck | false {
  if (value === false) return true;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { test, retries, ...times }: Record<string, unknown> = { ...value };
  return (
    Object.keys(value).every((name) => HEALTHCHECK_FIELDS.includes(name)) &&
    (test === undefined || typeof test === 'string' || isTexts(test)) &&
    (retries === undefined || typeof retries === 'number') &&
    Object.values(times).every((time) => time === undefined || typeof time === 'string')
  );
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** Checks a description and puts it in the words of the API; false turns off what the image checks. */
export function parseHealthcheck(check: Healthcheck | false, l10n: L10n): HealthcheckWire {
  if (check === false) return { Test: ['NONE'] };
  const { test, interval, timeout, startPeriod, retries } = check;
  return {
    ...(test !== undefined && { Test: parseTest(test, l10n) }),
    ...(interval !== undefined && { Interval: parseDuration(interval, l10n) }),
    ...(timeout !== undefined && { Timeout: parseDuration(timeout, l10n) }),
    ...(startPeriod !== undefined && { StartPeriod: parseDuration(startPeriod, l10n) }),
    ...(retries !== undefined && { Retries: checkRetries(retries, l10n) }),
  };
}

/** What an engine tells, as a description; false where it is turned off, undefined where there is none. */
export function readHealthcheck(value: unknown): Healthcheck | false | undefined {
  const wire = asRecord(value);
  const [kind, ...words] = asTexts(wire['Test']);
  if (kind === 'NONE') return false;
  if (kind === undefined || words.length === 0) return undefined;
  return { test: kind === 'CMD-SHELL' ? words.join(' ') : words, ...numbersOf(wire, () => 0) };
}

/** The check of a container as far as its image has another one; false where the image's is turned off. */
export function readOwnHealthcheck(
  own: unknown,
  ofImage: unknown,
): Healthcheck | false | undefined {
  const [wire, inherited] = [asRecord(own), asRecord(ofImage)];
  const [test, testOfImage] = [asTexts(wire['Test']), asTexts(inherited['Test'])];
  if (test[0] === 'NONE') return testOfImage.length > 0 ? false : undefined;
  const numbers = numbersOf(wire, (name, usual) => (asNumber(inherited[name]) ?? 0) || usual);
  const isOther = test.length > 0 && !isDeepStrictEqual(test, testOfImage);
  if (!isOther && Object.keys(numbers).length === 0) return undefined;
  const [kind, ...words] = test;
  const check = kind === 'CMD-SHELL' ? (words[0] ?? '') : words;
  return { ...(isOther && { test: check }), ...numbers };
}

/** The numbers of a check but for those that come by themselves. */
function numbersOf(
  wire: Readonly<Record<string, unknown>>,
  usualOf: (name: string, usual: number) => number,
): Omit<Healthcheck, 'test'> {
  const numbers = Object.entries(USUAL).flatMap(([name, usual]): [string, unknown][] => {
    const value = asNumber(wire[name]) ?? 0;
    if (value <= 0 || value === usualOf(name, usual)) return [];
    const field = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
    return [[field, name === 'Retries' ? value : formatDuration(value)]];
  });
  return Object.fromEntries(numbers);
}

/** Passes after how many failures a container is unwell. */
export function checkRetries(retries: number, l10n: L10n, text = String(retries)): number {
  if (Number.isSafeInteger(retries) && retries >= 1 && retries < 2 ** 31) return retries;
  throw new InputError(
    l10n.t('"{0}" is not a number of failures. Write a whole number from 1 on.', text),
  );
}

function parseTest(test: string | readonly string[], l10n: L10n): readonly string[] {
  const isText = typeof test === 'string';
  if (isText ? test.trim() !== '' : (test[0] ?? '') !== '') {
    return isText ? ['CMD-SHELL', test] : ['CMD', ...test];
  }
  throw new InputError(l10n.t('The health check has no command.'));
}
