import assert from 'node:assert/strict';
import { ALL, Refresher, type RefreshRequest } from '../../../src/inventory/refresher.ts';
import { FakeClock, turn } from '../support/fakeClock.ts';

describe('inventory/refresher', () => {
  let clock: FakeClock;
  let ending: AbortController;
  let asked: string[][];
  /** How long requests take; 0 for not at all. */
  let cost: number;
  let refresher: Refresher;
  let ended: Promise<unknown>;

  const run = (refresh: RefreshRequest): void => {
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
      return undefined;
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
    await pass(300);
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

  for (const [took, rest] of [
    [100, 200],
    [200, 250],
    [1500, 1500],
    [20_000, 5000],
  ] as const) {
    it(`rests for ${rest} ms after a request of ${took} ms`, async () => {
      cost = took;
      refresher.mark('a');
      await pass(20);
      refresher.mark('b');
      await pass(took);
      assert.deepEqual(clock.sleeping, [rest]);
    });
  }

  it('leaves an engine at least half of its time in a storm, and answers its beginning at once', async () => {
    cost = 1500;
    for (let tenth = 0; tenth < 600; tenth++) {
      refresher.mark(ALL);
      await pass(100);
      if (tenth === 1) assert.equal(asked.length, 1);
    }
    const busy = asked.length * cost;
    assert(busy >= 25_000 && busy <= 31_500, `${busy} ms of 60,000`);
  });

  it('rests after a dear request also before a lone one', async () => {
    cost = 1500;
    refresher.mark('a');
    await pass(20);
    await pass(1500);
    refresher.mark('b');
    await pass(1499);
    assert.deepEqual(asked, [['a']]);
    await pass(1);
    assert.deepEqual(asked, [['a'], ['b']]);
  });

  it('does not rest before a renewal, and asks for all', async () => {
    cost = 1500;
    refresher.mark('a');
    await pass(20);
    await pass(1500);
    refresher.renew();
    await pass(0);
    assert.deepEqual(asked, [['a'], [ALL]]);
  });

  it('does not rest before a renewal that comes during a request', async () => {
    cost = 1500;
    refresher.mark('a');
    await pass(20);
    refresher.renew();
    await pass(1499);
    assert.deepEqual(asked, [['a']]);
    await pass(1);
    assert.deepEqual(asked, [['a'], [ALL]]);
    refresher.mark('b');
    await pass(1500);
    assert.deepEqual(clock.sleeping, [1500]);
  });

  it('asks for the same again when the request says so, and for nothing before', async () => {
    ending.abort();
    await ended;
    ending = new AbortController();
    const rests = [400, 800];
    run((keys) => {
      asked.push([...keys]);
      return Promise.resolve(rests.shift());
    });
    refresher.mark('a');
    await pass(20);
    refresher.mark('b');
    await pass(399);
    assert.deepEqual(asked, [['a']]);
    await pass(1);
    assert.deepEqual(asked, [['a'], ['a', 'b']]);
    await pass(800);
    assert.deepEqual(asked, [['a'], ['a', 'b'], ['a', 'b']]);
    await pass(60_000);
    assert.equal(asked.length, 3);
  });

  it('knows what is stale: alone or with all, until the answer is there', async () => {
    cost = 10;
    refresher.mark('a');
    assert.deepEqual([refresher.isStale('a'), refresher.isStale('b')], [true, false]);
    await pass(20);
    assert.equal(refresher.isStale('a'), true);
    await pass(10);
    assert.equal(refresher.isStale('a'), false);
    refresher.mark(ALL);
    assert.equal(refresher.isStale('b'), true);
  });

  it('asks for all where it would have to remember too many', async () => {
    for (let index = 0; index < 300_000; index++) refresher.mark(`id ${index}`);
    await pass(20);
    assert(asked.length === 1 && asked[0]?.includes(ALL) && asked[0].length <= 10_000);
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
    await pass(799);
    assert.deepEqual(asked, []);
    await pass(1);
    assert.deepEqual(asked, [['a']]);
  });

  it('sleeps once for what is to come in fifteen seconds', async () => {
    refresher.mark('a', 15_000);
    await turn();
    assert.deepEqual(clock.sleeping, [15_000]);
    await pass(14_999);
    assert.deepEqual(asked, []);
    await pass(1);
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
