import assert from 'node:assert/strict';
import fc from 'fast-check';
import { EngineError } from '../../../src/engine/errors.ts';
import { LineJoiner } from '../../../src/engine/logs/lineJoiner.ts';
import { FramedLogDecoder } from '../../../src/engine/logs/framedLogDecoder.ts';
import { RawLogDecoder, type LogDecoder } from '../../../src/engine/logs/rawLogDecoder.ts';
import { JsonRecords } from '../../../src/engine/wire/jsonRecords.ts';
import { frame } from '../support/chunks.ts';
import { cut, holds } from './holds.ts';
import { codePoint } from '../support/codePoint.ts';

const STAMPS = ['2026-08-01T10:00:00.000000001Z ', '2026-08-01T12:00:00+02:00 ', 'no stamp ', ''];

const garbage = fc.uint8Array({ maxLength: 200 });
/** Text as programs write it: lines, partial lines, multi-byte characters. */
const words = fc
  .array(fc.oneof(fc.string({ unit: codePoint, maxLength: 12 }), fc.constantFrom('\n', '\r\n', '')))
  .map((parts) => parts.join(''));
const stamped = fc.tuple(fc.constantFrom(...STAMPS), words).map(([stamp, text]) => stamp + text);
const frames = fc
  .array(fc.tuple(fc.constantFrom(0, 1, 2), stamped).map(([kind, text]) => frame(kind, text)))
  .map((all) => new Uint8Array(Buffer.concat(all)));
const spoiled = fc.tuple(frames, garbage, frames).map((all) => new Uint8Array(Buffer.concat(all)));
const lines = fc.array(stamped).map((all) => new Uint8Array(Buffer.from(all.join('\n'))));

type Make = (joiner: LineJoiner, hasStamps: boolean) => LogDecoder;
const framed: Make = (joiner) => new FramedLogDecoder(joiner);
const raw: Make = (joiner, hasStamps) => new RawLogDecoder(joiner, { hasStamps });

/** Decodes up to the first failure. */
function decode(make: Make, hasStamps: boolean, chunks: readonly Uint8Array[]): unknown {
  const joiner = new LineJoiner({ hasStamps });
  const decoder = make(joiner, hasStamps);
  const found = chunks.flatMap((chunk) => (decoder.failure ? [] : decoder.push(chunk)));
  if (!decoder.failure) found.push(...decoder.end());
  return { lines: [...found, ...joiner.flush()], failure: decoder.failure?.reason };
}

/** Returns the records up to the first failure, or its reason. */
function records(chunks: readonly Uint8Array[], limit?: number): unknown {
  const decoder = new JsonRecords(undefined, limit);
  const found: unknown[] = [];
  try {
    for (const chunk of chunks) found.push(...decoder.push(chunk));
    return { found: [...found, ...decoder.end()] };
  } catch (error) {
    assert(error instanceof EngineError, String(error));
    return { reason: error.reason };
  }
}

describe('a decoder, wherever its input is cut,', () => {
  for (const [name, make, input] of [
    ['framed logs', framed, frames],
    ['framed logs with random bytes in the middle', framed, spoiled],
    ['random bytes in place of framed logs', framed, garbage],
    ['raw logs', raw, lines],
    ['random bytes in place of raw logs', raw, garbage],
  ] as const) {
    for (const hasStamps of [true, false])
      it(`gives the same result for ${name}, ${hasStamps ? 'with' : 'without'} timestamps`, () => {
        holds(
          fc.property(cut(input), ({ bytes, chunks }) => {
            assert.deepEqual(decode(make, hasStamps, chunks), decode(make, hasStamps, [bytes]));
          }),
        );
      });
  }

  it('returns every byte of framed lines', () => {
    holds(
      fc.property(fc.array(fc.string({ maxLength: 20 })), (texts) => {
        const bytes = Buffer.concat(texts.map((text) => frame(1, `${text}\n`)));
        const found = decode(framed, false, [bytes]) as { lines: { text: string }[] };
        assert.equal(
          found.lines.map(({ text }) => `${text}\n`).join(''),
          texts.map((text) => `${text}\n`).join(''),
        );
      }),
    );
  });

  it('does not modify its input', () => {
    holds(
      fc.property(cut(spoiled), ({ bytes, chunks }) => {
        decode(framed, true, chunks);
        decode(raw, true, chunks);
        records(chunks);
        assert.deepEqual(Buffer.concat(chunks), Buffer.from(bytes));
      }),
      50,
    );
  });

  const values = fc.array(fc.jsonValue({ maxDepth: 2 }));
  const encode = (all: readonly unknown[], end: string): Uint8Array =>
    new Uint8Array(Buffer.from(all.map((one) => JSON.stringify(one)).join('\n') + end));

  it('returns all JSON records', () => {
    const input = values.chain((all) =>
      cut(fc.constantFrom('\n', '', '\r\n\n').map((end) => encode(all, end))).map((one) => ({
        all,
        ...one,
      })),
    );
    holds(
      fc.property(input, ({ all, chunks }) => {
        const found: unknown = JSON.parse(JSON.stringify(all));
        assert.deepEqual(records(chunks), { found });
      }),
    );
  });

  it('fails the same way on invalid JSON, and only with an EngineError', () => {
    holds(
      fc.property(cut(fc.oneof(garbage, lines)), ({ bytes, chunks }) => {
        assert.deepEqual(records(chunks), records([bytes]));
      }),
    );
  });

  it('holds at most its limit of a record', () => {
    holds(
      fc.property(
        cut(fc.uint8Array({ minLength: 65, maxLength: 300 }).map((bytes) => bytes.map(() => 0x41))),
        ({ chunks }) => assert.deepEqual(records(chunks, 64), { reason: 'tooLarge' }),
      ),
    );
  });
});
