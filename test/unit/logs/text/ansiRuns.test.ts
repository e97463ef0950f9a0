import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ansiRuns } from '../../../../src/logs/text/ansiRuns.ts';
import { AnsiStyles, FLAGS } from '../../../../src/logs/text/ansiStyles.ts';
import { visibleText } from '../../../../src/logs/text/visibleText.ts';
import { codePoint } from '../../support/codePoint.ts';

const ESC = '\u001b';

/** Returns runs as pairs of the text and the active styles, for short expectations. */
function looks(text: string): readonly (readonly [string, object?])[] {
  return ansiRuns(text).map(({ text: shown, style }) => {
    if (!style) return [shown];
    const { flags, ...rest } = style;
    const on = Object.entries(FLAGS).filter(([, bit]) => flags & bit);
    const all = [...Object.entries(rest), ...on.map(([name]) => [name, true] as const)];
    return [shown, JSON.parse(JSON.stringify(Object.fromEntries(all))) as object];
  });
}

const link = (address: string, text: string, end = `${ESC}\\`): string =>
  `${ESC}]8;id=1;${address}${end}${text}${ESC}]8;;${end}`;

describe('ansiRuns', () => {
  for (const [name, sequence, style] of [
    ['bold text', '1', { bold: true }],
    ['dim and italic text', '2;3', { dim: true, italic: true }],
    ['an underline', '4', { underline: true }],
    ['a curly underline', '4:3', { underline: true }],
    ['a double underline', '21', { underline: true }],
    [
      'inverse, hidden and strikethrough text',
      '7;8;9',
      { inverse: true, hidden: true, strike: true },
    ],
    ['one of the 8 colors', '31;42', { fg: 1, bg: 2 }],
    ['one of the 8 bright colors', '97;100', { fg: 15, bg: 8 }],
    ['one of the 256 colors', '38;5;208;48;5;17', { fg: 208, bg: 17 }],
    ['one of the 256 colors, written with colons', '38:5:208', { fg: 208 }],
    ['a true color', '38;2;1;2;3;1', { fg: { r: 1, g: 2, b: 3 }, bold: true }],
    ['a true color, written with colons', '48:2::1:2:3', { bg: { r: 1, g: 2, b: 3 } }],
    [
      'a true color, written with colons and without a color space',
      '48:2:1:2:3',
      { bg: { r: 1, g: 2, b: 3 } },
    ],
    ['bold text after an underline color', '58;5;3;1', { bold: true }],
    ['bold text after invalid colors', '38;5;999;38;2;1;2;900;1', { bold: true }],
    ['the last of several values', '31;32;1;22', { fg: 2 }],
    ['a known value among unknown ones', '5;53;73;31', { fg: 1 }],
  ] as const) {
    it(`parses ${name}`, () => {
      assert.deepEqual(looks(`${ESC}[${sequence}mx${ESC}[my`), [['x', style], ['y']]);
      assert.deepEqual(looks(`\u009b${sequence}mx\u009b0my`), [['x', style], ['y']]);
    });
  }

  for (const off of ['22;23;24;27;28;29;39;49', '0', '', '1;0']) {
    it(`resets the style with ${JSON.stringify(off)}`, () => {
      const all = `${ESC}[1;2;3;4;7;8;9;31;41m`;
      assert.deepEqual(looks(`${all}x${ESC}[${off}my`)[1], ['y']);
    });
  }

  for (const [name, sequence] of [
    ['cursor movements', `${ESC}[2K${ESC}[1;5H${ESC}[?25l`],
    ['other sequences that end in m', `${ESC}[>4;2m${ESC}[?31m`],
    ['window titles', `${ESC}]0;title\u0007`],
    ['control characters', '\0\b'],
    ['an incomplete sequence', `${ESC}[31`],
  ] as const) {
    it(`removes ${name}`, () => assert.deepEqual(looks(`a${sequence}`), [['a']]));
  }

  it('returns no runs for a line without text', () => assert.deepEqual(ansiRuns(`${ESC}[31m`), []));

  it('keeps links to web addresses, and no others', () => {
    const style = { link: 'https://x.example/a?b' };
    assert.deepEqual(looks(`${link(style.link, 'text')}.`), [['text', style], ['.']]);
    assert.deepEqual(looks(link(style.link, 'text', '\u0007')), [['text', style]]);
    for (const address of [
      'command:x',
      'ftp://x.example/a',
      'vscode://x.y/z',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'http:x',
      ' ',
    ]) {
      assert.deepEqual(looks(link(address, 'text')), [['text']], address);
    }
    assert.deepEqual(looks(link(`https://x/${'a'.repeat(3000)}`, 'text')), [['text']]);
  });

  it('styles the last state of a line that was overwritten', () => {
    assert.deepEqual(looks(`${ESC}[31m10 %\r100 %\r${ESC}[m`), [['100 %', { fg: 1 }]]);
  });

  it('shares the objects of equal styles', () => {
    const styles = new AnsiStyles();
    const text = `${ESC}[31ma${ESC}[1mb${ESC}[22mc${ESC}[31md`;
    const [a, b, c] = ansiRuns(text, styles);
    assert.equal(a?.style, c?.style);
    assert.equal(c?.text, 'cd');
    assert.notEqual(a?.style, b?.style);
    assert.equal(ansiRuns(text, styles)[1]?.style, b?.style);
  });

  it('stops styling at a limit, without losing text', () => {
    const rainbow = `${ESC}[31ma${ESC}[32mb`.repeat(500_000);
    const runs = ansiRuns(rainbow);
    assert.ok(runs.length < 20_000, String(runs.length));
    assert.equal(runs.map((run) => run.text).join(''), 'ab'.repeat(500_000));
    assert.equal(ansiRuns(`${ESC}[31m${'x'.repeat(10_000_000)}`).length, 1);
  }).timeout(30_000);

  it('limits its memory for a stream of ever-changing colors', () => {
    const styles = new AnsiStyles();
    for (let i = 0; i < 5000; i++) ansiRuns(`${ESC}[38;2;${i % 256};${i >> 8};7mx`, styles);
    assert.equal(looks(`${ESC}[31mx`).length, 1);
  }).timeout(30_000);

  it('returns exactly the visible text, whatever the line', () => {
    const piece = fc.constantFrom(
      ...[
        `${ESC}[`,
        ESC,
        '31',
        ';',
        ':',
        '38;2',
        'm',
        '\r',
        `${ESC}]8;;http://x`,
        '\u0007',
        'a',
        '\u009b',
      ],
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(piece, fc.string({ unit: codePoint })), { maxLength: 30 }),
        (pieces) => {
          const text = pieces.join('');
          const runs = ansiRuns(text);
          assert.equal(runs.map((run) => run.text).join(''), visibleText(text));
          assert.ok(
            runs.every(
              (run, i) => run.text !== '' && (i === 0 || run.style !== runs[i - 1]?.style),
            ),
          );
        },
      ),
      { numRuns: 500, seed: 4 },
    );
  }).timeout(30_000);
});
