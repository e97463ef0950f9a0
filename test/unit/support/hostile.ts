/** Texts that an attacker may control, and their expected display. */

/** Characters that displayed text must not contain: control, bidirectional override, and invisible characters. */
export const HIDDEN = /(?!\n)\p{Cc}|\p{Cf}|[\u2028\u2029\u3164\u115f]|\u034f|\ufe0f|\p{M}{4}/u;

/** Each with a name for the test and the expected single-line text. */
export const HOSTILE: readonly {
  readonly name: string;
  readonly text: string;
  readonly line: string;
}[] = [
  { name: 'a color', text: '\x1b[31mred\x1b[0m', line: 'red' },
  { name: 'a clear-screen sequence', text: 'a\x1b[2J\x1b[Hb', line: 'ab' },
  { name: 'a terminal link', text: '\x1b]8;;http://evil/\x07x\x1b]8;;\x07', line: 'x' },
  { name: 'an unterminated window title', text: 'a\x1b]0;b', line: 'a0;b' },
  { name: 'an eight-bit control sequence', text: '\x9b31mred', line: 'red' },
  {
    name: 'line breaks',
    text: 'one\r\ntwo\u2028three\u2029four\x85five',
    line: 'one two three four five',
  },
  { name: 'a text direction override', text: 'gpj.\u202eexe', line: 'gpj.exe' },
  { name: 'text direction marks', text: 'a\u2066b\u2069\u200f\u061cc', line: 'abc' },
  {
    name: 'invisible characters',
    text: 'a\u200b\ufeff\u00ad\u{e0041}\u3164\u115f\u034fb',
    line: 'ab',
  },
  {
    name: 'many combining accents',
    text: `a${'\u0301'.repeat(50)}b`,
    line: 'a\u0301\u0301\u0301b',
  },
  { name: 'leading and trailing whitespace', text: ' \t a \n', line: 'a' },
  { name: 'only invisible characters', text: '\u200b\u202e\x1b[0m', line: '' },
];
