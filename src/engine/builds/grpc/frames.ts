import type { Writable } from 'node:stream';
import { EngineError } from '../../errors.ts';

/** Size of what precedes a message: one byte for the compression, four for the length. */
const HEAD = 5;

/** The largest message that is accepted, in bytes. The builder's own limit is 4 MiB, or 16 MiB since 2023. */
export const MESSAGE_LIMIT = 32 * 1024 * 1024;

/**
 * Writes a message with its gRPC frame. Its parts are not joined, so that the content of files is not copied.
 *
 * @returns whether the stream can accept more.
 */
export function writeMessage(stream: Writable, parts: readonly Uint8Array[]): boolean {
  const head = Buffer.alloc(HEAD);
  head.writeUInt32BE(byteLengthOf(parts), 1);
  stream.cork();
  // Node waits for more after an empty part.
  for (const part of [head, ...parts]) if (part.length > 0) stream.write(part);
  stream.uncork();
  return !stream.writableNeedDrain;
}

/** Returns the size of all parts together, in bytes. */
export function byteLengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/**
 * Cuts the body of a gRPC call into its messages.
 *
 * @param limit the largest message in bytes.
 * @throws EngineError `tooLarge` as soon as the length of a message is known; `badAnswer` for a compressed message,
 * which we never agree to, and for a body that ends within a message.
 */
export async function* readMessages(
  body: AsyncIterable<Uint8Array>,
  limit = MESSAGE_LIMIT,
): AsyncGenerator<Uint8Array> {
  let chunks: Uint8Array[] = [];
  let size = 0;
  let needed = HEAD;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    // Joined only when there is something to read, so that a large message is copied once.
    while (size >= needed) {
      const bytes = chunks.length === 1 ? asBuffer(chunks[0]) : Buffer.concat(chunks, size);
      chunks = [bytes];
      needed = HEAD + lengthIn(bytes, limit);
      if (size < needed) break;
      yield bytes.subarray(HEAD, needed);
      chunks = [bytes.subarray(needed)];
      size -= needed;
      needed = HEAD;
    }
  }
  if (size > 0) throw new EngineError('badAnswer', { engineMessage: 'gRPC: unexpected end' });
}

function lengthIn(bytes: Buffer, limit: number): number {
  if (bytes[0] !== 0)
    throw new EngineError('badAnswer', { engineMessage: 'gRPC: compressed message' });
  const length = bytes.readUInt32BE(1);
  if (length > limit) throw new EngineError('tooLarge', { engineMessage: 'gRPC' });
  return length;
}

function asBuffer(bytes: Uint8Array = new Uint8Array()): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
