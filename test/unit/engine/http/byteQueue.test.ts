import assert from 'node:assert/strict';
import { ByteQueue } from '../../../../src/engine/http/byteQueue.ts';

const HIGH_WATER = 256 * 1024;
const JOINED = 64 * 1024;
const LARGE = 8 * 1024;

interface Bench {
  readonly queue: ByteQueue;
  /** What the sender was told, in order. */
  readonly told: string[];
}

function bench(): Bench {
  const told: string[] = [];
  const queue = new ByteQueue({
    pause: () => told.push('pause'),
    resume: () => told.push('resume'),
    abandon: () => told.push('abandon'),
  });
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

describe('engine/byteQueue', () => {
  it('hands chunks over in order, whether they or the reader come first', async () => {
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

  it('hands small chunks over as one, and a large one as it is', async () => {
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

  it('joins no more than 64 KiB', async () => {
    const { queue } = bench();
    for (let count = 0; count < 33; count++) queue.push(Buffer.alloc(JOINED / 16));
    const sizes: number[] = [];
    queue.finish();
    for await (const chunk of queue) sizes.push(chunk.length);
    assert.deepEqual(sizes, [JOINED, JOINED, JOINED / 16]);
  });

  it('pauses the sender above the mark, once, and lets it go on at half of it', async () => {
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

  it('pauses again when the sender is again too fast', async () => {
    const { queue, told } = bench();
    for (let round = 0; round < 2; round++) {
      queue.push(Buffer.alloc(HIGH_WATER + 1));
      await queue.next();
    }
    assert.deepEqual(told, ['pause', 'resume', 'pause', 'resume']);
  });

  it('never pauses for a reader that keeps up', async () => {
    const { queue, told } = bench();
    for (let count = 0; count < 10; count++) {
      const waiting = queue.next();
      queue.push(Buffer.alloc(HIGH_WATER * 2));
      await waiting;
    }
    assert.deepEqual(told, []);
  });

  it('hands over what came before a failure, then the failure, then the end', async () => {
    const { queue } = bench();
    queue.push(Buffer.from('a'));
    queue.fail(new Error('cut'));
    assert.equal(await text(queue), 'a');
    await assert.rejects(queue.next(), { message: 'cut' });
    assert.equal(await text(queue), undefined);
  });

  it('tells a waiting reader of the end and of a failure at once', async () => {
    const ended = bench();
    const waiting = text(ended.queue);
    ended.queue.finish();
    assert.equal(await waiting, undefined);
    const failed = bench();
    const hoping = failed.queue.next();
    failed.queue.fail(new Error('cut'));
    await assert.rejects(hoping, { message: 'cut' });
  });

  it('believes the first end alone', async () => {
    const { queue } = bench();
    queue.finish();
    queue.fail(new Error('late'));
    assert.equal(await text(queue), undefined);
  });

  it('tells the sender when the reader leaves early, and drops what waits', async () => {
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

  it('has nothing to tell the sender when the reader leaves after the end', async () => {
    const { queue, told } = bench();
    queue.finish();
    await queue.return();
    assert.deepEqual(told, []);
  });

  it('lets go of a reader that waits when it leaves', async () => {
    const { queue } = bench();
    const waiting = text(queue);
    await queue.return();
    assert.equal(await waiting, undefined);
  });

  it('fails unread without an unhandled rejection', async () => {
    const { queue } = bench();
    queue.fail(new Error('nobody hears'));
    await new Promise((resolve) => setImmediate(resolve));
    await assert.rejects(queue.next());
  });
});
