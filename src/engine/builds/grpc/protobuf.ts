/**
 * Messages in the binary format of Protocol Buffers, by tables of their fields. Only what the builder uses: integers,
 * booleans, texts, bytes, nested messages, and maps of texts. Unknown fields are skipped.
 */

/** A message that is invalid, or has more fields than any valid one. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

/** The most fields of a message with all messages inside it: a field of two bytes may become an object. */
const MOST_FIELDS = 200_000;

const VARINT = 0;
const FIXED64 = 1;
const SIZED = 2;
const FIXED32 = 5;
type WireType = typeof VARINT | typeof SIZED;

/** The values of a message to write: all fields are optional, also those of messages inside it. */
export type Draft<T> = { readonly [Key in keyof T]?: DraftOf<T[Key]> };
type DraftOf<T> = T extends Leaf
  ? T
  : T extends readonly (infer One)[]
    ? readonly DraftOf<One>[]
    : Draft<T>;
type Leaf =
  | string
  | number
  | bigint
  | boolean
  | undefined
  | Uint8Array
  | ReadonlyMap<string, string>;

export type MessageOf<Type> = Type extends MessageType<infer T> ? T : never;

/** One field: its number, and how its values are read and written. */
interface Field<T> {
  readonly id: number;
  readonly wire: WireType;
  readonly initial: () => T;
  /** Returns the value after one more occurrence, which is a number or a view of the bytes. */
  readonly read: (found: bigint, view: Buffer, before: T, budget: Budget) => T;
  readonly write: (value: T, out: Buffer[]) => void;
}

/** The number of fields that may still follow. */
interface Budget {
  left: number;
}

type Fields<T> = { readonly [Key in keyof T]: Field<T[Key]> };

/** Defines a type of message by its fields. */
export function message<T extends object>(fields: Fields<T>): MessageType<T> {
  return new MessageType(fields);
}

/** Reads and writes messages of one type. */
class MessageType<T> {
  readonly #fields: readonly (readonly [string, Field<unknown>])[];
  readonly #byId: ReadonlyMap<number, readonly [string, Field<unknown>]>;

  constructor(fields: Fields<T>) {
    this.#fields = Object.entries<Field<unknown>>(fields as Record<string, Field<unknown>>);
    this.#byId = new Map(this.#fields.map((entry) => [entry[1].id, entry]));
  }

