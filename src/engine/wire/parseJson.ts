import { EngineError, type FailureDetails } from '../errors.ts';

/**
 * The maximum nesting. No response of an engine is nested deeper, and code that walks through a response visits
 * all of it.
 */
const DEEPEST = 64;
/**
 * A response may contain one value per this many bytes of its size limit: a container has some sixty values in
 * thousands of bytes.
 */
const BYTES_PER_VALUE = 16;
/**
 * Parses JSON of an engine. Short values take up to a hundred times their size in memory, so the values are
 * counted before any is created.
 *
 * @param limit size limit of the text in bytes, which the caller has enforced; limits the number of values.
 * @throws EngineError `tooLarge` past the limits; the errors of `JSON.parse`.
 */
export function parseJson(text: string, where: FailureDetails = {}, limit = ANSWER_LIMIT): unknown {
  if (!isBounded(text, limit / BYTES_PER_VALUE)) throw new EngineError('tooLarge', where);
  return JSON.parse(text);
}

/** Parses text within the same limits. Returns undefined if it is not valid JSON, for example if it is incomplete. */
export function tryParseJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The maximum size of a response, and of a record of a stream, in bytes. */
export const ANSWER_LIMIT = 16 * 1024 * 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Returns whether text has at most `mostValues` values and 64 levels. */
function isBounded(text: string, mostValues: number): boolean {
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at + 1);
    else if (code === COMMA) values += 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      values += 1;
      depth += 1;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    if (values > mostValues || depth > DEEPEST) return false;
  }
  return true;
}

/** Returns the position of the quotation mark that ends a string, or the end of the text. */
function endOfString(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) !== QUOTE)
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

/** Returns whether a response is an HTML page, as proxies and web servers send. */
export function isHtmlPage(contentType: string, text: string): boolean {
  return /^(?:text\/html|application\/xhtml)\b/i.test(contentType) || /<html|<!doctype/i.test(text);
}
