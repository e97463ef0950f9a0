import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import type { GrpcCall } from '../../../../../src/engine/builds/grpc/grpcClient.ts';
import { BYTES_MESSAGE, messagePipe } from '../../../../../src/engine/builds/grpc/messagePipe.ts';
import { settle } from '../../../support/lab.ts';

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

  it('has the bytes of all messages, also after empty ones', async () => {
    const messages = ['one', '', ' two'].map((data) => messageOf(data));
    const pipe = messagePipe({ ...callThat(() => undefined), messages: Readable.from(messages) });
    assert.equal((await buffer(pipe)).toString(), 'one two');
  });

  it('asks for no more messages than its reader takes', async () => {
    let asked = 0;
    const messages = Readable.from(
      (function* () {
        for (; asked < 1000; asked++) yield messageOf('x'.repeat(MIB));
      })(),
      { highWaterMark: 1 },
    );
    const pipe = messagePipe({ ...callThat(() => undefined), messages });
    pipe.read(0);
    await settle();
    assert(asked < 5, `${asked}`);
    pipe.destroy();
  });

  for (const [what, messages] of [
    ['the call fails', Readable.from(failing())],
    ['a message is invalid', Readable.from([Buffer.from([0xff])])],
  ] as const)
    it(`fails, and cancels the call, if ${what}`, async () => {
      let closed = 0;
      const pipe = messagePipe({ ...callThat(() => undefined), messages, close: () => closed++ });
      await assert.rejects(buffer(pipe), /lost|ends/);
      assert.equal(closed, 1);
    });

  it('half-closes the call at its end, and fails if nothing can be sent', async () => {
    let ended = 0;
    const call = { ...callThat(() => undefined), end: () => ended++ };
    await finished(messagePipe(call).end('x'), { readable: false });
    assert.equal(ended, 1);
    const write = (): Promise<void> => Promise.reject(new Error('not sent'));
    for (const count of [1, 2]) {
      const pipe = messagePipe({ ...call, write });
      pipe.cork();
      for (let done = 0; done < count; done++) pipe.write('x');
      pipe.uncork();
      await assert.rejects(finished(pipe), /not sent/);
    }
  });
});

function messageOf(data: string): Buffer {
  return BYTES_MESSAGE.encode({ data: Buffer.from(data) });
}

function* failing(): Generator<Uint8Array> {
  yield messageOf('one');
  throw new Error('lost');
}

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
