import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ansiRuns } from '../../../../src/logs/text/ansiRuns.ts';
import { AnsiStyles, type AnsiStyle } from '../../../../src/logs/text/ansiStyles.ts';
import { visibleText } from '../../../../src/logs/text/visibleText.ts';

const ESC = '\u001b';

/** Runs as pairs, for short expectations. */
function looks(text: string, before?: AnsiStyle): readonly (readonly [string, AnsiStyle?])[] {
  return ansiRuns(text, before).runs.map((run) =>
    run.style === undefined ? [run.text] : [run.text, { ...run.style }],
  );
}

const link = (address: string, text: string, end = `${ESC}\\`): string =>
  `${ESC}]8;id=1;${address}${end}${text}${ESC}]8;;${end}`;

describe('the looks of a line', () => {
  for (const [name, sequence, style] of [
    ['bold', '1', { bold: true }],
    ['dim and italic', '2;3', { dim: true, italic: true }],
    ['underline', '4', { underline: true }],
    ['a curly underline', '4:3', { underline: true }],
    ['a double underline', '21', { underline: true }],
    ['inverse, hidden, strike', '7;8;9', { inverse: true, hidden: true, strike: true }],
    ['one of 8 colours', '31;42', { fg: 1, bg: 2 }],
    ['one of the 8 bright ones', '97;100', { fg: 15, bg: 8 }],
    ['one of 256', '38;5;208;48;5;17', { fg: 208, bg: 17 }],
    ['one of 256 with colons', '38:5:208', { fg: 208 }],
    ['a true colour', '38;2;1;2;3;1', { fg: { r: 1, g: 2, b: 3 }, bold: true }],
    ['a true colour with colons', '48:2::1:2:3', { bg: { r: 1, g: 2, b: 3 } }],
    ['a true colour with few colons', '48:2:1:2:3', { bg: { r: 1, g: 2, b: 3 } }],
    ['a look after the colour of an underline', '58;5;3;1', { bold: true }],
    ['a look after a colour that is none', '38;5;999;38;2;1;2;900;1', { bold: true }],
    ['what comes last', '31;32;1;22', { fg: 2 }],
    ['what is known among what is not', '5;53;73;31', { fg: 1 }],
  ] as const) {
    it(`has ${name}`, () => {
      assert.deepEqual(looks(`${ESC}[${sequence}mx${ESC}[my`), [['x', style], ['y']]);
      assert.deepEqual(looks(`\u009b${sequence}mx\u009b0my`), [['x', style], ['y']]);
    });
  }

  for (const off of ['22;23;24;27;28;29;39;49', '0', '', '1;0']) {
    it(`ends with ${JSON.stringify(off)}`, () => {
      const all = `${ESC}[1;2;3;4;7;8;9;31;41m`;
      assert.deepEqual(looks(`${all}x${ESC}[${off}my`)[1], ['y']);
    });
  }

  for (const [name, sequence] of [
    ['cursor movements', `${ESC}[2K${ESC}[1;5H${ESC}[?25l`],
    ['other sequences that end in m', `${ESC}[>4;2m${ESC}[?31m`],
    ['titles', `${ESC}]0;title\u0007`],
    ['controls', '\0\b'],
    ['a sequence that is cut off', `${ESC}[31`],
  ] as const) {
    it(`have nothing of ${name}`, () => {
      assert.deepEqual(looks(`a${sequence}`), [['a']]);
    });
  }

  it('go on in the next line', () => {
    const { after } = ansiRuns(`a${ESC}[31mb`);
    assert.deepEqual({ ...after }, { fg: 1 });
    assert.deepEqual(looks('c', after), [['c', { fg: 1 }]]);
    assert.equal(ansiRuns(`c${ESC}[m`, after).after, undefined);
    assert.deepEqual(ansiRuns('', after).runs, []);
  });

  it('hold a link to the web, and no other', () => {
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

  it('are those of the last state of a line that was written over', () => {
    assert.deepEqual(looks(`${ESC}[31m10 %\r100 %\r${ESC}[m`), [['100 %', { fg: 1 }]]);
    assert.equal(ansiRuns(`${ESC}[31m10 %\r100 %\r${ESC}[m`).after, undefined);
  });

  it('share the objects of equal styles', () => {
    const styles = new AnsiStyles();
    const text = `${ESC}[31ma${ESC}[1mb${ESC}[22mc${ESC}[31md`;
    const [a, b, c] = ansiRuns(text, undefined, styles).runs;
    assert.equal(a?.style, c?.style);
    assert.equal(c?.text, 'cd');
    assert.notEqual(a?.style, b?.style);
    assert.equal(ansiRuns(text, undefined, styles).runs[1]?.style, b?.style);
  });

  it('end with a limit, and none of the text is lost', () => {
    const rainbow = `${ESC}[31ma${ESC}[32mb`.repeat(500_000);
    const { runs, after } = ansiRuns(rainbow);
    assert.ok(runs.length < 20_000, String(runs.length));
    assert.equal(after, undefined);
    assert.equal(runs.map((run) => run.text).join(''), 'ab'.repeat(500_000));
    assert.equal(ansiRuns(`${ESC}[31m${'x'.repeat(10_000_000)}`).runs.length, 1);
  }).timeout(30_000);

  it('keep the memory of a stream of ever new colours', () => {
    const styles = new AnsiStyles();
    for (let i = 0; i < 5000; i++)
      ansiRuns(`${ESC}[38;2;${i % 256};${i >> 8};7mx`, undefined, styles);
    assert.equal(looks(`${ESC}[31mx`).length, 1);
  }).timeout(30_000);

  it('take nothing from the text and add nothing to it, whatever the line', () => {
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
        fc.array(fc.oneof(piece, fc.string({ unit: 'binary' })), { maxLength: 30 }),
        (pieces) => {
          const text = pieces.join('');
          const { runs } = ansiRuns(text, { bold: true });
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
