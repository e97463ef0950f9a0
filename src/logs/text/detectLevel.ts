import type { Level } from './level.ts';
import { visibleText } from './visibleText.ts';
import {
  isLarge,
  isSmall,
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
import { numberLevel, valueLevel, isCommonWord, isLevelKey, wordLevel } from './wordLevel.ts';
import { closingQuote, skipBlanks, skipValue } from './jsonScan.ts';

/** The level of a line is near its start, if anywhere. */
const HEAD_LENGTH = 200;
/** In JSON, the level may follow a long message. */
const JSON_LENGTH = 1000;

/**
 * Detects the level of a line by its JSON, its `level=…` or its start in the common formats. A word within a sentence
 * does not count. Called for each of millions of lines, so it scans only their start, and each character about once.
 *
 * @param text the line as written, with its escape sequences.
 */
export function detectLevel(text: string): Level {
  const head = headOf(text);
  if (head.startsWith('{')) return jsonLevel(text.slice(0, JSON_LENGTH), 0);
  return letterLevel(head) ?? prefixLevel(head);
}

function headOf(text: string): string {
  const head = text.slice(0, HEAD_LENGTH);
  if (!head.includes('\u001b') && !head.includes('\r') && !head.includes('\u009b')) return head;
  // Allow extra characters for color sequences.
  return visibleText(text.slice(0, 2 * HEAD_LENGTH)).slice(0, HEAD_LENGTH);
}

/**
 * Detects the level in formats that have it in one character or in a fixed prefix; undefined for others.
 *
 * @param head the start of a line.
 */
function letterLevel(head: string): Level | undefined {
  switch (head.charCodeAt(0)) {
    case 0x3c:
      return levelOfSyslog(head);
    case 0x5b:
      // Tornado: "[I 2026…".
      return isLarge(head, 1) && head[2] === ' ' && isDigit(head, 3)
        ? letterAt(head, 1)
        : undefined;
    case 0x54:
      return head.startsWith('Traceback (most recent call last)') ? 'error' : undefined;
    case 0x6e:
      return head.startsWith('npm ') ? levelOfNpm(head) : undefined;
    case 0x74:
      return /^thread '[^']{1,100}'(?: \(\d+\))? panicked at /.test(head) ? 'error' : undefined;
    default:
      if (isDigit(head, 0)) return levelOfRedis(head);
      if (!isLarge(head, 0)) return undefined;
      return isSmall(head, 1) ? levelOfPhrase(head) : levelOfFirstLetter(head);
  }
}

/** `<3>`; the higher bits are the facility. */
function levelOfSyslog(head: string): Level | undefined {
  const end = head.indexOf('>');
  const priority = head.slice(1, Math.min(end, 5));
  return end > 0 && end < 5 && /^\d+$/.test(priority)
    ? numberLevel(String(Number(priority) % 8))
    : undefined;
}

