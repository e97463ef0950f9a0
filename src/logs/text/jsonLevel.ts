import type { Level } from './level.ts';
import { closingQuote, skipBlanks, skipValue } from './jsonScan.ts';
import { isLevelKey, valueLevel } from './wordLevel.ts';

/**
 * The level that a JSON object tells in a field of its own, or of its field `log`.
 *
 * @param text may end anywhere.
 * @param start where the object's brace stands.
 */
export function jsonLevel(text: string, start: number): Level {
  for (let at = skipBlanks(text, start + 1); text[at] === '"';) {
    const keyEnd = closingQuote(text, at + 1);
    const value = skipBlanks(text, keyEnd + 1);
    if (keyEnd < 0 || text[value] !== ':') return 'none';
    const valueStart = skipBlanks(text, value + 1);
    const level = levelInField(text, text.slice(at + 1, keyEnd), valueStart);
    if (level !== 'none') return level;
    at = skipBlanks(text, skipValue(text, valueStart));
    if (text[at] !== ',') return 'none';
    at = skipBlanks(text, at + 1);
  }
  return 'none';
}

function levelInField(text: string, key: string, start: number): Level {
  if (isLevelKey(key)) return valueLevel(scalar(text, start));
  if (key === 'log' && text[start] === '{') return jsonLevel(text, start);
  // MongoDB's, which begin with their moment.
  if (key === 's' && text.startsWith('{"t":{')) return valueLevel(scalar(text, start).slice(0, 1));
  return 'none';
}

/** A text without its quotes, or a number. */
function scalar(text: string, start: number): string {
  const end = skipValue(text, start);
  return text[start] === '"' ? text.slice(start + 1, end - 1) : text.slice(start, end);
}
