import assert from 'node:assert/strict';
import { RowMaker, type RowMakerDependencies } from '../../../../src/logviewer/host/rowMaker.ts';
import { DEFAULT_STYLE } from '../../../../src/logviewer/host/keptStyle.ts';
import type { Row } from '../../../../src/logviewer/protocol.ts';
import { stored } from '../support.ts';

const ESC = '\u001b';

function maker(parts: Partial<RowMakerDependencies> = {}): RowMaker {
  return new RowMaker({
    style: () => ({ ...DEFAULT_STYLE, times: 'utc' }),
    clock: { now: () => Date.parse('2026-08-01T14:02:10Z') },
    matches: () => [],
    isJsonOpen: () => false,
    titleOfSource: () => undefined,
    ...parts,
  });
}

/** Returns the value as it arrives in the page. */
function sent(value: Row | Row['runs']): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe('RowMaker', () => {
  it('returns the text, time, stream, and level of a line', () => {
    const line = stored('hello', {
      ...{ id: 7, member: 2, kind: 'stderr', level: 'error' },
      timestamp: '2026-08-01T14:02:07.123456789Z',
    });
    assert.deepEqual(sent(maker().row(line)), {
      ...{ id: 7, member: 2, kind: 'stderr', level: 'error' },
      time: '14:02:07.123',
      moment: '2026-08-01T14:02:07.123456789Z',
      runs: [{ text: 'hello' }],
      isCut: false,
    });
  });

  it('returns the colors of the line, swapped for inverse text', () => {
    const text = `${ESC}[1;31mred${ESC}[0m ${ESC}[7mback${ESC}[0m ${ESC}[38;2;1;2;255mown`;
    assert.deepEqual(sent(maker().row(stored(text)).runs), [
      { text: 'red', fg: 1, look: 'bold' },
      { text: ' ' },
      { text: 'back', fg: 0, bg: 7 },
      { text: ' ' },
      { text: 'own', fg: '#0102ff' },
    ]);
  });

  it('shows only the last state of a progress bar', () => {
    assert.deepEqual(sent(maker().row(stored('10 %\r50 %\r100 %')).runs), [{ text: '100 %' }]);
  });

  it('links URLs and resolved source references, indexed among all links', () => {
    const line = stored('see http://a.example/x and (/app/one.js:1:2) or (/app/two.js:3:4)');
    const titleOfSource: RowMakerDependencies['titleOfSource'] = (_, { path }) =>
      path.endsWith('two.js') ? 'two.js:3' : undefined;
    const made = maker({ titleOfSource });
    const links = made
      .row(line)
      .runs.flatMap(({ link, text }) => (link ? [{ ...link, text }] : []));
    assert.deepEqual(links, [
      { index: 0, title: 'http://a.example/x', text: 'http://a.example/x' },
      { index: 2, title: 'two.js:3', text: '/app/two.js:3:4' },
    ]);
    assert.equal(made.links(line)[2]?.kind, 'source');
  });

  it('marks matches across colors and links', () => {
    const made = maker({ matches: () => [{ start: 1, end: 4 }] });
    assert.deepEqual(sent(made.row(stored(`ab${ESC}[31mcdef`)).runs), [
      { text: 'a' },
      { text: 'b', isMatch: true },
      { text: 'cd', fg: 1, isMatch: true },
      { text: 'ef', fg: 1 },
    ]);
  });

  it('looks at each match once, however many colors the line has', () => {
    const count = 2_000;
    const text = Array.from({ length: count }, (_, at) => `${ESC}[3${at % 8}mab`).join('');
    let looks = 0;
    const matches = Array.from({ length: 200 }, (_, at) => ({
      start: at * 20,
      get end() {
        looks++;
        return at * 20 + 1;
      },
    }));
    const { runs } = maker({ matches: () => matches }).row(stored(text));
    assert.equal(runs.filter(({ isMatch }) => isMatch).length, 200);
    assert.ok(looks <= 3 * count, String(looks));
  });

  it('does not parse a line of more than 50,000 characters', () => {
    const json = (length: number): string => JSON.stringify({ a: 'x'.repeat(length) });
    assert.equal(maker().row(stored(json(49_000))).json?.fields.length, 1);
    assert.equal(maker().row(stored(json(51_000))).json, undefined);
  });

  it('truncates a very long line', () => {
    const row = maker().row(stored('x'.repeat(10_000_000)));
    assert.equal(row.isCut, true);
    assert.ok((row.runs[0]?.text.length ?? 0) <= 20_000);
  });

  it('returns the whole text of a row that is truncated, also of the selected JSON fields', () => {
    const isSame = (made: RowMaker, text: string, expected: string): void => {
      assert.ok(made.text(stored(text)) === expected);
    };
    const long = 'x'.repeat(8000);
    isSame(maker(), `${ESC}[31m${long.repeat(3)}`, long.repeat(3));
    const made = maker({ style: () => ({ ...DEFAULT_STYLE, fields: ['a', 'b', 'c'] }) });
    isSame(made, JSON.stringify({ a: long, b: long, c: long }), [long, long, long].join('  '));
    assert.equal(made.text(stored('{"a":1}', { kind: 'marker' })), '{"a":1}');
  });

  it('returns the JSON fields of a line, with values only if they are shown', () => {
    const line = stored('{"level":"warn","msg":"slow","ms":12}');
    assert.deepEqual(maker().row(line).json, {
      isOpen: false,
      fields: ['level', 'msg', 'ms'].map((name) => ({ name, value: '' })),
    });
    assert.deepEqual(
      maker({ isJsonOpen: () => true })
        .row(line)
        .json?.fields.map(({ value }) => value),
      ['warn', 'slow', '12'],
    );
  });

  it('shows only the selected JSON fields if the line has one of them', () => {
    const made = maker({ style: () => ({ ...DEFAULT_STYLE, fields: ['ms', 'msg'] }) });
    const textOf = (text: string): string =>
      made
        .row(stored(text))
        .runs.map((run) => run.text)
        .join('');
    assert.equal(textOf('{"level":"warn","msg":"slow","ms":12}'), '12     slow');
    assert.equal(textOf('{"ms":"12345678"}'), '12345678', 'no padding may follow the last field');
    assert.equal(textOf('{"level":"warn"}'), '{"level":"warn"}');
    assert.equal(textOf('no JSON'), 'no JSON');
  });

  it('aligns the selected JSON fields whatever the level', () => {
    const made = maker({ style: () => ({ ...DEFAULT_STYLE, fields: ['level', 'msg'] }) });
    const startOf = (level: string): number =>
      made
        .row(stored(JSON.stringify({ level, msg: 'x' })))
        .runs.map((run) => run.text)
        .join('')
        .indexOf('x');
    assert.deepEqual(
      ['info', 'warn', 'error', 'warning', 'critical'].map(startOf),
      [7, 7, 7, 10, 10],
    );
  });

  it("marks matches but no links in Gantry's own lines", () => {
    const row = maker({ matches: () => [{ start: 0, end: 3 }] }).row(
      stored('see http://a.example', { kind: 'marker' }),
    );
    assert.deepEqual(sent(row.runs), [
      { text: 'see', isMatch: true },
      { text: ' http://a.example' },
    ]);
  });
});
