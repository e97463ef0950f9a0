import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ChannelText, type TextLimits } from '../../../src/output/channelText.ts';
import { holds } from '../properties/holds.ts';

const ROOMY: TextLimits = { lines: 1_000_000, bytes: 1_000_000_000 };

/** The expected behavior of a channel's text, with an array of lines. */
class Model {
  lines: string[] = [];
  leftOut = 0;
  #bytes = 0;

  append(lines: readonly string[], limits: TextLimits): boolean {
    this.lines.push(...lines);
    for (const line of lines) this.#bytes += Buffer.byteLength(line);
    if (!this.#exceeds(limits.lines, limits.bytes)) return false;
    const most = Math.floor((limits.lines * 3) / 4);
    const bytes = Math.floor((limits.bytes * 3) / 4);
    for (; this.#exceeds(most, bytes); this.leftOut++)
      this.#bytes -= Buffer.byteLength(this.lines.shift() ?? '');
    return true;
  }

  #exceeds(lines: number, bytes: number): boolean {
    return this.lines.length > 1 && (this.lines.length > lines || this.#bytes > bytes);
  }
}

function numbered(from: number, to: number): string {
  let text = '';
  for (let line = from; line < to; line++) text += `line ${line}\n`;
  return text;
}

describe('ChannelText', () => {
  it('keeps all text up to the limits', () => {
    const text = new ChannelText(() => ({ lines: 4, bytes: 40 }));
    for (let line = 0; line < 4; line++) assert.equal(text.append(`${line}23456789\n`), false);
    assert.equal(text.text(), '023456789\n123456789\n223456789\n323456789\n');
    assert.equal(text.omittedLines, 0);
  });

  it('keeps the newest three quarters of the limit after one line too many', () => {
    const text = new ChannelText(() => ({ ...ROOMY, lines: 1000 }));
    assert.equal(text.append(numbered(0, 1000)), false);
    assert.equal(text.append(numbered(1000, 1001)), true);
    assert.equal(text.text(), numbered(251, 1001));
    assert.equal(text.omittedLines, 251);
    assert.equal(text.append(numbered(1001, 1251)), false);
    assert.equal(text.append(numbered(1251, 1252)), true);
    assert.equal(text.text(), numbered(502, 1252));
    assert.equal(text.omittedLines, 502);
  });

  it('keeps the newest three quarters of the limit after one byte too many', () => {
    const text = new ChannelText(() => ({ ...ROOMY, bytes: 40 }));
    // Each line has 10 bytes and fewer characters.
    for (let line = 0; line < 4; line++) assert.equal(text.append(`${line}😀🦊\n`), false);
    assert.equal(text.append('\n'), true);
    assert.equal(text.text(), '2😀🦊\n3😀🦊\n\n');
    assert.equal(text.omittedLines, 2);
  });

  it('keeps the newest lines of a single append that exceeds the limits', () => {
    const text = new ChannelText(() => ({ ...ROOMY, lines: 1000 }));
    assert.equal(text.append(numbered(0, 100_000)), true);
    assert.equal(text.text(), numbered(99_250, 100_000));
    assert.equal(text.omittedLines, 99_250);
  });

  it('keeps a newest line longer than the limit, and drops it with the next line', () => {
    const text = new ChannelText(() => ({ ...ROOMY, bytes: 1000 }));
    const long = `${'x'.repeat(200_000)}\n`;
    assert.equal(text.append(long), false);
    assert.equal(text.append(`a\nb\n${long}`), true);
    assert.equal(text.text(), long);
    assert.equal(text.append('c\n'), true);
    assert.equal(text.text(), 'c\n');
    assert.equal(text.omittedLines, 4);
  });

  it('reads the limits at each append', () => {
    let lines = 1000;
    const text = new ChannelText(() => ({ ...ROOMY, lines }));
    text.append(numbered(0, 1000));
    lines = 2000;
    assert.equal(text.append(numbered(1000, 2000)), false);
    lines = 1000;
    assert.equal(text.append(numbered(2000, 2001)), true);
    assert.equal(text.text(), numbered(1251, 2001));
  });

  it('behaves like an array of lines', () => {
    const someLimits = fc.record({
      lines: fc.integer({ min: 1, max: 12 }),
      bytes: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 60_000, max: 400_000 })),
    });
    const oneLine = fc
      .oneof(
        { weight: 9, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
        // Some lines fill chunks of their own.
        { weight: 1, arbitrary: fc.constantFrom('x', '😀').map((text) => text.repeat(70_000)) },
      )
      .map((text) => `${text.replaceAll('\n', '')}\n`);
    const someAppends = fc.array(fc.array(oneLine, { maxLength: 6 }), { maxLength: 12 });
    holds(
      fc.property(someLimits, someAppends, (limits, appends) => {
        const text = new ChannelText(() => limits);
        const model = new Model();
        for (const lines of appends) {
          assert.equal(text.append(lines.join('')), model.append(lines, limits));
          assert.ok(text.text() === model.lines.join(''));
          assert.equal(text.omittedLines, model.leftOut);
        }
      }),
      50,
    );
  });
});
