import assert from 'node:assert/strict';
import { LineJoiner } from '../../../../src/engine/logs/lineJoiner.ts';
import { FramedLogDecoder } from '../../../../src/engine/logs/framedLogDecoder.ts';
import type { LogLine } from '../../../../src/engine/model.ts';
import { RawLogDecoder, type LogDecoder } from '../../../../src/engine/logs/rawLogDecoder.ts';
import { cuttings, frame } from '../../support/chunks.ts';

const T1 = '2026-08-01T10:00:00.000000001Z';
const T2 = '2026-08-01T10:00:00.100000002Z';
const T3 = '2026-08-01T10:05:00.000000003Z';
const SECONDS = '2026-08-01T12:00:00+02:00';

type Make = (joiner: LineJoiner) => LogDecoder;
const frames: Make = (joiner) => new FramedLogDecoder(joiner);
const raw: Make = (joiner) => new RawLogDecoder(joiner, { hasStamps: true });

function decode(make: Make, chunks: readonly Uint8Array[]): readonly LogLine[] {
  const joiner = new LineJoiner({ hasStamps: true });
  const decoder = make(joiner);
  const lines = [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()];
  if (decoder.failure) throw decoder.failure;
  return [...lines, ...joiner.flush()];
}

function decodesTo(make: Make, bytes: Uint8Array, expected: readonly LogLine[]): void {
  for (const chunks of cuttings(bytes)) assert.deepEqual(decode(make, chunks), expected);
}

/**
 * Like `decodesTo`, for input too long to split at every byte: splits at every byte around `at`, else in large
 * steps.
 */
function decodesLongTo(
  make: Make,
  bytes: Uint8Array,
  at: number,
  expected: readonly LogLine[],
): void {
  for (let cut = 0; cut < bytes.length; cut += cut > at - 50 && cut < at + 50 ? 1 : 977)
    assert.deepEqual(
      decode(make, [bytes.subarray(0, cut), bytes.subarray(cut)]),
      expected,
      `cut at ${cut}`,
    );
}

const out = (timestamp: string, text: string): LogLine => ({ source: 'stdout', timestamp, text });
const err = (timestamp: string, text: string): LogLine => ({ source: 'stderr', timestamp, text });
const utf8 = (text: string): Buffer => Buffer.from(text);

