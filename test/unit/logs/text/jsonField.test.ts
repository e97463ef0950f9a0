import assert from 'node:assert/strict';
import fc from 'fast-check';
import { jsonFieldsOf } from '../../../../src/logs/text/jsonField.ts';

/** Returns fields as `name=value`. */
function fields(line: string): readonly string[] | undefined {
  return jsonFieldsOf(line)?.map(({ name, value }) => `${name}=${value}`);
}

describe('jsonFieldsOf', () => {
  const good: readonly (readonly [line: string, fields: string])[] = [
    ['{"level":"info","ts":1.5,"msg":"a \\"b\\" \\u00e4"}', 'level=info · ts=1.5 · msg=a "b" ä'],
    [
      ' { "a" : { "b" : [ 1, {"c":2} ] , "d" : { } } , "e" : null } ',
      'a.b=[ 1, {"c":2} ] · a.d={ } · e=null',
    ],
    [
      '{"a":12345678901234567890,"b":1.0,"2":true,"1":"x"}',
      'a=12345678901234567890 · b=1.0 · 2=true · 1=x',
    ],
    ['{"__proto__":1,"a":1,"a":2,"":3}', '__proto__=1 · a=1 · a=2 · =3'],
    ['{"a":{"b":{"c":{"d":{"e":{"f":1}}}}}}', 'a.b.c.d.e={"f":1}'],
    ['{}', ''],
  ];
  for (const [line, expected] of good) {
    it(`returns the fields of ${line}`, () => assert.equal(fields(line)?.join(' · '), expected));
  }

  const bad = '|x|[1]|{"a":1|{"a":1} x|x {"a":1}|{a:1}|1|null|{"a":1}}';
  for (const line of bad.split('|')) {
    it(`returns undefined for ${JSON.stringify(line)}`, () => {
      assert.equal(jsonFieldsOf(line), undefined);
    });
  }

  it('is bounded in number, length and depth of fields', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, i]));
    assert.equal(jsonFieldsOf(JSON.stringify(many))?.length, 200);
    assert.equal(jsonFieldsOf(JSON.stringify({ a: many }))?.length, 200);
    const [long] = jsonFieldsOf(JSON.stringify({ ['n'.repeat(5000)]: '😀'.repeat(9999) })) ?? [];
    assert.equal(long?.name.length, 201);
    assert.equal(long.value.length, 10_001);
    assert.equal(jsonFieldsOf(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)?.length, 1);
    assert.equal(jsonFieldsOf(`{"a":${'['.repeat(90_000)}${']'.repeat(90_000)}}`)?.length, 1);
    assert.equal(jsonFieldsOf(JSON.stringify({ a: 'x'.repeat(10_000_000) })), undefined);
  }).timeout(30_000);

  it('returns the same values as a parser, whatever the record', () => {
    const scalar = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    );
    const record = fc.uniqueArray(fc.tuple(fc.string(), scalar), { selector: ([name]) => name });
    fc.assert(
      fc.property(record, fc.constantFrom(undefined, 1), (pairs, indent) => {
        const value = Object.fromEntries(pairs);
        assert.deepEqual(
          jsonFieldsOf(JSON.stringify(value, undefined, indent))?.map(({ name, value }) => [
            name,
            value,
          ]),
          Object.entries(value).map(([name, one]) => [name, String(one)]),
        );
      }),
      { numRuns: 300, seed: 4 },
    );
  }).timeout(30_000);
});
