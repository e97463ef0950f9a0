import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { GrpcCall } from '../../../../../src/engine/builds/grpc/grpcClient.ts';
import { BYTES_MESSAGE, messagePipe } from '../../../../../src/engine/builds/grpc/messagePipe.ts';

const MIB = 1024 * 1024;

describe('a stream of bytes in messages', () => {
  it('sends what is written together in few messages, each of at most a mebibyte', async () => {
    const sent: Uint8Array[] = [];
    const pipe = messagePipe(callThat((message) => sent.push(message)));
    const chunks = [10, 3 * MIB, MIB - 5, 4, 1, 7].map((size, at) => Buffer.alloc(size, at + 1));
    pipe.cork();
    for (const chunk of chunks) pipe.write(chunk);
    pipe.uncork();
    pipe.end();
    await finished(pipe, { readable: false });
    const parts = sent.map((message) => BYTES_MESSAGE.decode(message).data);
    assert.deepEqual(
      parts.map(({ length }) => length),
      [10, MIB, MIB, MIB, MIB, 7],
    );
    assert(Buffer.concat(parts).equals(Buffer.concat(chunks)), 'the bytes are the same');
  });
});

/** Returns a call that receives nothing. */
function callThat(onMessage: (message: Uint8Array) => void): GrpcCall {
  return {
    messages: Readable.from([]),
    write: (...parts) => {
      onMessage(Buffer.concat(parts));
      return Promise.resolve();
    },
    end: () => undefined,
    close: () => undefined,
  };
}