describe('framed logs', () => {
  it('yield complete lines of stdout and stderr, at every chunk boundary', () => {
    const bytes = Buffer.concat([
      frame(1, `${T1} out 😀 ä\n`),
      frame(2, `${T2} err €\n`),
      frame(1, `${T2} plain\n`),
      frame(0, `${T2} input is shown as output\n`),
    ]);
    decodesTo(frames, bytes, [
      out(T1, 'out 😀 ä'),
      err(T2, 'err €'),
      out(T2, 'plain'),
      out(T2, 'input is shown as output'),
    ]);
  });

  it('keep empty lines, and carriage returns except directly before the line feed', () => {
    const bytes = Buffer.concat([
      frame(1, `${T1} \n`),
      frame(1, `${T1} \r\n`),
      frame(1, `${T1} 1 %\r2 %\r\r\n`),
    ]);
    decodesTo(frames, bytes, [out(T1, ''), out(T1, ''), out(T1, '1 %\r2 %\r')]);
  });

  it('join the pieces of a line, without the stamps of later pieces', () => {
    const bytes = Buffer.concat([
      frame(1, `${T1} one, `),
      frame(1, `${T1} two, `),
      frame(1, `${T2} three\n`),
      frame(1, `${T2} next\n`),
    ]);
    decodesTo(frames, bytes, [out(T1, 'one, two, three'), out(T2, 'next')]);
  });

  it('join pieces separately for stdout and stderr', () => {
    const bytes = Buffer.concat([
      frame(1, `${T1} out `),
      frame(2, `${T1} err `),
      frame(1, `${T2} put\n`),
      frame(2, `${T2} or\n`),
    ]);
    decodesTo(frames, bytes, [out(T1, 'out put'), err(T1, 'err or')]);
  });

  it('join a character that was split between two pieces', () => {
    const head = utf8('😀').subarray(0, 2);
    const tail = utf8('😀').subarray(2);
    const bytes = Buffer.concat([
      frame(1, Buffer.concat([utf8(`${T1} a`), head])),
      frame(2, `${T1} between\n`),
      frame(1, Buffer.concat([utf8(`${T1} `), tail, utf8('b\n')])),
    ]);
    decodesTo(frames, bytes, [err(T1, 'between'), out(T1, 'a😀b')]);
  });

  it('yield an unterminated last line of each stream at the end', () => {
    const bytes = Buffer.concat([frame(2, `${T1} err`), frame(1, `${T2} out\r`)]);
    decodesTo(frames, bytes, [out(T2, 'out'), err(T1, 'err')]);
  });

  it('split a record with several lines', () => {
    decodesTo(frames, frame(1, `${T1} a\nb\r\n\nc`), [
      out(T1, 'a'),
      out(T1, 'b'),
      out(T1, ''),
      out(T1, 'c'),
    ]);
  });

  it('accept stamps in whole seconds and with a time zone, and lines without stamps', () => {
    const bytes = Buffer.concat([
      frame(1, `${SECONDS} zone\n`),
      frame(1, '2026-08-01T10:00:00Z seconds\n'),
      frame(1, 'no stamp at all, but some words\n'),
      frame(1, 'short\n'),
      frame(1, ''),
    ]);
    decodesTo(frames, bytes, [
      out(SECONDS, 'zone'),
      out('2026-08-01T10:00:00Z', 'seconds'),
      out('', 'no stamp at all, but some words'),
      out('', 'short'),
    ]);
  });

  it('replace only the bytes that are not valid UTF-8', () => {
    const bytes = frame(1, Buffer.concat([utf8(`${T1} a`), Buffer.from([0xff]), utf8('ä\n')]));
    decodesTo(frames, bytes, [out(T1, 'a\ufffdä')]);
  });

  it('join the 16 KiB pieces of a long line', () => {
    const piece = 'ä'.repeat(8192);
    const bytes = Buffer.concat([
      frame(1, `${T1} ${piece}`),
      frame(1, `${T1} ${piece}`),
      frame(1, `${T1} end\n`),
      frame(1, `${T2} next\n`),
    ]);
    const expected = [out(T1, `${piece}${piece}end`), out(T2, 'next')];
    decodesLongTo(frames, bytes, 8 + 31 + 16_384, expected);
  });

  it('accept frames with a length byte above 127', () => {
    const text = 'x'.repeat(200);
    const bytes = Buffer.concat([frame(1, `${T1} ${text}\n`), frame(1, `${T1} ä${text}\n`)]);
    decodesTo(frames, bytes, [out(T1, text), out(T1, `ä${text}`)]);
  });

  it('do not depend on chunks after they were decoded', () => {
    const joiner = new LineJoiner({ hasStamps: true });
    const decoder = new FramedLogDecoder(joiner);
    const first = Buffer.concat([frame(1, `${T1} be`), frame(1, `${T1} gun\n`).subarray(0, 20)]);
    decoder.push(first);
    first.fill(0);
    const lines = decoder.push(frame(1, `${T1} gun\n`).subarray(20));
    assert.deepEqual(lines, [out(T1, 'begun')]);
  });

  it("end with the engine's error after the lines before it", () => {
    const bytes = Buffer.concat([frame(1, `${T1} good\n`), frame(3, 'disk is gone\n')]);
    for (const chunks of cuttings(bytes)) {
      const decoder = new FramedLogDecoder(new LineJoiner({ hasStamps: true }));
      const lines = chunks.flatMap((chunk) => decoder.push(chunk));
      assert.deepEqual(lines, [out(T1, 'good')]);
      assert.equal(decoder.failure?.reason, 'failed');
      assert.equal(decoder.failure.engineMessage, 'disk is gone');
    }
  });

  for (const [name, header] of [
    ['an excessive length', [1, 0, 0, 0, 0xff, 0, 0, 0]],
    ['an unknown stream type', [4, 0, 0, 0, 0, 0, 0, 1]],
    ['text in place of a header', [...utf8('<html><b')]],
    ['a header whose padding is not zero', [1, 0, 1, 0, 0, 0, 0, 1]],
  ] as const) {
    it(`are rejected with ${name}, after the lines before it`, () => {
      const bytes = Buffer.concat([frame(2, `${T1} good\n`), Buffer.from(header), utf8('rest')]);
      for (const chunks of cuttings(bytes)) {
        const decoder = new FramedLogDecoder(new LineJoiner({ hasStamps: true }));
        const lines = chunks.flatMap((chunk) => decoder.push(chunk));
        assert.deepEqual(lines, [err(T1, 'good')]);
        assert.equal(decoder.failure?.reason, 'badAnswer');
      }
    });
  }

  it('that end within a frame fail with "cut"', () => {
    const whole = frame(1, `${T1} line\n`);
    for (let length = 1; length < whole.length; length++)
      assert.throws(() => decode(frames, [whole.subarray(0, length)]), { reason: 'cut' });
  });

  it('never hold back more than 16 MiB of one line', () => {
    const piece = frame(1, `${T1} ${'x'.repeat(1024 * 1024)}`);
    const decoder = new FramedLogDecoder(new LineJoiner({ hasStamps: true }));
    let held = 0;
    while (decoder.push(piece).length === 0) held++;
    assert.ok(held >= 15 && held <= 17, `${held} MiB`);
  });
});

