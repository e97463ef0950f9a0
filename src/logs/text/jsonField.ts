import { closingQuote, skipBlanks, skipValue } from './jsonScan.ts';

export interface JsonField {
  /** The names of nested fields are joined by dots: `request.headers.host`. */
  readonly name: string;
  /** The value of a string, or any other value as written. A very long value is truncated with an ellipsis. */
  readonly value: string;
}

/** A longer line is data, not a record. */
const LONGEST_LINE = 200_000;
const MOST_FIELDS = 200;
const DEEPEST = 5;
const LONGEST_NAME = 200;
const LONGEST_VALUE = 10_000;

/**
 * Returns the fields of a line that is one JSON object, in order; undefined for other lines. Objects nested
 * more than five levels deep and arrays are returned as written. Fields after the first 200 are omitted.
 *
 * @param plain the line without escape sequences.
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

/** Scans valid JSON without parsing it, because a parser would change long numbers and the order of names. */
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
  return { name, value: cut(raw.startsWith('"') ? textOf(raw) : raw, LONGEST_VALUE) };
}

/** Returns the value of a quoted JSON string. */
function textOf(quoted: string): string {
  return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
}

function cut(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit).toWellFormed()}…` : text;
}
