/** The state of scanning the start of a line. */
export interface Prefix {
  readonly head: string;
  /** The number of consecutive words of natural language so far. */
  words: number;
  /** Whether there was a date or a time. */
  hasStamp: boolean;
  /** The current nesting depth of brackets. */
  depth: number;
}

/** The text between spaces, brackets, bars and quotes. */
export interface Token {
  start: number;
  /** After its last character. */
  end: number;
  /** The end of the ASCII letters that it starts with. */
  wordEnd: number;
  /** The position of its first `=`; -1 if there is none. */
  equals: number;
  /** Whether it contains a dot or a colon before its end. */
  hasParts: boolean;
  /** Whether it contains a letter of any script. */
  hasLetter: boolean;
}

/** Kinds of characters. Those up to {@link QUOTE} end a token. */
export const OPEN = 2;
export const CLOSE = 3;
export const BAR = 4;
export const QUOTE = 5;
const LETTER = 6;
const DIGIT = 7;
const EQUALS = 8;
const DOT = 9;
const OTHER = 10;

const KINDS: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z]/.test(character)) return LETTER;
  if (/\d/.test(character)) return DIGIT;
  const at = [' \t\0', '[({<', '])}>', '|', '"'].findIndex((kind) => kind.includes(character));
  if (at >= 0) return at + 1;
  if (character === '=') return EQUALS;
  return character === '.' || character === ':' ? DOT : OTHER;
});

export function kindAt(head: string, at: number): number {
  const code = head.charCodeAt(at);
  if (code < 128) return KINDS[code] ?? OTHER;
  // Letters of any script; symbols and pictographs do not count.
  const isLetter =
    code < 0x2000 || (code > 0x2bff && code < 0xd800) || (code > 0xdfff && code < 0xfe00);
  return isLetter ? LETTER : OTHER;
}

/** Reads the token that starts at `start` into `token`, which is allocated once per line. */
export function readToken(head: string, start: number, token: Token): void {
  let end = start;
  // Level names have only ASCII letters.
  while (end < head.length && isAsciiLetter(head.charCodeAt(end))) end++;
  token.start = start;
  token.wordEnd = end;
  token.equals = -1;
  token.hasLetter = end > start;
  let parts = 0;
  for (; end < head.length; end++) {
    const kind = kindAt(head, end);
    if (kind <= QUOTE) break;
    if (kind === LETTER) token.hasLetter = true;
    else if (kind === DOT) parts++;
    else if (kind === EQUALS && token.equals < 0) token.equals = end;
  }
  token.end = end;
  token.hasParts = parts > 0 && parts > (kindAt(head, end - 1) === DOT ? 1 : 0);
}

function isAsciiLetter(code: number): boolean {
  const small = code | 0x20;
  return small >= 0x61 && small <= 0x7a;
}

/** Whether there is an upper-case ASCII letter. */
export function isLarge(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x41 && code <= 0x5a;
}

/** Whether there is a lower-case ASCII letter. */
export function isSmall(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x61 && code <= 0x7a;
}

/**
 * Updates the prefix for a token without a level.
 *
 * @returns the position to continue at.
 */
export function passToken(prefix: Prefix, token: Token): number {
  const { head } = prefix;
  const { start, end } = token;
  if (kindAt(head, end) === QUOTE) return head[end - 1] === '=' ? afterQuote(head, end) : end;
  if (kindAt(head, start) === DIGIT) passNumber(prefix, end - start);
  else if (!token.hasLetter) {
    // After "name -" or "]:" in a line with a timestamp, a level may still follow.
    if (prefix.hasStamp) prefix.words = 0;
  } else if (prefix.depth === 0 && isWord(head, token)) prefix.words++;
  return end;
}

function afterQuote(head: string, quote: number): number {
  const close = head.indexOf('"', quote + 1);
  return close < 0 ? head.length : close + 1;
}

function passNumber(prefix: Prefix, length: number): void {
  if (length >= 5) {
    prefix.hasStamp = true;
    prefix.words = 0;
  } else if (!prefix.hasStamp && prefix.depth === 0) prefix.words++;
}

/** Names of days, months and time zones, and words before the level in well-known formats. */
const NO_WORDS: ReadonlySet<string> = new Set(
  (
    'Mon Tue Wed Thu Fri Sat Sun Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec AM PM ' +
    'UTC GMT CET CEST EST EDT PST PDT PHP Parse Uncaught main'
  ).split(' '),
);
const SHORTEST_NO_WORD = 2;
const LONGEST_NO_WORD = 9;

/** Excludes names like `a=b`, `com.example.Foo` and `main.go:12:`. */
function isWord(head: string, { start, end, equals, hasParts }: Token): boolean {
  if (equals >= 0 || hasParts) return false;
  const length = end - start;
  if (length < SHORTEST_NO_WORD || length > LONGEST_NO_WORD) return true;
  return !NO_WORDS.has(head.slice(start, head[end - 1] === ',' ? end - 1 : end));
}
