import { Duplex } from 'node:stream';
import { asError } from '../../errors.ts';
import type { GrpcCall } from './grpcClient.ts';
import { byteLengthOf } from './frames.ts';
import { bytes, bytesHead, message } from './protobuf.ts';

const DATA = 1;

/** Returns the stream of bytes that is carried by the messages of a call. Destroying it cancels the call. */
export function messagePipe(call: GrpcCall): Duplex {
  const incoming = call.messages[Symbol.asyncIterator]();
  let isReading = false;
  const read = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    await fill(pipe, incoming);
    isReading = false;
  };
  const write = async (chunks: readonly Uint8Array[]): Promise<void> => {
    for (const parts of messagesOf(chunks))
      await call.write(bytesHead(DATA, byteLengthOf(parts)), ...parts);
  };
  const pipe: Duplex = new Duplex({
    read: () => void read(),
    write: (chunk: Uint8Array, _encoding, done) => {
      write([chunk]).then(() => done(), done);
    },
    // Together, because HTTP/2 writes the head of a frame separately.
    writev: (chunks, done) => {
      write(chunks.map(({ chunk }) => chunk as Uint8Array)).then(() => done(), done);
    },
    final: (done) => {
      call.end();
      done();
    },
    destroy: (error, done) => {
      call.close();
      done(error);
    },
  });
  return pipe;
}

/** Reads until the pipe accepts no more for now. */
async function fill(pipe: Duplex, incoming: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    for (;;) {
      const next = await incoming.next();
      if (next.done) {
        pipe.push(null);
        return;
      }
      const { data } = BYTES_MESSAGE.decode(next.value);
      if (data.length > 0 && !pipe.push(data)) return;
    }
  } catch (error) {
    pipe.destroy(asError(error));
  }
}

/** A message that is a part of a stream of bytes. */
export const BYTES_MESSAGE = message<{ readonly data: Uint8Array }>({ data: bytes(DATA) });

/** The most bytes of one message. The builder accepts 4 MiB. */
const MOST_BYTES = 1024 * 1024;

/** Returns the chunks in groups that are sent as one message each. */
function messagesOf(chunks: readonly Uint8Array[]): readonly (readonly Uint8Array[])[] {
  const groups: Uint8Array[][] = [[]];
  let size = 0;
  for (const chunk of chunks.flatMap(pieces)) {
    if (size + chunk.length > MOST_BYTES) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)?.push(chunk);
    size += chunk.length;
  }
  return groups.filter(({ length }) => length > 0);
}

function pieces(chunk: Uint8Array): readonly Uint8Array[] {
  const count = Math.ceil(chunk.length / MOST_BYTES);
  return Array.from({ length: count }, (_, at) =>
    chunk.subarray(at * MOST_BYTES, (at + 1) * MOST_BYTES),
  );
}
