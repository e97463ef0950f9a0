import type { Level } from './level.ts';
import { closingQuote, skipBlanks, skipValue } from './jsonScan.ts';
import { isLevelKey, valueLevel } from './wordLevel.ts';

/** One field of a line of JSON. */
export interface JsonField {
  /** Those of objects in it are joined by dots: `request.headers.host`. */
  readonly name: string;
  /** A text as it is, anything else as it was written. Cut with an ellipsis where it is very long. */
  readonly value: string;
  /** What of the record it is, where its name tells. */
  readonly role?: JsonRole;
}

/** What a person looks for first in a record. */
export type JsonRole = 'message' | 'time' | 'level';

/** A longer line is data and no record. */
const LONGEST_LINE = 200_000;
const [MOST_FIELDS, DEEPEST, LONGEST_NAME, LONGEST_VALUE] = [200, 5, 200, 10_000];

/**
 * The fields of a line that is one JSON object, in their order; undefined for every other line. Objects deeper
 * than five stand as they were written, and so do lists; what comes after 200 fields is left out.
 *
 * @param plain without escape sequences.
 */
export function jsonFieldsOf(plain: string): readonly JsonField[] | undefined {
  if (plain.length > LONGEST_LINE || !isObject(plain)) return undefined;
  const fields: JsonField[] = [];
  addFields(plain, skipBlanks(plain, 0), '', 1, fields);
  return fields;
}

function isObject(plain: string): boolean {
  const start = skipBlanks(plain, 0);
  if (plain[start] !== '{' || !/\}\s{0,9}$/.test(plain.slice(-10))) return false;
  try {
    JSON.parse(plain);
    return true;
  } catch {
    return false;
  }
}

/** Steps over text that is known to be JSON, for a parser would change long numbers and order of names. */
function addFields(
  json: string,
  open: number,
  path: string,
  depth: number,
  fields: JsonField[],
): void {
  let at = skipBlanks(json, open + 1);
  while (json[at] === '"' && fields.length < MOST_FIELDS) {
    const keyEnd = closingQuote(json, at + 1);
    const key = textOf(json.slice(at, keyEnd + 1));
    const start = skipBlanks(json, skipBlanks(json, keyEnd + 1) + 1);
    const end = skipValue(json, start);
    const name = cut(path === '' ? key : `${path}.${key}`, LONGEST_NAME);
    const isNested =
      json[start] === '{' && depth < DEEPEST && json[skipBlanks(json, start + 1)] === '"';
    if (isNested) addFields(json, start, name, depth + 1, fields);
    else fields.push(fieldOf(name, json, start, end));
    at = skipBlanks(json, skipBlanks(json, end) + 1);
  }
}

function fieldOf(name: string, json: string, start: number, end: number): JsonField {
  const raw = json.slice(start, end);
  const value = cut(raw.startsWith('"') ? textOf(raw) : raw, LONGEST_VALUE);
  const role = roleOf(name, value);
  return role === undefined ? { name, value } : { name, value, role };
}

const MESSAGE_NAMES: ReadonlySet<string> = new Set(
  'msg message @m short_message event body text log'.split(' '),
);
const TIME_NAMES: ReadonlySet<string> = new Set(
  'time timestamp ts @timestamp @t t datetime date asctime t.$date'.split(' '),
);

function roleOf(name: string, value: string): JsonRole | undefined {
  const small = name.toLowerCase();
  if (MESSAGE_NAMES.has(small)) return 'message';
  if (TIME_NAMES.has(small)) return 'time';
  const level: Level = isLevelKey(name) ? valueLevel(value) : 'none';
  return level === 'none' ? undefined : 'level';
}

/** What a JSON string says, its quotes included in what comes in. */
function textOf(quoted: string): string {
  return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
}

function cut(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit).toWellFormed()}…` : text;
}