  /**
   * Reads a message. A field that is missing, or of another wire type than in the table, has its default value: 0,
   * false, empty, or undefined for a message. Bytes are views of `bytes`.
   *
   * @throws ProtobufError
   */
  decode(bytes: Uint8Array, budget: Budget = { left: MOST_FIELDS }): T {
    const values: Record<string, unknown> = {};
    for (const [name, field] of this.#fields) values[name] = field.initial();
    const reader = new Reader(bytes);
    while (!reader.isDone) {
      if (budget.left-- <= 0) throw new ProtobufError('The message has too many fields');
      const tag = Number(reader.varint());
      const wire = tag % 8;
      const found = wire === VARINT ? reader.varint() : 0n;
      const view = wire === VARINT ? EMPTY : reader.view(wire);
      const [name, field] = this.#byId.get(Math.floor(tag / 8)) ?? NO_FIELD;
      if (field?.wire === wire) values[name] = field.read(found, view, values[name], budget);
    }
    return values as T;
  }

  /** Writes a message. Fields that are left out or have their default value are not written. */
  encode(values: Draft<T>): Buffer {
    const out: Buffer[] = [];
    for (const [name, field] of this.#fields) {
      const value = (values as Readonly<Record<string, unknown>>)[name];
      if (value !== undefined) field.write(value, out);
    }
    return Buffer.concat(out);
  }
}

export type { MessageType };

/** An integer of up to 53 bits, signed; a larger one is rounded. */
export function integer(id: number): Field<number> {
  return varintField(id, 0, Number, (value) => BigInt(Math.trunc(value)));
}

/** A signed integer of 64 bits. */
export function bigInteger(id: number): Field<bigint> {
  return varintField<bigint>(
    id,
    0n,
    (found) => found,
    (value) => value,
  );
}

export function boolean(id: number): Field<boolean> {
  return varintField<boolean>(
    id,
    false,
    (found) => found !== 0n,
    (value) => (value ? 1n : 0n),
  );
}

/** UTF-8. Invalid sequences are read as U+FFFD. */
export function text(id: number): Field<string> {
  return sizedField<string>(
    id,
    '',
    (view) => view.toString(),
    (value) => Buffer.from(value),
  );
}

export function bytes(id: number): Field<Uint8Array> {
  return sizedField<Uint8Array>(
    id,
    EMPTY,
    (view) => view,
    (value) => value,
  );
}

/** Returns what precedes bytes of this size in a message, so that they need not be copied. */
export function bytesHead(id: number, size: number): Buffer {
  return Buffer.concat([varint(BigInt(id * 8 + SIZED)), varint(BigInt(size))]);
}

/** A message in a message. The last one counts. */
export function nested<T>(id: number, type: MessageType<T>): Field<T | undefined> {
  return {
    id,
    wire: SIZED,
    initial: () => undefined,
    read: (_, view, _before, budget) => type.decode(view, budget),
    write: (value, out) => {
      if (value) writeSized(id, type.encode(value), out);
    },
  };
}

export function texts(id: number): Field<readonly string[]> {
  return repeatedField<string>(
    id,
    (view) => view.toString(),
    (value) => Buffer.from(value),
  );
}

export function manyBytes(id: number): Field<readonly Uint8Array[]> {
  return repeatedField<Uint8Array>(
    id,
    (view) => view,
    (value) => value,
  );
}

export function list<T>(id: number, type: MessageType<T>): Field<readonly T[]> {
  const read = (view: Buffer, budget: Budget): T => type.decode(view, budget);
  return repeatedField<T>(id, read, (value) => type.encode(value as Draft<T>));
}

/** A map of texts. The last value of a key counts. */
export function textMap(id: number): Field<ReadonlyMap<string, string>> {
  return {
    id,
    wire: SIZED,
    initial: () => new Map(),
    read: (_, view, before, budget) => {
      const { key, value } = ENTRY.decode(view, budget);
      // The map belongs to the message that is being read.
      return (before as Map<string, string>).set(key, value);
    },
    write: (map, out) => {
      for (const [key, value] of map) writeSized(id, ENTRY.encode({ key, value }), out);
    },
  };
}

const NO_FIELD = ['', undefined] as const;
const EMPTY = Buffer.alloc(0);
const ENTRY = message<{ readonly key: string; readonly value: string }>({
  key: text(1),
  value: text(2),
});

function varintField<T>(
  id: number,
  usual: T,
  read: (found: bigint) => T,
  toBits: (value: T) => bigint,
): Field<T> {
  return {
    id,
    wire: VARINT,
    initial: () => usual,
    read: (found) => read(BigInt.asIntN(64, found)),
    write: (value, out) => {
      const bits = toBits(value);
      if (bits !== 0n) out.push(varint(BigInt(id * 8 + VARINT)), varint(bits));
    },
  };
}

function sizedField<T extends string | Uint8Array>(
  id: number,
  usual: T,
  read: (view: Buffer) => T,
  toBytes: (value: T) => Uint8Array,
): Field<T> {
  return {
    id,
    wire: SIZED,
    initial: () => usual,
    read: (_, view) => read(view),
    write: (value, out) => {
      if (value.length > 0) writeSized(id, toBytes(value), out);
    },
  };
}

function repeatedField<T>(
  id: number,
  read: (view: Buffer, budget: Budget) => T,
  toBytes: (value: T) => Uint8Array,
): Field<readonly T[]> {
  return {
    id,
    wire: SIZED,
    initial: () => [],
    read: (_, view, before, budget) => {
      // The array belongs to the message that is being read.
      (before as T[]).push(read(view, budget));
      return before;
    },
    write: (values, out) => {
      for (const value of values) writeSized(id, toBytes(value), out);
    },
  };
}

function writeSized(id: number, value: Uint8Array, out: Buffer[]): void {
  const view = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  out.push(bytesHead(id, view.length), view);
}

/** Returns an integer in groups of 7 bits; a negative one as 64 bits in two's complement. */
function varint(value: bigint): Buffer {
  const groups: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest > 0x7fn; rest >>= 7n) groups.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...groups, Number(rest)]);
}

/** The longest varint in bytes. */
const LONGEST_VARINT = 10;

/** Reads the parts of a message one after the other. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): bigint {
    const first = this.#bytes[this.#at];
    if (first !== undefined && first < 0x80) {
      this.#at++;
      return BigInt(first);
    }
    let value = 0n;
    for (let group = 0; group < LONGEST_VARINT; group++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new ProtobufError('The message ends within a number');
      value |= BigInt(byte & 0x7f) << BigInt(7 * group);
      if (byte < 0x80) return value;
    }
    throw new ProtobufError('A number is too long');
  }

  /** Returns the bytes of a value that is not a varint. */
  view(wire: number): Buffer {
    const size = this.#sizeOf(wire);
    const end = this.#at + size;
    if (end > this.#bytes.length) throw new ProtobufError('The message ends within a field');
    const view = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return view;
  }

  #sizeOf(wire: number): number {
    if (wire === FIXED64) return 8;
    if (wire === FIXED32) return 4;
    // Groups are no longer in use.
    if (wire !== SIZED) throw new ProtobufError('The message has a field of an unknown type');
    return Number(this.varint());
  }
}
