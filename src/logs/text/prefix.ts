/** What a line has told of itself up to some place in its beginning. */
export interface Prefix {
  readonly head: string;
  /** How many words of a language there were since the last thing that is none. */
  words: number;
  /** Whether there was a date or a time of day. */
  hasStamp: boolean;
  /** Within how many brackets the place is. */
  depth: number;
}

/** What stands between blanks, brackets, bars and quotes. */
export interface Token {
  start: number;
  /** After its last character. */
  end: number;
  /** After the ASCII letters that it begins with. */
  wordEnd: number;
  /** Where its first `=` stands; -1 without. */
  equals: number;
  /** Whether a dot or a colon stands somewhere within, and not only at its end. */
  hasParts: boolean;
  /** Whether there is a letter of any script in it. */
  hasLetter: boolean;
}

/** Kinds of characters; those up to {@link QUOTE} end a token. */
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

/** What a character is to the beginning of a line. */
export function kindAt(head: string, at: number): number {
  const code = head.charCodeAt(at);
  if (code < 128) return KINDS[code] ?? OTHER;
  // Of any script; signs and pictures are no letters.
  const isLetter =
    code < 0x2000 || (code > 0x2bff && code < 0xd800) || (code > 0xdfff && code < 0xfe00);
  return isLetter ? LETTER : OTHER;
}

/** Reads the token that begins at `start` into `token`, which is made once for a line. */
export function readToken(head: string, start: number, token: Token): void {
  let end = start;
  // Letters of other scripts are not in the name of a level.
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

/** Notes a token that tells no level. @returns where to go on. */
export function passToken(prefix: Prefix, token: Token): number {
  const { head } = prefix;
  const { start, end } = token;
  if (kindAt(head, end) === QUOTE) return head[end - 1] === '=' ? afterQuote(head, end) : end;
  if (kindAt(head, start) === DIGIT) passNumber(prefix, end - start);
  else if (!token.hasLetter) {
    // What comes after "name -" or "]:" of a line with a stamp is no sentence yet.
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

/** Names of days, months, time zones; and those that stand before a level in well-known formats. */
const NO_WORDS: ReadonlySet<string> = new Set(
  (
    'Mon Tue Wed Thu Fri Sat Sun Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec AM PM ' +
    'UTC GMT CET CEST EST EDT PST PDT PHP Parse Uncaught main'
  ).split(' '),
);
const [SHORTEST_NO_WORD, LONGEST_NO_WORD] = [2, 9];

/** Not `a=b`, `com.example.Foo` or `main.go:12:`, which are names. */
function isWord(head: string, { start, end, equals, hasParts }: Token): boolean {
  if (equals >= 0 || hasParts) return false;
  const length = end - start;
  if (length < SHORTEST_NO_WORD || length > LONGEST_NO_WORD) return true;
  return !NO_WORDS.has(head.slice(start, head[end - 1] === ',' ? end - 1 : end));
}
