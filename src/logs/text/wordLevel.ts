import { LEVELS, type Level } from './level.ts';

/** The names that loggers give their levels, in lower case. */
const NAMES: Readonly<Record<Exclude<Level, 'none'>, string>> = {
  trace: 'trace trc trce silly finest finer verbose vrb t',
  debug: 'debug dbg debu dbug fine d',
  info: 'info inf information informational notice note log config system i',
  warning: 'warning warn wrn w',
  error: 'error err erro eror severe fail failure e',
  fatal: 'fatal ftl fata critical crit crt alert emergency emerg panic dpanic f c',
};

const LEVELS_BY_NAME: ReadonlyMap<string, Level> = new Map(
  (Object.entries(NAMES) as [Level, string][]).flatMap(([level, names]) =>
    names.split(' ').map((name) => [name, level] as const),
  ),
);

/** Names that are also common words, and therefore do not count as a level when alone at the start of a line. */
const COMMON: ReadonlySet<string> = new Set(
  'silly finest finer fine note notice log config system fail failure alert emergency'.split(' '),
);

const SHORTEST = 3;
const LONGEST = 13;

/** Returns the level that a word names; undefined for other words. Only for positions where a level may be. */
export function wordLevel(text: string, start: number, end: number): Level | undefined {
  const length = end - start;
  if (length < SHORTEST || length > LONGEST) return undefined;
  if (!FIRST_LETTERS[text.charCodeAt(start)]) return undefined;
  return LEVELS_BY_NAME.get(text.slice(start, end).toLowerCase());
}

/** Whether the name of a level is also a common word. */
export function isCommonWord(word: string): boolean {
  return COMMON.has(word.toLowerCase());
}

/** Returns the level of a value whose key is that of a level: a name, a letter or a number. */
export function valueLevel(value: string): Level {
  if (value.length > LONGEST) return 'none';
  return LEVELS_BY_NAME.get(value.trim().toLowerCase()) ?? numberLevel(value);
}

/**
 * Returns the level of a number: syslog below 10, with 0 as the most severe; pino and bunyan from 10 on, with
 * 60 as the most severe.
 */
export function numberLevel(value: string): Level {
  if (!/^\d{1,3}$/.test(value)) return 'none';
  const number = Number(value);
  if (number < 10) return SYSLOG[number] ?? 'none';
  return LEVELS[Math.min(Math.floor(number / 10), 6)] ?? 'none';
}

const SYSLOG: readonly Level[] = [
  ...(['fatal', 'fatal', 'fatal', 'error'] as const),
  ...(['warning', 'info', 'info', 'debug'] as const),
];

const KEYS: ReadonlySet<string> = new Set(
  'level severity lvl loglevel log_level log.level levelname level_name severitytext @l'.split(' '),
);

/** Whether a field of this name contains the level. */
export function isLevelKey(name: string): boolean {
  return name.length <= 13 && name.length >= 2 && KEYS.has(name.toLowerCase());
}

/** Indexed by the first letter, to exclude most words quickly. */
const FIRST_LETTERS: readonly boolean[] = Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code).toLowerCase();
  return [...LEVELS_BY_NAME.keys()].some(
    (name) => name.length >= SHORTEST && name.startsWith(letter),
  );
});