describe('raw logs of a TTY', () => {
  it('yield complete lines, at every chunk boundary', () => {
    const bytes = utf8(`${T1} one 😀\r\n${T2} \r\n${T2} two\r\n${SECONDS} ä`);
    decodesTo(raw, bytes, [out(T1, 'one 😀'), out(T2, ''), out(T2, 'two'), out(SECONDS, 'ä')]);
  });

  it('keep a stamp that the container printed', () => {
    const owns = [
      `${T1} own`,
      // A record is never empty, so this stamp is not the start of another record.
      `${T2} own`,
      `at ${T1} own`,
      // Earlier than the engine's stamp.
      'at 2026-08-01T09:59:59.999999999Z own',
      // Not in the format of engines.
      'at 2026-08-01T11:00:00.1Z own',
      'at 2026-08-01T11:00:00.000000001+00:00 own',
      'at "2026-08-01T11:00:00.000000001Z" own',
      'at 2026-08-01 11:00:00.000000001Z own',
    ];
    const bytes = utf8(owns.map((own) => `${T1} ${own}\n`).join(''));
    decodesTo(
      raw,
      bytes,
      owns.map((own) => out(T1, own)),
    );
  });

  it('are split where a run ended without a line feed and another one began', () => {
    const joiner = (): LineJoiner => new LineJoiner({ hasStamps: true, piecesShareStamp: true });
    const bytes = utf8(`${T1} first $ ${T2} next ${T1} $ ${T3} last\r\n${T3} more\r\n`);
    for (const chunks of cuttings(bytes)) {
      const decoder = new RawLogDecoder(joiner(), { hasStamps: true });
      assert.deepEqual(
        chunks.flatMap((chunk) => decoder.push(chunk)),
        [out(T1, 'first $ '), out(T2, `next ${T1} $ `), out(T3, 'last'), out(T3, 'more')],
      );
    }
  });

  it('are split where a run ended within a long line', () => {
    const piece = 'x'.repeat(16_384);
    const decoder = new RawLogDecoder(new LineJoiner({ hasStamps: true, piecesShareStamp: true }), {
      hasStamps: true,
    });
    assert.deepEqual(decoder.push(utf8(`${T1} ${piece}${T1} $ ${T2} next\r\n`)), [
      out(T1, `${piece}$ `),
      out(T2, 'next'),
    ]);
  });

  it('join the 16 KiB pieces of a long line', () => {
    const piece = 'ä'.repeat(8192);
    const bytes = utf8(`${T1} ${piece}${T1} ${piece}${T1} end\r\n${T2} next\r\n`);
    const expected = [out(T1, `${piece}${piece}end`), out(T2, 'next')];
    decodesLongTo(raw, bytes, 31 + 16_384, expected);
  });

  it('join pieces that grew in the log file because of bytes that are not valid UTF-8', () => {
    const all = '\ufffd'.repeat(16_384);
    assert.deepEqual(decode(raw, [utf8(`${T1} ${all}${T1} end\r\n`)]), [out(T1, `${all}end`)]);
    const piece = 'x'.repeat(16_380) + '\ufffd'.repeat(4);
    decodesLongTo(raw, utf8(`${T1} ${piece}${T1} end\r\n`), 31 + 16_384, [out(T1, `${piece}end`)]);
  });

  it('join the 8 KiB pieces of Podman', () => {
    const piece = 'x'.repeat(8192);
    const bytes = utf8(`${SECONDS} ${piece}${SECONDS} ${piece}${SECONDS} end\r\n`);
    decodesLongTo(raw, bytes, 26 + 8192, [out(SECONDS, `${piece}${piece}end`)]);
  });

  it('are not changed if no stamps were requested', () => {
    const joiner = new LineJoiner({ hasStamps: false });
    const decoder = new RawLogDecoder(joiner, { hasStamps: false });
    const text = `${T1} own${'x'.repeat(8192)}${T1} own`;
    assert.deepEqual(decoder.push(utf8(`${text}\r\n`)), [out('', text)]);
  });

  it('keep back an unterminated end if no stamps were requested', () => {
    for (const chunks of cuttings(utf8('one\r\ntw😀\r'))) {
      const decoder = new RawLogDecoder(new LineJoiner({ hasStamps: false }), { hasStamps: false });
      const lines = [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()];
      assert.deepEqual(lines, [out('', 'one')]);
      assert.equal(decoder.rest, 'tw😀');
    }
  });

  it('never hold back more than 16 MiB of one line', () => {
    const decoder = new RawLogDecoder(new LineJoiner({ hasStamps: true }), { hasStamps: true });
    const piece = utf8('x'.repeat(1024 * 1024));
    let held = 0;
    while (decoder.push(piece).length === 0) held++;
    assert.ok(held >= 15 && held <= 17, `${held} MiB`);
  });
});
