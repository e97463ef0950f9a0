import { Duplex } from 'node:stream';
import { asError } from '../errors.ts';
import type { GrpcCall } from './grpcClient.ts';
import { bytes, message } from './protobuf.ts';

/** A message that is a part of a stream of bytes. */
export const BYTES_MESSAGE = message<{ readonly data: Uint8Array }>({ data: bytes(1) });

/** The most bytes of one message. The builder accepts 4 MiB. */
const MOST_BYTES = 1024 * 1024;

/** Returns the stream of bytes that is carried by the messages of a call. Destroying it cancels the call. */
export function pipeOf(call: GrpcCall): Duplex {
  const incoming = call.messages[Symbol.asyncIterator]();
  let isReading = false;
  const read = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    try {
      for (;;) {
        const next = await incoming.next();
        if (next.done) {
          pipe.push(null);
          break;
        }
        const { data } = BYTES_MESSAGE.decode(next.value);
        if (data.length > 0 && !pipe.push(data)) break;
      }
    } catch (error) {
      pipe.destroy(asError(error));
    }
    isReading = false;
  };
  const write = async (whole: Uint8Array): Promise<void> => {
    for (let at = 0; at < whole.length; at += MOST_BYTES)
      await call.write(BYTES_MESSAGE.encode({ data: whole.subarray(at, at + MOST_BYTES) }));
  };
  const pipe: Duplex = new Duplex({
    read: () => void read(),
    write: (chunk: Uint8Array, _encoding, done) => {
      write(chunk).then(() => {
        done();
      }, done);
    },
    // Joined, because HTTP/2 writes the head of a frame by itself.
    writev: (chunks, done) => {
      const all = chunks.map(({ chunk }) => chunk as Uint8Array);
      write(Buffer.concat(all)).then(() => {
        done();
      }, done);
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
