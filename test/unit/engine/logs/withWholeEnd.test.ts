import assert from 'node:assert/strict';
import { EngineError, type FailureReason } from '../../../../src/engine/errors.ts';
import { withWholeEnd } from '../../../../src/engine/logs/withWholeEnd.ts';
import { cuttings, frame } from '../../support/chunks.ts';

const A = '2026-08-01T08:00:02.000000001Z';
const B = '2026-08-01T08:00:02.000000002Z';

async function* stream(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield await Promise.resolve(chunk);
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const given: Uint8Array[] = [];
  for await (const chunk of body) given.push(chunk);
  return Buffer.concat(given).toString('latin1');
}

describe('the last record of a log that is being written', () => {
  for (const [form, isFramed, record] of [
    ['framed', true, (line: string) => frame(1, `${line}\n`)],
    ['raw', false, (line: string) => Buffer.from(`${line}\n`)],
  ] as const) {
    /** @param answers responses to the next requests. */
    const read = async (
      first: readonly Uint8Array[],
      ...answers: readonly (readonly Uint8Array[])[]
    ): Promise<{ readonly text: string; readonly since: readonly string[] }> => {
      const since: string[] = [];
      const body = withWholeEnd(stream(first), isFramed, (moment) => {
        since.push(moment);
        return Promise.resolve(stream(answers[since.length - 1] ?? []));
      });
      return { text: await textOf(body), since };
    };
    const bytes = (...lines: readonly string[]): Buffer => Buffer.concat(lines.map(record));
    const text = (...lines: readonly string[]): string => bytes(...lines).toString('latin1');

    it(`is read again, and stays the same if it was complete: ${form}`, async () => {
      for (const chunks of cuttings(bytes(`${A} one`, `${B} two`))) {
        const got = await read(chunks, [bytes(`${B} two`)]);
        assert.equal(got.text, text(`${A} one`, `${B} two`));
        assert.deepEqual(got.since, ['1785571202.000000002']);
      }
    });

    it(`is completed if it was cut: ${form}`, async () => {
      for (const again of cuttings(bytes(`${B} two and more`, `${B} three`))) {
        const got = await read([bytes(`${A} one`, `${B} tw`)], again);
        assert.equal(got.text, text(`${A} one`, `${B} two and more`));
      }
    });

    it(`is read a third time if it was cut twice: ${form}`, async () => {
      const whole = [bytes(`${A} one and more`)];
      const got = await read([bytes(`${A} o`)], [bytes(`${A} one`)], whole, whole);
      assert.equal(got.text, text(`${A} one and more`));
      assert.equal(got.since.length, 3);
    });

    it(`is read again after a pause that depends on its stamp: ${form}`, async () => {
      const done: string[] = [];
      const again = (): Promise<AsyncIterable<Uint8Array>> => {
        done.push('read');
        return Promise.resolve(stream([bytes(`${B} two`, `${B} three`)]));
      };
      const pause = (at: string, run: number): Promise<void> => {
        done.push(`${at} ${run}`);
        return Promise.resolve();
      };
      const first = stream([bytes(`${A} one`, `${B} two`, `${B} `)]);
      const got = await textOf(withWholeEnd(first, isFramed, again, pause));
      assert.equal(got, text(`${A} one`, `${B} two`, `${B} three`));
      const at = '1785571202.000000002';
      assert.deepEqual(done, [`${at} 2`, 'read', `${at} 2`, 'read']);
    });

    it(`is found among records with the same stamp: ${form}`, async () => {
      const got = await read(
        [bytes(`${A} one`, `${A} t`)],
        [bytes(`${A} one`, `${A} two`, `${A} 3`)],
      );
      assert.equal(got.text, text(`${A} one`, `${A} two`));
    });

    it(`is not mistaken for one with the same stamp from before the clock was set back: ${form}`, async () => {
      const got = await read([bytes(`${A} two`)], [bytes(`${A} one`, `${B} 3`, `${A} two`)]);
      assert.equal(got.text, text(`${A} two`));
    });

    it(`stays the same if the engine has discarded it: ${form}`, async () => {
      const got = await read([bytes(`${A} one`)], [bytes(`${B} two`)]);
      assert.equal(got.text, text(`${A} one`));
    });

    it(`stays the same if its container is gone, and fails if the connection breaks: ${form}`, async () => {
      const failing = (reason: FailureReason): Promise<string> => {
        const again = (): Promise<never> => Promise.reject(new EngineError(reason));
        return textOf(withWholeEnd(stream([bytes(`${A} one`)]), isFramed, again));
      };
      for (const reason of ['notFound', 'conflict'] as const)
        assert.equal(await failing(reason), text(`${A} one`));
      await assert.rejects(failing('cut'), { reason: 'cut' });
    });

    it(`is not requested again if there is no record, or none with a stamp: ${form}`, async () => {
      for (const chunks of [[], [bytes('no stamp')]]) {
        const got = await read(chunks);
        assert.deepEqual(got, { text: Buffer.concat(chunks).toString('latin1'), since: [] });
      }
    });

    it(`passes unchanged if it is longer than any record: ${form}`, async () => {
      const chunks = Array.from({ length: 8 }, () => Buffer.alloc(64 * 1024, 'x'));
      if (isFramed) chunks[0]?.writeUInt32BE(0xffffffff, 4);
      const got = await read(chunks);
      assert.equal(got.text, Buffer.concat(chunks).toString('latin1'));
    });

    it(`is read at most five more times: ${form}`, async () => {
      const answers = Array.from({ length: 20 }, (_, count) => [
        bytes(`${A} ${'x'.repeat(count + 2)}`),
      ]);
      assert.equal((await read([bytes(`${A} x`)], ...answers)).since.length, 5);
    });
  }
});
