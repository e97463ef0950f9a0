import { ClipboardAddon } from '@xterm/addon-clipboard/lib/addon-clipboard.mjs';
import xterm from '@xterm/headless';
import assert from 'node:assert/strict';
import type { LogLine } from '../../../src/engine/model.ts';
import { terminalLines } from '../../../src/output/terminal/logTerminal.ts';

/** The parts of escape sequences, and input that terminals parse differently. */
const ATOMS = [
  ...['\x1b', '\x1b', '\x1b[', '\x1b]', '\x1bP', '\x1b\\', '\x1bc', '\x9b', '\x9d', '\x90', '\x9c'],
  ...['\0', '\x7f', '\x07', '\r', '\b', '\x0e', '\x18', '\x1a', '\x85', '\u2028', '\t', ' '],
  ...['[', ']', 'P', 'X', '^', '_', '\\', '?', '>', '!', '$', '%', '(', '#', ':', ';', ';', 'm'],
  ...['0', '1', '2', '4', '5', '6', '7', '8', '9', '49', '52;c;', '10;?', '11;?', '4;1;?', '104'],
  ...['c', 'h', 'l', 'n', 'p', 'q', 't', 'u', 'x', 'J', 'A', 'S', '?1049h', '?47h', '6n', '5n'],
  ...'0;title|8;;|8;;https://a.example|8;;command:x|aGVsbG8=|text|é|\u{1f600}'.split('|'),
];

/** A pseudo-random number generator with a fixed seed. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const lineOf = (text: string): LogLine => ({ source: 'stdout', timestamp: '', text });

/** Returns a terminal that records everything it is made to do other than showing text. */
function watchedTerminal(): { terminal: xterm.Terminal; heard: string[]; lines: () => number } {
  const terminal = new xterm.Terminal({ allowProposedApi: true, scrollback: 10, rows: 5 });
  const heard: string[] = [];
  let lines = 0;
  const hear =
    (what: string) =>
    (...details: readonly unknown[]): boolean => {
      heard.push(`${what} ${JSON.stringify(details)}`);
      return true;
    };
  terminal.loadAddon(
    new ClipboardAddon(undefined, {
      readText: () => (hear('clipboard read')(), ''),
      writeText: (_, text) => void hear('clipboard write')(text),
    }),
  );
  terminal.onTitleChange(hear('title'));
  terminal.onData(hear('answer'));
  terminal.onBell(hear('bell'));
  terminal.buffer.onBufferChange(hear('buffer'));
  terminal.onLineFeed(() => lines++);
  const { parser } = terminal;
  for (const id of [0, 1, 2, 4, 10, 11, 12, 104, 110, 111, 112, 133, 633, 1337])
    parser.registerOscHandler(id, hear(`string ${id}`));
  parser.registerEscHandler({ final: 'c' }, hear('reset'));
  for (const final of 'ABCDEFGHIJKLMPSTXZ@`abcdefghilnpqrstux')
    for (const prefix of ['', '?', '>', '='])
      parser.registerCsiHandler(
        { ...(prefix && { prefix }), final },
        hear(`control ${prefix}${final}`),
      );
  for (const id of [
    { final: 'q' },
    { intermediates: '$', final: 'q' },
    { intermediates: '+', final: 'q' },
  ])
    parser.registerDcsHandler(id, hear('device string'));
  parser.registerOscHandler(8, (data) => !/^;(https?:.*)?$/.test(data) && hear('link')(data));
  return { terminal, heard, lines: () => lines };
}

const write = (terminal: xterm.Terminal, text: string): Promise<void> =>
  new Promise((resolve) => terminal.write(text, resolve));

describe('log text in a terminal', () => {
  for (const seed of [1, 2, 3, 4]) {
    it(`sets only colors and links, and loses no line (seed ${seed})`, async () => {
      const COUNT = 25_000;
      const next = chance(seed);
      const { terminal, heard, lines } = watchedTerminal();
      for (let made = 0; made < COUNT; made += 1000) {
        const batch = Array.from({ length: 1000 }, () => {
          const atoms = Array.from({ length: 1 + next(12) }, () => ATOMS[next(ATOMS.length)]);
          return lineOf(atoms.join(''));
        });
        await write(terminal, terminalLines(batch, false));
        assert.equal(heard[0], undefined);
      }
      assert.equal(lines(), COUNT);
      terminal.dispose();
    });
  }
});
