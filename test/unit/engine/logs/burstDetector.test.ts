import assert from 'node:assert/strict';
import { BurstDetector } from '../../../../src/engine/logs/burstDetector.ts';
import { cuttings, frame } from '../../support/chunks.ts';

const A = '2026-08-01T08:00:02.000000001Z';
const B = '2026-08-01T08:00:02.000000002Z';

describe('bursts in a followed log', () => {
  for (const [form, isFramed, record] of [
    ['framed', true, (line: string) => frame(1, `${line}\n`)],
    ['raw', false, (line: string) => Buffer.from(`${line}\n`)],
  ] as const) {
    const records = (stamp: string, count: number): Buffer =>
      Buffer.concat(Array.from({ length: count }, (_, index) => record(`${stamp} ${index}`)));

    it(`are more than 42 records in a row with the same stamp: ${form}`, () => {
      for (const chunks of cuttings(records(A, 43))) {
        const bursts = new BurstDetector(isFramed, new Map());
        const found = chunks.map((chunk) => bursts.push(chunk));
        assert.deepEqual(found, [...chunks.slice(1).map(() => false), true]);
      }
    });

    it(`are not records with other stamps between them: ${form}`, () => {
      const bursts = new BurstDetector(isFramed, new Map());
      for (const stamp of [A, B, A, B]) assert.equal(bursts.push(records(stamp, 42)), false);
    });

    it(`are not records that were received before: ${form}`, () => {
      const bursts = new BurstDetector(isFramed, new Map([[A, 100]]));
      assert.equal(bursts.push(records(A, 100)), false);
      assert.equal(bursts.push(record(`${A} new`)), true);
    });

    it(`are not records without a stamp: ${form}`, () => {
      const bursts = new BurstDetector(isFramed, new Map());
      assert.equal(
        bursts.push(Buffer.concat(Array.from({ length: 50 }, () => record('x')))),
        false,
      );
    });
  }
});
