import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  bigInteger,
  boolean,
  bytes,
  integer,
  list,
  manyBytes,
  message,
  nested,
  ProtobufError,
  text,
  textMap,
  texts,
} from '../../../../../src/engine/builds/grpc/protobuf.ts';
import { holds } from '../../../properties/holds.ts';

interface Leaf {
  readonly count: number;
  readonly nanos: bigint;
  readonly isOn: boolean;
  readonly name: string;
  readonly data: Uint8Array;
}

interface Tree {
  readonly leaf: Leaf | undefined;
  readonly leaves: readonly Leaf[];
  readonly names: readonly string[];
  readonly chunks: readonly Uint8Array[];
  readonly attributes: ReadonlyMap<string, string>;
  readonly last: number;
}

const LEAF = message<Leaf>({
  count: integer(1),
  nanos: bigInteger(2),
  isOn: boolean(3),
  name: text(4),
  data: bytes(5),
});
const TREE = message<Tree>({
  leaf: nested(1, LEAF),
  leaves: list(2, LEAF),
  names: texts(3),
  chunks: manyBytes(4),
  attributes: textMap(15),
  last: integer(3000),
});
/** A newer version of the same message, which has more fields of every type. */
const NEWER_LEAF = message<Leaf & { readonly extra: string; readonly more: readonly Leaf[] }>({
  count: integer(1),
  nanos: bigInteger(2),
  isOn: boolean(3),
  name: text(4),
  data: bytes(5),
  extra: text(6),
  more: list(2047, LEAF),
});

const words = fc.string({ unit: 'grapheme', maxLength: 20 });
const blob = fc.uint8Array({ maxLength: 200 }).map((view) => Buffer.from(view));
const leaf: fc.Arbitrary<Leaf> = fc.record(
  {
    count: fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.nat(300)),
    nanos: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    isOn: fc.boolean(),
    name: words,
    data: blob,
  },
  { noNullPrototype: true },
);
const tree: fc.Arbitrary<Tree> = fc.record(
  {
    leaf: fc.option(leaf, { nil: undefined }),
    leaves: fc.array(leaf, { maxLength: 5 }),
    names: fc.array(words, { maxLength: 5 }),
    chunks: fc.array(blob, { maxLength: 5 }),
    attributes: fc.array(fc.tuple(words, words), { maxLength: 5 }).map((all) => new Map(all)),
    last: fc.nat(),
  },
  { noNullPrototype: true },
);

describe('a protobuf message', () => {
  it('is read as it was written', () => {
    holds(fc.property(tree, (value) => assert.deepEqual(TREE.decode(TREE.encode(value)), value)));
  });

  it('has the bytes that other programs write', () => {
    const known: [Partial<Leaf>, string][] = [
      // The examples of the specification of the format.
      [{ count: 150 }, '089601'],
      [{ count: -2 }, '08feffffffffffffffff01'],
      [{ name: 'testing' }, '220774657374696e67'],
      [{ isOn: true }, '1801'],
      [{ count: 2 ** 31 }, '088080808008'],
      [{ nanos: 1_700_000_000_123_456_789n }, '10959a97ece39fe7cb17'],
      [{ count: 0, name: '', isOn: false, data: Buffer.alloc(0) }, ''],
    ];
    for (const [values, hex] of known) {
      assert.equal(LEAF.encode(values).toString('hex'), hex);
      assert.deepEqual(LEAF.encode(LEAF.decode(Buffer.from(hex, 'hex'))).toString('hex'), hex);
    }
    const map = TREE.encode({
      attributes: new Map([
        ['k', 'v'],
        ['', ''],
      ]),
    });
    assert.equal(map.toString('hex'), '7a060a016b1201767a00');
  });

  it('keeps the known fields of a newer version', () => {
    const newer = fc.tuple(leaf, words, fc.array(leaf, { maxLength: 3 }));
    holds(
      fc.property(newer, ([value, extra, more]) => {
        assert.deepEqual(LEAF.decode(NEWER_LEAF.encode({ ...value, extra, more })), value);
      }),
    );
    // One field of each type of the format: an integer, 64 bits, bytes, 32 bits.
    const unknown = Buffer.from('5001' + '510102030405060708' + '520161' + '5501020304', 'hex');
    const name = LEAF.encode({ name: 'x' });
    assert.equal(LEAF.decode(Buffer.concat([unknown, name, unknown])).name, 'x');
  });

  it('has the default value of a field that comes with another type', () => {
    // The number as text, and the text as number.
    assert.deepEqual(LEAF.decode(Buffer.from('0a0161' + '2001' + '1801', 'hex')), {
      count: 0,
      nanos: 0n,
      isOn: true,
      name: '',
      data: Buffer.alloc(0),
    });
  });

  it('takes the last of several values, and shares none between messages', () => {
    const twice = Buffer.concat([LEAF.encode({ name: 'a' }), LEAF.encode({ name: 'b' })]);
    assert.equal(LEAF.decode(twice).name, 'b');
    TREE.decode(TREE.encode({ names: ['a'], attributes: new Map([['a', 'b']]) }));
    const empty = TREE.decode(Buffer.alloc(0));
    assert.deepEqual([empty.names, empty.attributes.size], [[], 0]);
  });

  it('is safe for keys like __proto__', () => {
    const attributes = new Map([['__proto__', 'x']]);
    assert.deepEqual(TREE.decode(TREE.encode({ attributes })).attributes, attributes);
    assert.equal(Object.getPrototypeOf(TREE.decode(Buffer.alloc(0))), Object.prototype);
  });

  it('is either read or refused, whatever its bytes are', () => {
    const cut = fc.tuple(tree, fc.nat(500), blob).map(([value, at, junk]) => {
      const valid = TREE.encode(value);
      return Buffer.concat([valid.subarray(0, at), junk]);
    });
    holds(
      fc.property(fc.oneof(blob, cut), (input) => {
        try {
          const value = TREE.decode(input);
          assert.deepEqual(TREE.decode(TREE.encode(value)), value);
        } catch (error) {
          assert(error instanceof ProtobufError, String(error));
        }
      }),
    );
  });

  for (const [name, hex] of [
    ['a number without an end', '08ff'],
    ['a number of more than ten bytes', '08ffffffffffffffffffff01'],
    ['a text longer than the message', '22ff7f61'],
    ['a text longer than any memory', '22ffffffffffffffff7f'],
    ['a group', '0b0c'],
    ['64 bits cut short', '5101'],
  ] as const)
    it(`is refused with ${name}`, () => {
      assert.throws(() => LEAF.decode(Buffer.from(hex, 'hex')), ProtobufError);
    });

  it('is refused with more fields than any valid message, wherever they are', () => {
    const decode = (bytes: Uint8Array) => TREE.decode(bytes, { left: 200 });
    const many = Buffer.from('1200'.repeat(150), 'hex');
    assert.equal(decode(many).leaves.length, 150);
    const more = Buffer.from('0800'.repeat(100), 'hex');
    const leaves = Buffer.concat([many, TREE.encode({ chunks: [more] })]);
    assert.equal(decode(leaves).chunks.length, 1);
    assert.throws(() => decode(Buffer.concat([many, many])), /too many fields/);
    const fields = Buffer.alloc(2 * 200_001, '0800', 'hex');
    assert.throws(() => TREE.decode(fields), /too many fields/);
  });
});
