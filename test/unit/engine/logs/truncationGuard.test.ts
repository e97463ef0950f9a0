import assert from 'node:assert/strict';
import { BurstDetector } from '../../../../src/engine/logs/burstDetector.ts';
import { TruncationGuard } from '../../../../src/engine/logs/truncationGuard.ts';
import { frame } from '../../support/chunks.ts';
import { FakeClock } from '../../support/fakeClock.ts';

/** What a source does when it is read. */
type Step = () => IteratorResult<Uint8Array>;

/** Lets pending callbacks run. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
}

describe('a guarded stream', () => {
  let clock: FakeClock;
  let send: (chunk: number | Uint8Array) => Promise<void>;
  let end: (error?: Error) => Promise<void>;
  let given: number[];
  let asked: number;
  let held: TruncationGuard;
  let outcome: Promise<string>;
  let controller: AbortController;

  const pass = async (milliseconds: number): Promise<void> => {
    clock.pass(milliseconds);
    await turns();
  };

  beforeEach(() => {
    clock = new FakeClock();
    controller = new AbortController();
    given = [];
    asked = 0;
    const waiting: ((next: Step) => void)[] = [];
    const queued: Step[] = [];
    const push = async (next: Step): Promise<void> => {
      const reader = waiting.shift();
      if (reader) reader(next);
      else queued.push(next);
      await turns();
    };
    send = (chunk) => {
      const value = typeof chunk === 'number' ? new Uint8Array(chunk) : chunk;
      return push(() => ({ done: false, value }));
    };
    end = (error) =>
      push(() => {
        if (error) throw error;
        return { done: true, value: undefined };
      });
    const source: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          asked++;
          const queuedOne = queued.shift();
          if (queuedOne) return queuedOne();
          const next = await new Promise<Step>((resolve) => waiting.push(resolve));
          return next();
        },
      }),
    };
    held = new TruncationGuard(source, clock, new BurstDetector(true, new Map()));
    outcome = (async () => {
      for await (const chunk of held.trusted(controller.signal)) given.push(chunk.length);
      return 'ended';
    })().catch((error: unknown) => (error as Error).message);
  });

  function rest(): readonly number[] {
    return held.rest.map(({ length }) => length);
  }

  it('passes slow chunks immediately', async () => {
    await pass(1000);
    await send(10);
    await send(20);
    assert.deepEqual(given, [10, 20]);
    await end();
    assert.equal(await outcome, 'ended');
    assert.deepEqual(rest(), []);
  });

  it('holds the chunks of its first second for a second', async () => {
    await send(10);
    await pass(999);
    assert.deepEqual(given, []);
    await pass(1);
    assert.deepEqual(given, [10]);
  });

  it('holds fast chunks for a second, in order', async () => {
    await pass(1000);
    for (const size of [10_000, 10_001, 10_002]) await send(size);
    assert.deepEqual(given, [10_000]);
    await pass(500);
    await send(3);
    await pass(500);
    assert.deepEqual(given, [10_000, 10_001, 10_002]);
    await pass(500);
    assert.deepEqual(given, [10_000, 10_001, 10_002, 3]);
  });

  it('passes slow chunks immediately again after fast ones', async () => {
    await pass(1000);
    await send(20_000);
    await pass(1001);
    assert.deepEqual(given, [20_000]);
    await send(5);
    assert.deepEqual(given, [20_000, 5]);
  });

  it('keeps the held chunks when the stream ends', async () => {
    await pass(1000);
    for (const size of [20_000, 20_001, 5]) await send(size);
    await end();
    assert.equal(await outcome, 'ended');
    assert.deepEqual(given, []);
    assert.deepEqual(rest(), [20_000, 20_001, 5]);
  });

  it('reads at most 16 MiB ahead', async () => {
    await pass(1000);
    // One record, because it takes long to look at many short ones.
    const chunk = frame(1, new Uint8Array(1024 * 1024 - 8));
    for (let sent = 0; sent < 40; sent++) await send(chunk);
    assert.equal(asked, 16);
    await pass(1000);
    assert.equal(given.length, 16);
    assert.equal(asked, 32);
  });

  it('fails with the error of the stream', async () => {
    await send(10);
    await end(new Error('cut'));
    assert.equal(await outcome, 'cut');
  });

  it('ends with its signal while it waits', async () => {
    await send(10);
    controller.abort(new Error('enough'));
    await turns();
    await end(new Error('enough'));
    assert.equal(await outcome, 'enough');
  });

  describe('with many records of the same stamp', () => {
    const record = frame(1, '2026-08-01T08:00:02.000000001Z x\n');
    const records = (count: number): Buffer =>
      Buffer.concat(Array.from({ length: count }, () => record));

    it('ends a second later, and keeps them', async () => {
      await pass(1000);
      await send(records(40));
      await send(records(4));
      await pass(500);
      await send(records(2));
      await pass(499);
      assert.equal(held.isCutShort, false);
      await pass(1);
      assert.equal(await outcome, 'ended');
      assert.equal(held.isCutShort, true);
      assert.deepEqual(given, [40 * record.length]);
      assert.deepEqual(rest(), [4 * record.length, 2 * record.length]);
    });

    it('ends with its source', async () => {
      await pass(1000);
      await send(records(50));
      await end();
      assert.equal(await outcome, 'ended');
      assert.equal(held.isCutShort, false);
      assert.deepEqual(rest(), [50 * record.length]);
    });
  });
});
