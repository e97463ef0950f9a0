import { isAscii } from 'node:buffer';

/**
 * Log output that is hard to read correctly: a shell script that writes it, and the expected lines, computed
 * from the bytes without using product code.
 */

/** One write to one stream: its shell command and the resulting bytes. */
interface Write {
  readonly to: 'stdout' | 'stderr';
  readonly shell: string;
  readonly bytes: Buffer;
}

/** How the container is run, and how its engine stores the output. */
export interface Keeping {
  readonly tty: boolean;
  /** The json-file driver of Docker stores only text, cut into pieces; everything else stores the bytes. */
  readonly keepsText: boolean;
}

/** The lines of each stream; with a TTY all are `stdout`. */
export interface Lines {
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

const NEWLINE = 0x0a;
const PIECE = 16_384;
const EMOJI = Buffer.from('😀');
/** The sizes at which engines cut a line. */
const CUTS = [8192, 16_384, 32_768];
const EMPTY_LINES = 2000;
const NUMBERED_LINES = 500;

/** Lines as written, and as displayed without colors and cursor control. */
const CONTROLS: readonly (readonly [written: string, shown: string])[] = [
  ['nul \0 in it', 'nul  in it'],
  ['\0', ''],
  ['10 %\r20 %\rdone', 'done'],
  ['bar 1\rbar 2\r', 'bar 2'],
  ['\rstart', 'start'],
  ['\r', ''],
  ['\x1b[38;5;208m256\x1b[0m colours', '256 colours'],
  ['\x1b[38;2;1;2;3mtrue\x1b[48:2::9:8:7m colour\x1b[m', 'true colour'],
  [
    '\x1b]8;;http://x/\x1b\\link\x1b]8;;\x1b\\ and \x1b]8;;http://y/\x07bell\x1b]8;;\x07',
    'link and bell',
  ],
  ['\x1b[2J\x1b[1;1H\x1b[5Aup\x1b[3Cright', 'upright'],
  ['\x1b7saved\x1b8 and \x1bcreset', 'saved and reset'],
  ['a tab\tstays', 'a tab\tstays'],
  ['\u202eback\u202c and forth', 'back and forth'],
];
/** Invalid UTF-8: Latin-1, incomplete characters, overlong forms, a surrogate. */
const NO_UTF8 = [
  'latin \xe4\xf6\xfc',
  '\x80\xbf',
  'half \xf0\x9f\x98',
  'long \xc0\xaf',
  '\xed\xa0\x80',
  '\xff\xfe',
];

/** Prints every byte as an octal escape of `printf`. */
function print(bytes: Buffer | string, to: Write['to'] = 'stdout'): Write {
  const all = Buffer.from(bytes);
  const octal = [...all].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  return { to, shell: `printf '${octal}'${to === 'stderr' ? ' >&2' : ''}`, bytes: all };
}

function fill(letter: string, count: number): Write {
  const shell = `head -c ${count} /dev/zero | tr '\\0' ${letter}`;
  return { to: 'stdout', shell, bytes: Buffer.from(letter.repeat(count)) };
}

/** An emoji in two writes, cut at every position; in four writes; and interleaved on both streams. */
function splitEmoji(): readonly Write[] {
  const a = EMOJI.subarray(0, 2);
  const b = EMOJI.subarray(2);
  const inTwo = [1, 2, 3].flatMap((at) => [
    print(EMOJI.subarray(0, at)),
    print(Buffer.concat([EMOJI.subarray(at), Buffer.from(` cut at ${at}\n`)])),
  ]);
  const inFour = [...EMOJI].map((byte) => print(Buffer.from([byte])));
  const onBoth = [print(a), print(a, 'stderr'), print(b), print(b, 'stderr')];
  const ends = [print('\n'), print('\n', 'stderr')];
  return [...inTwo, ...inFour, print('\n'), print('err ', 'stderr'), ...onBoth, ...ends];
}

/** Lines that end at, before, and after a cut, and an emoji on the cut at every position. */
function cutLines(): readonly Write[] {
  return CUTS.flatMap((cut) => [
    ...[-1, 0, 1].flatMap((more) => [fill('a', cut + more), print('\n')]),
    ...[1, 2, 3].flatMap((bytes) => [fill('b', cut - bytes), print(`😀 ${cut} ${bytes}\n`)]),
    ...[0, 1].flatMap((more) => [fill('c', cut - more), print('\r\n')]),
  ]);
}

function plainLines(): readonly Write[] {
  const numbers = Array.from({ length: NUMBERED_LINES }, (_, index) => `${index + 1}\n`).join('');
  const empty = "yes '' | head -n ";
  return [
    ...[1, 2, 3, 4, 5].flatMap((turn) => [print('same\n'), print(`err ${turn} €\n`, 'stderr')]),
    { to: 'stdout', shell: `${empty}${EMPTY_LINES}`, bytes: Buffer.from('\n'.repeat(EMPTY_LINES)) },
    { to: 'stdout', shell: `seq ${NUMBERED_LINES}`, bytes: Buffer.from(numbers) },
    print('crlf\r\n'),
    print('err no end', 'stderr'),
    print('no end'),
  ];
}

const WRITES: readonly Write[] = [
  ...splitEmoji(),
  ...cutLines(),
  ...CONTROLS.map(([written]) => print(`${written}\n`)),
  ...NO_UTF8.map((bytes) => print(Buffer.from(`${bytes}\n`, 'latin1'))),
  ...plainLines(),
];

/** A shell script that writes all of the output. */
export const TORTURE = WRITES.map(({ shell }) => shell).join('\n');

/** Returns the expected lines, with colors and cursor control. */
export function tortureLines({ tty, keepsText }: Keeping): Lines {
  const bytesOf = (to: Write['to']): Buffer =>
    Buffer.concat(WRITES.filter((write) => tty || write.to === to).map(({ bytes }) => bytes));
  const linesOf = (bytes: Buffer): readonly string[] =>
    linesIn(tty ? asTerminal(bytes) : bytes).map((line) => textOf(line, keepsText));
  return {
    stdout: linesOf(bytesOf('stdout')),
    stderr: tty ? [] : linesOf(bytesOf('stderr')),
  };
}

/** Returns a line as displayed without colors and cursor control. */
export function shownOf(line: string): string {
  const text = withoutReturn(line);
  return SHOWN.get(text) ?? text;
}

const SHOWN = new Map(CONTROLS.map(([written, shown]) => [withoutReturn(written), shown]));

function withoutReturn(line: string): string {
  return line.replace(/\r+$/, '');
}

/** A terminal inserts a carriage return before each line feed. */
function asTerminal(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1');
}

function linesIn(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return start < bytes.length ? [...lines, bytes.subarray(start)] : lines;
}

/** A trailing carriage return is part of the line end. */
function textOf(line: Buffer, keepsText: boolean): string {
  const text = keepsText ? piecesOf(line).map(goText).join('') : decode(line);
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

function piecesOf(line: Buffer): readonly Buffer[] {
  const count = Math.ceil(line.length / PIECE);
  return Array.from({ length: count }, (_, at) => line.subarray(at * PIECE, (at + 1) * PIECE));
}

function decode(bytes: Buffer): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** Decodes like Go: each byte that is not part of a character becomes a replacement character. */
function goText(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const size = [1, 2, 3, 4].find((length) => isCharacter(bytes.subarray(at, at + length)));
    text += size === undefined ? '\ufffd' : decode(bytes.subarray(at, at + size));
    at += size ?? 1;
  }
  return text;
}

function isCharacter(bytes: Buffer): boolean {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).length > 0;
  } catch {
    return false;
  }
}
