import assert from 'node:assert/strict';
import { Refresher } from '../../../src/inventory/refresher.ts';
import { FakeClock, turn } from './support/fakeClock.ts';

describe('inventory/refresher', () => {
  let clock: FakeClock;
  let ending: AbortController;
  let asked: string[][];
  /** How long requests take; 0 for not at all. */
  let cost: number;
  let refresher: Refresher;
  let ended: Promise<unknown>;

  const run = (refresh: (keys: readonly string[], signal: AbortSignal) => Promise<void>): void => {
    refresher = new Refresher(clock, refresh);
    ended = refresher.run(ending.signal).catch((error: unknown) => error);
  };

  beforeEach(() => {
    clock = new FakeClock();
    ending = new AbortController();
    asked = [];
    cost = 0;
    run(async (keys, signal) => {
      asked.push([...keys]);
      if (cost > 0) await clock.delay(cost, signal);
    });
  });

  afterEach(async () => {
    ending.abort();
    await ended;
    assert.deepEqual(clock.sleeping, []);
  });

  /** Lets time pass, and what waits for it go on. */
  const pass = async (milliseconds: number): Promise<void> => {
    await turn();
    clock.pass(milliseconds);
    await turn();
  };

  it('sleeps without a timer while nothing is stale', async () => {
    await turn();
    assert.deepEqual(clock.sleeping, []);
    await pass(3_600_000);
    assert.deepEqual(asked, []);
  });

  it('asks once for a burst, a short beat after its first mark', async () => {
    refresher.mark('a');
    await pass(15);
    refresher.mark('b');
    refresher.mark('a');
    await pass(4);
    assert.deepEqual(asked, []);
    await pass(1);
    assert.deepEqual(asked, [['a', 'b']]);
    await pass(1000);
    assert.deepEqual(asked, [['a', 'b']]);
  });

  it('collects while a request is under way, and never makes two at a time', async () => {
    cost = 300;
    refresher.mark('a');
    await pass(20);
    refresher.mark('b');
    refresher.mark('c');
    await pass(299);
    assert.deepEqual(asked, [['a']]);
    await pass(1);
    await pass(250);
    assert.deepEqual(asked, [['a'], ['b', 'c']]);
  });

  it('rests in a storm for twice the cost of the last request', async () => {
    cost = 40;
    refresher.mark('a');
    await pass(20);
    refresher.mark('b');
    await pass(40);
    await pass(79);
    assert.deepEqual(asked, [['a']]);
    await pass(1);
    assert.deepEqual(asked, [['a'], ['b']]);
  });

  it('rests for a quarter of a second at most', async () => {
    cost = 5000;
    refresher.mark('a');
    await pass(20);
    refresher.mark('b');
    await pass(5000);
    assert.deepEqual(clock.sleeping, [250]);
  });

  it('needs no rest when the storm is over', async () => {
    cost = 200;
    refresher.mark('a');
    await pass(20);
    await pass(200);
    refresher.mark('b');
    await pass(20);
    assert.deepEqual(asked, [['a'], ['b']]);
  });

  it('asks earlier for what is marked again with less delay, and leaves the rest for later', async () => {
    refresher.mark('slow', 500);
    await pass(100);
    refresher.mark('quick');
    await pass(20);
    assert.deepEqual(asked, [['quick']]);
    refresher.mark('slow', 0);
    await pass(0);
    assert.deepEqual(asked, [['quick'], ['slow']]);
  });

  it('does not push back what was to come earlier', async () => {
    refresher.mark('a');
    refresher.mark('a', 500);
    await pass(20);
    assert.deepEqual(asked, [['a']]);
  });

  it('is not held back by a clock that was set back', async () => {
    refresher.mark('a', 800);
    clock.set(clock.now() - 3_600_000);
    await turn();
    await pass(1000);
    assert.deepEqual(asked, [['a']]);
  });

  it('ends with what a request fails with', async () => {
    const failure = new Error('no');
    run(() => Promise.reject(failure));
    refresher.mark('a');
    await pass(20);
    assert.equal(await ended, failure);
  });

  it('ends when it is aborted while it sleeps', async () => {
    await turn();
    ending.abort();
    assert.equal(((await ended) as Error).name, 'AbortError');
  });

  it('ends when it is aborted in the middle of a request', async () => {
    cost = 1000;
    refresher.mark('a');
    await pass(20);
    ending.abort();
    assert.equal(((await ended) as Error).name, 'AbortError');
  });
});
