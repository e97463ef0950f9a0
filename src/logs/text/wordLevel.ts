import type { Level } from './level.ts';

/** What loggers call their levels, in small letters. */
const NAMES: Readonly<Record<Exclude<Level, 'none'>, string>> = {
  trace: 'trace trc trce silly finest finer verbose vrb t',
  debug: 'debug dbg debu dbug fine d',
  info: 'info inf information informational notice note log config system i',
  warning: 'warning warn wrn w',
  error: 'error err erro eror severe fail failure e',
  fatal: 'fatal ftl fata critical crit crt alert emergency emerg panic dpanic f c',
};

const LEVELS: ReadonlyMap<string, Level> = new Map(
  (Object.entries(NAMES) as [Level, string][]).flatMap(([level, names]) =>
    names.split(' ').map((name) => [name, level] as const),
  ),
);

/** Those that are also words of a language, so that they alone at the beginning of a line say nothing. */
const COMMON: ReadonlySet<string> = new Set(
  'silly finest finer fine note notice log config system fail failure alert emergency'.split(' '),
);

const [SHORTEST, LONGEST] = [3, 13];

/** The level of a word at a place where a line of text may name one; undefined for other words. */
export function wordLevel(text: string, start: number, end: number): Level | undefined {
  const length = end - start;
  if (length < SHORTEST || length > LONGEST || !mayBegin(text.charCodeAt(start))) return undefined;
  return LEVELS.get(text.slice(start, end).toLowerCase());
}

/** Whether a word that names a level is also one of a language. */
export function isCommonWord(word: string): boolean {
  return COMMON.has(word.toLowerCase());
}

/** The level of a value whose name says that it is one: a name, a letter or a number. */
export function valueLevel(value: string): Level {
  if (value.length > LONGEST) return 'none';
  return LEVELS.get(value.trim().toLowerCase()) ?? numberLevel(value);
}

/** Of syslog, 0 being the worst; from 10 on of pino and bunyan, with 60 as the worst. */
export function numberLevel(value: string): Level {
  if (!/^\d{1,3}$/.test(value)) return 'none';
  const number = Number(value);
  if (number < 10) return SYSLOG[number] ?? 'none';
  return TENS[Math.min(Math.floor(number / 10), 6)] ?? 'none';
}

const SYSLOG: readonly Level[] = [
  ...(['fatal', 'fatal', 'fatal', 'error'] as const),
  ...(['warning', 'info', 'info', 'debug'] as const),
];
const TENS: readonly Level[] = ['none', 'trace', 'debug', 'info', 'warning', 'error', 'fatal'];

const KEYS: ReadonlySet<string> = new Set(
  'level severity lvl loglevel log_level log.level levelname level_name severitytext @l'.split(' '),
);

/** Whether a field of this name tells the level. */
export function isLevelKey(name: string): boolean {
  return name.length <= 13 && name.length >= 2 && KEYS.has(name.toLowerCase());
}

/** By its first letter, for nearly all words are none. */
const FIRST_LETTERS: readonly boolean[] = Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code).toLowerCase();
  return [...LEVELS.keys()].some((name) => name.length >= SHORTEST && name.startsWith(letter));
});

function mayBegin(code: number): boolean {
  return FIRST_LETTERS[code] === true;
}
