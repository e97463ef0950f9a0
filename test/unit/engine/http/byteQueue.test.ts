import assert from 'node:assert/strict';
import { ByteQueue } from '../../../../src/engine/http/byteQueue.ts';

const HIGH_WATER = 256 * 1024;
const JOINED = 64 * 1024;
const LARGE = 8 * 1024;

interface Bench {
  readonly queue: ByteQueue;
  /** The calls to the sender, in order. */
  readonly told: string[];
}

function bench(): Bench {
  const told: string[] = [];
  const sender = { pause: () => told.push('pause'), resume: () => told.push('resume') };
  const queue = new ByteQueue(sender, () => told.push('abandon'));
  return { queue, told };
}

async function rest(queue: ByteQueue): Promise<string> {
  let text = '';
  for await (const chunk of queue) text += Buffer.from(chunk).toString();
  return text;
}

async function text(queue: ByteQueue): Promise<string | undefined> {
  const result = await queue.next();
  return result.done === true ? undefined : Buffer.from(result.value).toString();
}

describe('ByteQueue', () => {
  it('delivers chunks in order, whether they arrive before or after the read', async () => {
    const { queue } = bench();
    queue.push(Buffer.from('a'));
    queue.push(Buffer.from('b'));
    assert.equal(await text(queue), 'ab');
    const waiting = text(queue);
    queue.push(Buffer.from('c'));
    queue.push(Buffer.from('d'));
    assert.equal(await waiting, 'c');
    queue.finish();
    assert.equal(await rest(queue), 'd');
  });

  it('joins small chunks and passes a large one unchanged', async () => {
    const { queue } = bench();
    const small = Buffer.from('a line\n');
    const large = Buffer.alloc(LARGE);
    for (let count = 0; count < 3; count++) queue.push(small);
    queue.push(large);
    queue.push(small);
    assert.equal(await text(queue), 'a line\n'.repeat(3));
    assert.deepEqual(await queue.next(), { done: false, value: large });
    assert.equal(await text(queue), 'a line\n');
  });

  it('joins up to 64 KiB', async () => {
    const { queue } = bench();
    for (let count = 0; count < 33; count++) queue.push(Buffer.alloc(JOINED / 16));
    const sizes: number[] = [];
    queue.finish();
    for await (const chunk of queue) sizes.push(chunk.length);
    assert.deepEqual(sizes, [JOINED, JOINED, JOINED / 16]);
  });

  it('pauses the sender once above the limit and resumes it at half of the limit', async () => {
    const { queue, told } = bench();
    const quarter = Buffer.alloc(HIGH_WATER / 4);
    for (let count = 0; count < 4; count++) queue.push(quarter);
    assert.deepEqual(told, []);
    queue.push(quarter);
    queue.push(quarter);
    assert.deepEqual(told, ['pause']);
    for (let count = 0; count < 3; count++) await queue.next();
    assert.deepEqual(told, ['pause']);
    await queue.next();
    assert.deepEqual(told, ['pause', 'resume']);
  });

  it('pauses the sender again if it is too fast again', async () => {
    const { queue, told } = bench();
    for (let round = 0; round < 2; round++) {
      queue.push(Buffer.alloc(HIGH_WATER + 1));
      await queue.next();
    }
    assert.deepEqual(told, ['pause', 'resume', 'pause', 'resume']);
  });

  it('never pauses the sender if the reader keeps up', async () => {
    const { queue, told } = bench();
    for (let count = 0; count < 10; count++) {
      const waiting = queue.next();
      queue.push(Buffer.alloc(HIGH_WATER * 2));
      await waiting;
    }
    assert.deepEqual(told, []);
  });

  it('delivers the queued bytes before a failure, then the failure, then the end', async () => {
    const { queue } = bench();
    queue.push(Buffer.from('a'));
    queue.fail(new Error('cut'));
    assert.equal(await text(queue), 'a');
    await assert.rejects(queue.next(), { message: 'cut' });
    assert.equal(await text(queue), undefined);
  });

  it('passes the end or a failure to a waiting reader immediately', async () => {
    const ended = bench();
    const waiting = text(ended.queue);
    ended.queue.finish();
    assert.equal(await waiting, undefined);
    const failed = bench();
    const hoping = failed.queue.next();
    failed.queue.fail(new Error('cut'));
    await assert.rejects(hoping, { message: 'cut' });
  });

  it('ignores a second end', async () => {
    const { queue } = bench();
    queue.finish();
    queue.fail(new Error('late'));
    assert.equal(await text(queue), undefined);
  });

  it('notifies the sender and drops the queue if the reader leaves early', async () => {
    const { queue, told } = bench();
    queue.push(Buffer.from('a'));
    queue.push(Buffer.from('b'));
    for await (const chunk of queue) {
      assert.equal(Buffer.from(chunk).toString(), 'ab');
      break;
    }
    assert.deepEqual(told, ['abandon']);
    assert.equal(await text(queue), undefined);
  });

  it('does not notify the sender if the reader leaves after the end', async () => {
    const { queue, told } = bench();
    queue.finish();
    await queue.return();
    assert.deepEqual(told, []);
  });

  it('resolves a pending read when the reader leaves', async () => {
    const { queue } = bench();
    const waiting = text(queue);
    await queue.return();
    assert.equal(await waiting, undefined);
  });

  it('fails without an unhandled rejection if it is not read', async () => {
    const { queue } = bench();
    queue.fail(new Error('nobody hears'));
    await new Promise((resolve) => setImmediate(resolve));
    await assert.rejects(queue.next());
  });
});
