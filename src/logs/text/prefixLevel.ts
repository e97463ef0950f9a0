import type { Level } from './level.ts';
import { jsonLevel } from './jsonLevel.ts';
import { isCommonWord, isLevelKey, valueLevel, wordLevel } from './wordLevel.ts';
import {
  BAR,
  CLOSE,
  kindAt,
  OPEN,
  passToken,
  QUOTE,
  readToken,
  type Prefix,
  type Token,
} from './prefix.ts';

/** After so many words of a language, what follows is a sentence. */
const MOST_WORDS = 2;

/** A longer one is data. */
const LONGEST_TOKEN = 80;

/**
 * The level that stands among time stamps, names and brackets at the beginning of a line, or in `level=…`.
 *
 * @param head the beginning of a line, without escape sequences.
 */
export function prefixLevel(head: string): Level {
  const prefix: Prefix = { head, words: 0, hasStamp: false, depth: 0 };
  const token: Token = {
    start: 0,
    end: 0,
    wordEnd: 0,
    equals: -1,
    hasParts: false,
    hasLetter: false,
  };
  let at = 0;
  while (at < head.length && prefix.words <= MOST_WORDS) {
    const kind = kindAt(head, at);
    if (kind > QUOTE) {
      readToken(head, at, token);
      if (token.end - at > LONGEST_TOKEN) return 'none';
      const level = levelOfToken(prefix, token);
      if (level !== undefined) return level;
      at = passToken(prefix, token);
      continue;
    }
    if (kind === QUOTE) return 'none';
    if (kind === OPEN && head.startsWith('{"', at)) return jsonLevel(head, at);
    if (kind === OPEN) prefix.depth++;
    if (kind === CLOSE && prefix.depth > 0) prefix.depth--;
    if (kind === BAR) prefix.words = 0;
    at++;
  }
  return 'none';
}

function levelOfToken(prefix: Prefix, token: Token): Level | undefined {
  const { head } = prefix;
  const { start, end, wordEnd } = token;
  const level = wordLevel(head, start, wordEnd);
  if (level !== undefined && isMeant(prefix, start, wordEnd)) return level;
  if (prefix.words === 0 && token.equals > 0) return levelInPair(head, token);
  if (!token.hasLetter) return undefined;
  const after = token.hasParts ? levelAfterName(prefix, start, end) : undefined;
  return after ?? (prefix.words === 0 ? levelOfException(head, start, end) : undefined);
}

/** Whether the word of a level stands where one is told: in capitals, in brackets, or before a colon or a bar. */
function isMeant(prefix: Prefix, start: number, end: number): boolean {
  const { head, words, depth, hasStamp } = prefix;
  const isCapital = isLarge(head, start + 1);
  const next = head[end] ?? ' ';
  if (depth > 0 && (isCapital || isAlone(head, start, end))) return !/[\w-]/.test(next);
  if (next === ':') return words === 0 || isCapital;
  if (words > 0) return words === 1 && head.startsWith(' error:', end);
  if (!/[\s|,[(]/.test(next)) return false;
  if (isCapital) return hasStamp || !isCommonWord(head.slice(start, end));
  return (
    (hasStamp && /^(?:\t| *\|| +- )/.test(head.slice(end, end + 12))) ||
    head.startsWith(' error:', end)
  );
}

/** Whether a word is all that stands in its brackets. */
function isAlone(head: string, start: number, end: number): boolean {
  let close = end;
  while (head[close] === ' ') close++;
  return start > 0 && kindAt(head, start - 1) === OPEN && kindAt(head, close) === CLOSE;
}

/** `level=error`. */
function levelInPair(head: string, { start, end, equals }: Token): Level | undefined {
  if (!isLevelKey(head.slice(start, equals))) return undefined;
  const isQuoted = head[equals + 1] === '"';
  const value = isQuoted
    ? head.slice(end + 1, end + 20).split('"', 1)[0]
    : head.slice(equals + 1, end);
  const level = valueLevel((value ?? '').replace(/[,;]$/, ''));
  return level === 'none' ? undefined : level;
}

/** `[core:error]`, `local.ERROR:`. */
function levelAfterName({ head, depth }: Prefix, start: number, end: number): Level | undefined {
  const hasColon = head[end - 1] === ':';
  const wordEnd = hasColon ? end - 1 : end;
  const wordStart = lettersBefore(head, start, wordEnd);
  if (wordStart === start || !/[.:]/.test(head[wordStart - 1] ?? '')) return undefined;
  const isInBrackets = depth > 0 && kindAt(head, end) === CLOSE;
  const isTold = hasColon ? isLarge(head, wordStart + 1) : isInBrackets;
  return isTold ? wordLevel(head, wordStart, wordEnd) : undefined;
}

/** `java.io.IOException:`, `DeprecationWarning:`. */
function levelOfException(head: string, start: number, end: number): Level | undefined {
  const hasColon = head[end - 1] === ':';
  const isWhole = start === 0 && end === head.length;
  if (!hasColon && !isWhole && !head.startsWith(' [ERR_', end)) return undefined;
  const name = head.slice(start, hasColon ? end - 1 : end);
  const kind = /(?:Error|Exception|Warning)$/.exec(name)?.[0];
  if (kind === undefined || !/^(?:[\w$]+\.)*[A-Z]\w*$/.test(name)) return undefined;
  return kind === 'Warning' ? 'warning' : 'error';
}

function lettersBefore(head: string, start: number, end: number): number {
  let first = end;
  while (first > start && (isLarge(head, first - 1) || isSmall(head, first - 1))) first--;
  return first;
}

function isLarge(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x41 && code <= 0x5a;
}

function isSmall(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x61 && code <= 0x7a;
}
