import assert from 'node:assert/strict';
import { ALL, Refresher, type RefreshRequest } from '../../../src/inventory/refresher.ts';
import { FakeClock, turn } from '../support/fakeClock.ts';

describe('inventory/refresher', () => {
  let clock: FakeClock;
  let ending: AbortController;
  let asked: string[][];
  /** The duration of a request in milliseconds; 0 for none. */
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

  /** Lets time pass and then runs what waited for it. */
  const pass = async (milliseconds: number): Promise<void> => {
    await turn();
    clock.pass(milliseconds);
    await turn();
  };

  it('sets no timer while nothing is stale', async () => {
    await turn();
    assert.deepEqual(clock.sleeping, []);
    await pass(3_600_000);
    assert.deepEqual(asked, []);
  });

  it('sends one request for a burst, one beat after its first mark', async () => {
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

  it('collects keys while a request is running, and never runs two at a time', async () => {
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

  it('rests for twice the duration of the last request', async () => {
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

  it('leaves an engine at least half of its time during a storm, and requests its first keys promptly', async () => {
    cost = 1500;
    for (let tenth = 0; tenth < 600; tenth++) {
      refresher.mark(ALL);
      await pass(100);
      if (tenth === 1) assert.equal(asked.length, 1);
    }
    const busy = asked.length * cost;
    assert(busy >= 25_000 && busy <= 31_500, `${busy} ms of 60,000`);
  });

  it('rests after an expensive request even if only one key follows', async () => {
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

  it('skips the rest on renewal and requests everything', async () => {
    cost = 1500;
    refresher.mark('a');
    await pass(20);
    await pass(1500);
    refresher.renew();
    await pass(0);
    assert.deepEqual(asked, [['a'], [ALL]]);
  });

  it('skips the rest if the renewal comes during a request', async () => {
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

  it('repeats a request after the delay that it asks for, and requests nothing before', async () => {
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

  it('reports a key as stale, alone or with all keys, until the response', async () => {
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

  it('requests everything if there are too many keys to remember', async () => {
    for (let index = 0; index < 300_000; index++) refresher.mark(`id ${index}`);
    await pass(20);
    assert(asked.length === 1 && asked[0]?.includes(ALL) && asked[0].length <= 10_000);
  });

  it('requests a key earlier if it is marked again with a shorter delay', async () => {
    refresher.mark('slow', 500);
    await pass(100);
    refresher.mark('quick');
    await pass(20);
    assert.deepEqual(asked, [['quick']]);
    refresher.mark('slow', 0);
    await pass(0);
    assert.deepEqual(asked, [['quick'], ['slow']]);
  });

  it('does not delay a key that is marked again with a longer delay', async () => {
    refresher.mark('a');
    refresher.mark('a', 500);
    await pass(20);
    assert.deepEqual(asked, [['a']]);
  });

  it('is not delayed when the clock is set back', async () => {
    refresher.mark('a', 800);
    clock.set(clock.now() - 3_600_000);
    await turn();
    await pass(799);
    assert.deepEqual(asked, []);
    await pass(1);
    assert.deepEqual(asked, [['a']]);
  });

  it('sets a single timer for a key that is due in fifteen seconds', async () => {
    refresher.mark('a', 15_000);
    await turn();
    assert.deepEqual(clock.sleeping, [15_000]);
    await pass(14_999);
    assert.deepEqual(asked, []);
    await pass(1);
    assert.deepEqual(asked, [['a']]);
  });

  it('rejects with the error of a failed request', async () => {
    const failure = new Error('no');
    run(() => Promise.reject(failure));
    refresher.mark('a');
    await pass(20);
    assert.equal(await ended, failure);
  });

  it('rejects when aborted while it sleeps', async () => {
    await turn();
    ending.abort();
    assert.equal(((await ended) as Error).name, 'AbortError');
  });

  it('rejects when aborted during a request', async () => {
    cost = 1000;
    refresher.mark('a');
    await pass(20);
    ending.abort();
    assert.equal(((await ended) as Error).name, 'AbortError');
  });
});
