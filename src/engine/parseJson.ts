import { EngineError, type FailureDetails } from './errors.ts';

/** Nothing an engine says is nested deeper; what walks through an answer walks through all of it. */
const DEEPEST = 64;
/** An answer may have one value for so many of the bytes that it may have: a container has some sixty in thousands. */
const BYTES_PER_VALUE = 16;
/**
 * Parses what an engine says. Text of a few bytes for each value would become a hundred times as much memory, so the
 * values are counted before any is made.
 *
 * @param limit bytes that the text may have; it has them already.
 * @throws EngineError `tooLarge` past the bounds; what `JSON.parse` throws.
 */
export function parseJson(text: string, where: FailureDetails = {}, limit = ANSWER_LIMIT): unknown {
  if (!isBounded(text, limit / BYTES_PER_VALUE)) throw new EngineError('tooLarge', where);
  return JSON.parse(text);
}

/** Bytes of an answer, and of a record of a stream. */
export const ANSWER_LIMIT = 16 * 1024 * 1024;

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Whether text has at most so many values, in at most 64 levels. */
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

/** Where the quote is that ends a string, or the end of the text. */
function endOfString(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) !== QUOTE)
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
