import assert from 'node:assert/strict';
import { JsonRecords } from '../../../../src/engine/wire/jsonRecords.ts';
import { cuttings } from '../../support/chunks.ts';

function decode(chunks: readonly Uint8Array[]): unknown[] {
  const records = new JsonRecords();
  return [...chunks.flatMap((chunk) => records.push(chunk)), ...records.end()];
}

function decodesTo(text: string, expected: readonly unknown[]): void {
  for (const chunks of cuttings(Buffer.from(text))) assert.deepEqual(decode(chunks), expected);
}

describe('JSON records', () => {
  const cases: [what: string, text: string, ...records: object[]][] = [
    ['are separated by line feeds', '{"a":"😀 ä"}\n{"b":2}\n', { a: '😀 ä' }, { b: 2 }],
    ['may end with a carriage return', '{"a":1}\r\n{"b":2}\r\n', { a: 1 }, { b: 2 }],
    ['may have blank lines', '\n{"a":1}\n\n \r\n{"b":2}\n\n', { a: 1 }, { b: 2 }],
    ['may begin with a record separator', '\x1e{"a":1}\n\x1e{"b":2}\n', { a: 1 }, { b: 2 }],
    ['may lack the last line end', '{"a":1}\n{"b":2}', { a: 1 }, { b: 2 }],
  ];
  for (const [what, text, ...expected] of cases) {
    it(`${what}, at any chunk boundary`, () => decodesTo(text, expected));
  }

  it('are returned as soon as their line ends', () => {
    const records = new JsonRecords();
    assert.deepEqual(records.push(Buffer.from('{"a":1}\n{"b"')), [{ a: 1 }]);
    assert.deepEqual(records.push(Buffer.from(':2}\n')), [{ b: 2 }]);
  });

  it('do not change if the chunk is overwritten afterwards', () => {
    const records = new JsonRecords();
    const chunk = Buffer.from('{"a":');
    records.push(chunk);
    chunk.fill(0);
    assert.deepEqual(records.push(Buffer.from('1}\n')), [{ a: 1 }]);
  });

  it('throw cut if the last one is incomplete', () => {
    for (const chunks of cuttings(Buffer.from('{"a":1}\n{"b":')))
      assert.throws(() => decode(chunks), { name: 'EngineError', reason: 'cut' });
  });

  it('throw badAnswer if they are not JSON', () => {
    for (const chunks of cuttings(Buffer.from('<html>\n')))
      assert.throws(() => decode(chunks), { name: 'EngineError', reason: 'badAnswer' });
  });

  it('throw tooLarge past the limit, however they are split', () => {
    for (const chunks of cuttings(Buffer.from('"123456789"\n'))) {
      const records = new JsonRecords(undefined, 10);
      assert.throws(() => chunks.map((chunk) => records.push(chunk)), { reason: 'tooLarge' });
    }
  });

  it('are accepted at the limit, one after the other', () => {
    for (const chunks of cuttings(Buffer.from('"12345678"\n"12345678"\n'))) {
      const records = new JsonRecords(undefined, 10);
      assert.deepEqual(
        chunks.flatMap((chunk) => records.push(chunk)),
        ['12345678', '12345678'],
      );
    }
  });
});
