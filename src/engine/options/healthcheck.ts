/** Health checks of containers: validation, and conversion to and from the API. */

import { isDeepStrictEqual } from 'node:util';
import { quotable } from '../../base/plainText.ts';
import { InputError } from '../errors.ts';
import { formatNanoseconds, parseDuration } from './quantities.ts';
import { asNumber, asRecord, asTexts } from '../wire/wire.ts';

/** A health check. Fields that are not set default to the image's, else to the engine's. */
export interface Healthcheck {
  /** A shell command, or the words of a command that is run without a shell. */
  readonly test?: string | readonly string[];
  /** Time between two checks: `30s`. */
  readonly interval?: string;
  /** Time limit of one check: `30s`. */
  readonly timeout?: string;
  /** Time after a start in which failures do not count: `1m`. */
  readonly startPeriod?: string;
  /** Consecutive failures needed to report unhealthy, at least 1. */
  readonly retries?: number;
}

/** Engine defaults: durations in nanoseconds, and the number of retries. */
const USUAL: Readonly<Record<string, number>> = {
  Interval: 30e9,
  Timeout: 30e9,
  StartPeriod: 0,
  Retries: 3,
};

/** Fields of a `Healthcheck`. */
export const HEALTHCHECK_FIELDS = ['test', 'interval', 'timeout', 'startPeriod', 'retries'];

/** Whether an unknown value has the shape of a health check, or is false. Does not check the field values. */
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

/** Checks a health check and converts it to the API form; false turns off the health check of the image. */
export function parseHealthcheck(check: Healthcheck | false): object {
  if (check === false) return { Test: ['NONE'] };
  const { test, interval, timeout, startPeriod, retries } = check;
  return {
    ...(test !== undefined && { Test: parseTest(test) }),
    ...(interval !== undefined && { Interval: parseDuration(interval) }),
    ...(timeout !== undefined && { Timeout: parseDuration(timeout) }),
    ...(startPeriod !== undefined && { StartPeriod: parseDuration(startPeriod) }),
    ...(retries !== undefined && { Retries: checkRetries(retries) }),
  };
}

/** Reads a health check from the API; false if it is turned off, undefined if there is none. */
export function readHealthcheck(value: unknown): Healthcheck | false | undefined {
  const wire = asRecord(value);
  const test = asTexts(wire['Test']);
  if (test[0] === 'NONE') return false;
  return test.length < 2 ? undefined : { test: readTest(test), ...numbersOf(wire, () => 0) };
}

/**
 * Reads the fields in which a container's health check differs from its image's; false if the image's is turned
 * off, undefined if there is no difference.
 */
export function readOwnHealthcheck(
  own: unknown,
  ofImage: unknown,
): Healthcheck | false | undefined {
  const wire = asRecord(own);
  const inherited = asRecord(ofImage);
  const test = asTexts(wire['Test']);
  const testOfImage = asTexts(inherited['Test']);
  if (test[0] === 'NONE') return testOfImage.length > 0 ? false : undefined;
  const numbers = numbersOf(wire, (name, usual) => (asNumber(inherited[name]) ?? 0) || usual);
  const isOther = test.length > 0 && !isDeepStrictEqual(test, testOfImage);
  if (!isOther && Object.keys(numbers).length === 0) return undefined;
  return { ...(isOther && { test: readTest(test) }), ...numbers };
}

/** Reads the command of a health check. Of a shell command, further words are only parameters of the shell. */
function readTest([kind, ...words]: readonly string[]): string | readonly string[] {
  return kind === 'CMD-SHELL' ? (words[0] ?? '') : words;
}

/** Reads the durations and retries that are not defaults. */
function numbersOf(
  wire: Readonly<Record<string, unknown>>,
  usualOf: (name: string, usual: number) => number,
): Omit<Healthcheck, 'test'> {
  const numbers = Object.entries(USUAL).flatMap(([name, usual]): [string, unknown][] => {
    const value = asNumber(wire[name]) ?? 0;
    if (value <= 0 || value === usualOf(name, usual)) return [];
    const field = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
    return [[field, name === 'Retries' ? value : formatNanoseconds(value)]];
  });
  return Object.fromEntries(numbers);
}

export function checkRetries(retries: number, text = String(retries)): number {
  if (Number.isSafeInteger(retries) && retries >= 1 && retries < 2 ** 31) return retries;
  throw InputError.of(
    '"{0}" is not a number of failures. Use an integer of 1 or more.',
    quotable(text),
  );
}

function parseTest(test: string | readonly string[]): readonly string[] {
  const isText = typeof test === 'string';
  if (isText ? test.trim() !== '' : (test[0] ?? '') !== '')
    return isText ? ['CMD-SHELL', test] : ['CMD', ...test];
  throw InputError.of('The health check has no command.');
}
