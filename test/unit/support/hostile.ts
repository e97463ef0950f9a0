/** Texts that a stranger may choose, and what a person is to see of them. */

/** What no text that is shown may contain: controls, overrides, hidden letters. */
export const HIDDEN = /(?!\n)\p{Cc}|\p{Cf}|[\u2028\u2029\u3164\u115f]|\u034f|\ufe0f|\p{M}{4}/u;

/** Each with a name for the test, and as a line. */
export const HOSTILE: readonly {
  readonly name: string;
  readonly text: string;
  readonly line: string;
}[] = [
  { name: 'a colour', text: '\x1b[31mred\x1b[0m', line: 'red' },
  { name: 'a cleared screen', text: 'a\x1b[2J\x1b[Hb', line: 'ab' },
  { name: 'a terminal link', text: '\x1b]8;;http://evil/\x07x\x1b]8;;\x07', line: 'x' },
  { name: 'a title without end', text: 'a\x1b]0;b', line: 'a0;b' },
  { name: 'an eight-bit sequence', text: '\x9b31mred', line: 'red' },
  {
    name: 'line ends',
    text: 'one\r\ntwo\u2028three\u2029four\x85five',
    line: 'one two three four five',
  },
  { name: 'an override of the direction', text: 'gpj.\u202eexe', line: 'gpj.exe' },
  { name: 'isolates and marks', text: 'a\u2066b\u2069\u200f\u061cc', line: 'abc' },
  {
    name: 'letters that nobody sees',
    text: 'a\u200b\ufeff\u00ad\u{e0041}\u3164\u115f\u034fb',
    line: 'ab',
  },
  { name: 'a heap of accents', text: `a${'\u0301'.repeat(50)}b`, line: 'a\u0301\u0301\u0301b' },
  { name: 'spaces around', text: ' \t a \n', line: 'a' },
  { name: 'nothing that is seen', text: '\u200b\u202e\x1b[0m', line: '' },
];
