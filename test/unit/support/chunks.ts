/** All ways to cut `bytes` in two, byte by byte, and whole. A decoder must say the same for each. */
export function* cuttings(bytes: Uint8Array): Generator<readonly Uint8Array[]> {
  yield [bytes];
  yield Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
  for (let at = 1; at < bytes.length; at++) yield [bytes.subarray(0, at), bytes.subarray(at)];
}

/** A log record as an engine frames it: `stdout` and `stderr` are 1 and 2. */
export function frame(kind: number, payload: string | Uint8Array): Buffer {
  const body = Buffer.from(payload as string);
  const header = Buffer.alloc(8);
  header[0] = kind;
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
}
