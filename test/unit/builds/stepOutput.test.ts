import assert from 'node:assert/strict';
import { StepLines } from '../../../src/builds/stepLines.ts';
import { StepOutput } from '../../../src/builds/stepOutput.ts';

const piece = (text: string, time = 0, stream: 'stdout' | 'stderr' = 'stdout') => ({
  step: 's',
  time,
  stream,
  data: Buffer.from(text),
});

describe('the output of a step', () => {
  it('keeps no pieces without a text', () => {
    const output = new StepOutput();
    for (let at = 0; at < 1000; at++) output.add(piece('', at));
    assert.deepEqual([output.length, output.pieces], [0, []]);
    // The first byte of two.
    output.add({ ...piece(''), data: Buffer.from([0xc3]) });
    output.add({ ...piece(''), data: Buffer.from([0xa9]) });
    assert.deepEqual(
      output.pieces.map(({ text }) => text),
      ['é'],
    );
  });

  it('joins the pieces of one moment and stream, and keeps the times of all others', () => {
    const output = new StepOutput();
    for (const one of ['a', 'b\n', 'c']) output.add(piece(one, 1));
    output.add(piece('d', 1, 'stderr'));
    output.add(piece('e', 2, 'stderr'));
    const pieces = [
      { stream: 'stdout', time: 1, text: 'ab\nc' },
      { stream: 'stderr', time: 1, text: 'd' },
      { stream: 'stderr', time: 2, text: 'e' },
    ];
    assert.deepEqual(output.pieces, pieces);
    output.add(piece('f', 2, 'stderr'));
    assert.deepEqual(output.pieces, [...pieces, { stream: 'stderr', time: 2, text: 'f' }]);
  });

  it('keeps a bounded number of pieces, the newest, however short they are', () => {
    const output = new StepOutput();
    for (let at = 0; at < 200_000; at++) output.add(piece('x\n', at));
    const { pieces } = output;
    assert.ok(pieces.length <= 65_536, String(pieces.length));
    assert.ok(pieces.length > 60_000, String(pieces.length));
    assert.equal(pieces.at(-1)?.time, 199_999);
    assert.ok(output.length <= 4 * 1024 * 1024);
    while (output.length > 0) output.drop();
    assert.deepEqual(output.pieces, []);
  });

  it('has a limit for joined pieces, so that the oldest can be dropped', () => {
    const output = new StepOutput();
    for (let at = 0; at < 100_000; at++) output.add(piece('x'));
    const { pieces } = output;
    assert.ok(pieces.every(({ text }) => text.length <= 16 * 1024 + 1));
    assert.equal(pieces.map(({ text }) => text).join('').length, 100_000);
  });

  it('has the same lines, wherever its pieces end', () => {
    const lines = new StepLines();
    const found: string[] = [];
    for (const one of 'first é\n\nsecond\nrest') found.push(...lines.push(piece(one)));
    assert.deepEqual(found, ['first é', '', 'second']);
    assert.deepEqual(lines.flush(), [{ stream: 'stdout', text: 'rest' }]);
  });
});
