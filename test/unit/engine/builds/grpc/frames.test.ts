import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { readMessages, writeMessage } from '../../../../../src/engine/builds/grpc/frames.ts';
import { failure } from '../../../support/lab.ts';

/** Reads the messages of a body that arrives in these chunks. */
async function read(chunks: Iterable<Uint8Array>, limit?: number): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const message of readMessages(Readable.from(chunks), limit))
    texts.push(Buffer.from(message).toString());
  return texts;
}

function framed(...messages: readonly string[]): Buffer {
  const stream = new PassThrough();
  for (const message of messages) writeMessage(stream, [Buffer.from(message)]);
  return stream.read() as Buffer;
}

describe('the frames of gRPC', () => {
  const MESSAGES = ['one', '', 'x'.repeat(300), 'last'];
  for (const size of [1, 4, 5, 6, 7, 1000])
    it(`are read from chunks of ${size} bytes`, async () => {
      const body = framed(...MESSAGES);
      const count = Math.ceil(body.length / size);
      const chunks = Array.from({ length: count }, (_, at) =>
        // A view that is not a Buffer, and does not start where its memory does.
        new Uint8Array(body).subarray(at * size, (at + 1) * size),
      );
      assert.deepEqual(await read(chunks), MESSAGES);
    });

  it('have the length of all parts, also of empty ones', () => {
    const stream = new PassThrough();
    const parts = ['ab', '', 'c'].map((part) => Buffer.from(part));
    assert.equal(writeMessage(stream, parts), true);
    assert.deepEqual(stream.read(), Buffer.from('\0\0\0\0\x03abc'));
  });

  it('report that the stream takes no more for now', () => {
    const stream = new PassThrough({ highWaterMark: 8 });
    assert.equal(writeMessage(stream, [Buffer.from('12345678')]), false);
  });

  it('are refused as soon as a message is longer than the limit', async () => {
    assert.deepEqual(await read([framed('1234')], 4), ['1234']);
    await failure(read([framed('12345').subarray(0, 5)], 4), 'tooLarge');
  });

  for (const [what, body] of [
    ['is compressed', Buffer.from('\x01\0\0\0\x01x', 'latin1')],
    ['has no end', framed('12345').subarray(0, 9)],
    ['has no whole head', framed('one', 'two').subarray(0, 10)],
  ] as const)
    it(`are refused if a message ${what}`, () => failure(read([body]), 'badAnswer'));
});
