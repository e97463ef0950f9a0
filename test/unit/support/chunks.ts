/**
 * Yields `bytes` uncut, byte by byte, and cut in two at every position. A decoder must give the same result
 * for each.
 */
export function* cuttings(bytes: Uint8Array): Generator<readonly Uint8Array[]> {
  yield [bytes];
  yield Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
  for (let at = 1; at < bytes.length; at++) yield [bytes.subarray(0, at), bytes.subarray(at)];
}

/** Returns a log record with the frame header of an engine. Kind 1 is `stdout`, 2 is `stderr`. */
export function frame(kind: number, payload: string | Uint8Array): Buffer {
  const body = Buffer.from(payload as string);
  const header = Buffer.alloc(8);
  header[0] = kind;
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
}