/** The messages of Java and .NET for an unhandled exception. */
function levelOfPhrase(head: string): Level | undefined {
  const isCrash = /^(?:Exception in thread "|Unhandled exception[.:])/.test(head);
  return isCrash ? 'error' : undefined;
}

/** `E0102 12:00:00` of klog, `E, [2026…` of Ruby. */
function levelOfFirstLetter(head: string): Level | undefined {
  const isRuby = head.startsWith(', [', 1) && isDigit(head, 4);
  const isKlog = isDigit(head, 1) && /^\w\d{4} \d\d:/.test(head.slice(0, 9));
  return isRuby || isKlog ? letterAt(head, 0) : undefined;
}

function levelOfNpm(head: string): Level | undefined {
  const word = /^npm ([A-Za-z]{3,5})!?(?: |$)/.exec(head.slice(0, 12))?.[1];
  return word === undefined ? undefined : known(valueLevel(word));
}

/** `1:M 01 Jan 2026 12:00:00.000 * Ready`: Redis marks a notice with an asterisk and a warning with a hash sign. */
function levelOfRedis(head: string): Level | undefined {
  const colon = head.indexOf(':');
  if (colon > 7 || head[colon + 2] !== ' ' || !isLarge(head, colon + 1)) return undefined;
  const mark = /^\d+:[MSCX] \d\d \w{3} \d{4} [\d:.]{8,12} ([.*#-]) /.exec(head.slice(0, 50))?.[1];
  return mark === undefined ? undefined : REDIS[mark];
}

const REDIS: Readonly<Record<string, Level>> = {
  '.': 'debug',
  '-': 'info',
  '*': 'info',
  '#': 'warning',
};

/** Returns the level that a capital letter represents. */
function letterAt(head: string, at: number): Level | undefined {
  return known(valueLevel(head[at] ?? ''));
}

function known(level: Level): Level | undefined {
  return level === 'none' ? undefined : level;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

/** After this many words of natural language, the rest is a sentence. */
const MOST_WORDS = 2;

/** A longer token is data. */
const LONGEST_TOKEN = 80;

/**
 * Detects the level among timestamps, names and brackets at the start of a line, or in `level=…`.
 *
 * @param head the start of a line, without escape sequences.
 */
function prefixLevel(head: string): Level {
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
  if (level !== undefined && isLevelPosition(prefix, start, wordEnd)) return level;
  if (prefix.words === 0 && token.equals > 0) return levelInPair(head, token);
  if (!token.hasLetter) return undefined;
  const after = token.hasParts ? levelAfterName(prefix, start, end) : undefined;
  return after ?? (prefix.words === 0 ? levelOfException(head, start, end) : undefined);
}

/** Whether the name of a level is in a position for levels: capitalized, in brackets, or before a colon or a bar. */
function isLevelPosition(prefix: Prefix, start: number, end: number): boolean {
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

/** Whether a word is alone in its brackets. */
function isAlone(head: string, start: number, end: number): boolean {
  let close = end;
  while (head[close] === ' ') close++;
  return start > 0 && kindAt(head, start - 1) === OPEN && kindAt(head, close) === CLOSE;
}

/** Returns the level in `level=error`. */
function levelInPair(head: string, { start, end, equals }: Token): Level | undefined {
  if (!isLevelKey(head.slice(start, equals))) return undefined;
  const isQuoted = head[equals + 1] === '"';
  const value = isQuoted
    ? head.slice(end + 1, end + 20).split('"', 1)[0]
    : head.slice(equals + 1, end);
  return known(valueLevel((value ?? '').replace(/[,;]$/, '')));
}

/** Returns the level in `[core:error]`, `local.ERROR:`. */
function levelAfterName({ head, depth }: Prefix, start: number, end: number): Level | undefined {
  const hasColon = head[end - 1] === ':';
  const wordEnd = hasColon ? end - 1 : end;
  const wordStart = lettersBefore(head, start, wordEnd);
  if (wordStart === start || !/[.:]/.test(head[wordStart - 1] ?? '')) return undefined;
  const isInBrackets = depth > 0 && kindAt(head, end) === CLOSE;
  const isMarked = hasColon ? isLarge(head, wordStart + 1) : isInBrackets;
  return isMarked ? wordLevel(head, wordStart, wordEnd) : undefined;
}

/** Returns the level of `java.io.IOException:`, `DeprecationWarning:`. */
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

/**
 * Returns the level in a field of a JSON object or of its field `log`.
 *
 * @param text may end anywhere.
 * @param start the position of the object's opening brace.
 */
function jsonLevel(text: string, start: number): Level {
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
  // MongoDB, whose lines begin with the time.
  if (key === 's' && text.startsWith('{"t":{')) return valueLevel(scalar(text, start).slice(0, 1));
  return 'none';
}

/** Returns a string without its quotes, or a number. */
function scalar(text: string, start: number): string {
  const end = skipValue(text, start);
  return text[start] === '"' ? text.slice(start + 1, end - 1) : text.slice(start, end);
}
