import assert from 'node:assert/strict';
import { Emitter } from '../../../src/base/lifetime.ts';
import {
  delay,
  EventLoopYielder,
  monotonicClock,
  nextPause,
  settledWithin,
  Throttle,
  whenFound,
  withTimeout,
  WorkQueue,
} from '../../../src/base/time.ts';
import { FakeClock, turn } from '../support/fakeClock.ts';

describe('a delay', () => {
  it('rejects with the reason of its signal, but not after it has ended', async () => {
    const why = new Error('enough');
    await assert.rejects(delay(1e6, AbortSignal.abort(why)), why);
    const controller = new AbortController();
    const waiting = delay(1e6, controller.signal);
    controller.abort(why);
    await assert.rejects(waiting, why);
    await delay(0, new AbortController().signal);
    await delay(0);
  });
});

describe('the monotonic clock', () => {
  it('counts from the start of the process', () => {
    const before = performance.now();
    const now = monotonicClock.now();
    assert.ok(now >= before && now <= performance.now());
  });

  it('calls back once, unless disposed before', async () => {
    monotonicClock.after(0, () => assert.fail('the canceled callback ran')).dispose();
    await new Promise<void>((resolve) => monotonicClock.after(1, resolve));
  });
});

describe('a throttle', () => {
  let clock: FakeClock;
  let runs: number;
  let throttle: Throttle;

  beforeEach(() => {
    clock = new FakeClock();
    runs = 0;
    throttle = new Throttle(clock, 100, () => runs++);
  });

  it('runs immediately, then as often as allowed, and only if requested', () => {
    for (let asked = 0; asked < 50; asked++) throttle.request();
    assert.equal(runs, 1);
    assert.deepEqual(clock.sleeping, [100]);
    clock.pass(99);
    assert.equal(runs, 1);
    clock.pass(1);
    assert.equal(runs, 2);
    clock.pass(1000);
    assert.deepEqual([runs, clock.sleeping], [2, []]);
  });

  it('does nothing if nothing was requested', () => {
    throttle.request();
    clock.pass(100);
    assert.deepEqual([runs, clock.sleeping], [1, []]);
    throttle.request();
    assert.equal(runs, 2);
  });

  it('delays a request that can wait by at most one pause, and does not delay others', () => {
    throttle.request(true);
    clock.pass(60);
    throttle.request(true);
    assert.equal(runs, 0);
    clock.pass(40);
    assert.equal(runs, 1);
    clock.pass(100);
    throttle.request(true);
    throttle.request();
    assert.deepEqual([runs, clock.sleeping], [2, []]);
    throttle.request();
    throttle.request(true);
    clock.pass(100);
    assert.equal(runs, 3);
  });

  it('reads the pause at each request', () => {
    let pauseMs = 50;
    const changing = new Throttle(
      clock,
      () => pauseMs,
      () => runs++,
    );
    changing.request();
    pauseMs = 200;
    changing.request();
    assert.deepEqual(clock.sleeping, [200]);
  });

  it('runs when flushed, and restarts the pause', () => {
    throttle.request();
    throttle.request();
    clock.pass(60);
    throttle.flush();
    assert.deepEqual([runs, clock.sleeping], [2, []]);
    throttle.request();
    assert.deepEqual(clock.sleeping, [100]);
  });

  it('waits at most one pause if the clock is set back', () => {
    throttle.request();
    clock.set(clock.now() - 3_600_000);
    throttle.request();
    assert.deepEqual(clock.sleeping, [100]);
    clock.pass(100);
    assert.equal(runs, 2);
  });

  it('does not run after it is disposed', () => {
    throttle.request();
    throttle.request();
    throttle.dispose();
    throttle.request();
    clock.pass(1000);
    throttle.request();
    assert.deepEqual([runs, clock.sleeping], [1, []]);
  });

  it('does a pending run when it is finished, and none after', () => {
    throttle.finish();
    assert.equal(runs, 0);
    const busy = new Throttle(clock, 100, () => runs++);
    busy.request();
    busy.request();
    for (let ended = 0; ended < 2; ended++) busy.finish();
    assert.deepEqual([runs, clock.sleeping], [2, []]);
    busy.request();
    busy.finish();
    assert.equal(runs, 2);
  });

  it('does not run when it is finished if nothing was requested since the last run', () => {
    throttle.request();
    clock.pass(100);
    throttle.finish();
    throttle.request();
    assert.equal(runs, 1);
  });
});

describe('whenFound', () => {
  let clock: FakeClock;
  let changes: Emitter<void>;
  let value: string | undefined;
  const find = (): string | undefined => value;

  beforeEach(() => {
    clock = new FakeClock();
    changes = new Emitter();
    value = undefined;
  });

  it('resolves immediately if there is a result, without a timer', async () => {
    value = 'row';
    assert.equal(await whenFound(find, changes.event, { clock, limit: 100 }), 'row');
    assert.deepEqual(clock.sleeping, []);
  });

  it('checks again after each event, not by time', async () => {
    let looks = 0;
    const found = whenFound(() => (looks++, value), changes.event, { clock, limit: 100 });
    changes.fire();
    clock.pass(99);
    value = 'row';
    await turn();
    assert.equal(looks, 2);
    changes.fire();
    assert.equal(await found, 'row');
    changes.fire();
    assert.equal(looks, 3, 'the condition must not be checked again');
    assert.deepEqual(clock.sleeping, []);
  });

  it('resolves to undefined after the limit', async () => {
    const found = whenFound(find, changes.event, { clock, limit: 100 });
    clock.pass(100);
    assert.equal(await found, undefined);
  });

  it('resolves to undefined when it is aborted', async () => {
    const abort = new AbortController();
    const options = { clock, limit: 100, signal: abort.signal };
    const found = whenFound(find, changes.event, options);
    abort.abort();
    assert.equal(await found, undefined);
    assert.deepEqual(clock.sleeping, []);
    assert.equal(await whenFound(find, changes.event, options), undefined);
  });
});

describe('work within a time limit', () => {
  const late = (): Error => new RangeError('late');
  /** Never resolves. */
  const endless = (signal: AbortSignal): Promise<void> => delay(1e6, signal);

  it('resolves or rejects as the work does', async () => {
    assert.equal(await withTimeout(1e6, late, undefined, () => 7), 7);
    const why = new Error('broken');
    await assert.rejects(
      withTimeout(1e6, late, undefined, () => Promise.reject(why)),
      why,
    );
  });

  it('is aborted after the limit; without a limit, only by the signal', async () => {
    await assert.rejects(withTimeout(1, late, undefined, endless), RangeError);
    const why = new Error('enough');
    await assert.rejects(withTimeout(0, late, AbortSignal.abort(why), endless), why);
    const controller = new AbortController();
    const working = withTimeout(0, late, controller.signal, endless);
    controller.abort(why);
    await assert.rejects(working, why);
  });

  it('may have a limit that is longer than any timer', async () => {
    assert.equal(await withTimeout(2 ** 40, late, undefined, () => turn().then(() => 7)), 7);
  });
});

describe('a wait within a time limit', () => {
  let clock: FakeClock;
  const never = new Promise<number>(() => undefined);

  beforeEach(() => {
    clock = new FakeClock();
  });

  it('resolves or rejects as the work does, and leaves no timer', async () => {
    assert.equal(await settledWithin(100, Promise.resolve(7), { clock }), 7);
    const why = new Error('broken');
    await assert.rejects(settledWithin(100, Promise.reject(why), { clock }), why);
    assert.deepEqual(clock.sleeping, []);
  });

  it('resolves to undefined after the limit', async () => {
    const waiting = settledWithin(100, never, { clock });
    clock.pass(100);
    assert.equal(await waiting, undefined);
  });

  it('rejects with the reason of its signal', async () => {
    const controller = new AbortController();
    const why = new Error('enough');
    const waiting = settledWithin(100, never, { clock, signal: controller.signal });
    controller.abort(why);
    await assert.rejects(waiting, why);
    assert.deepEqual(clock.sleeping, []);
  });
});

describe('work in a queue', () => {
  for (const [stops, done] of [
    [false, ['one', 'two', 'three']],
    [true, ['one', 'two']],
  ] as const)
    it(`is done in order, and ${stops ? 'not' : 'also'} after a failure`, async () => {
      const queue = new WorkQueue(stops);
      const begun: string[] = [];
      const first = Promise.withResolvers<string>();
      const failure = new Error('two');
      const added = [
        queue.add(() => (begun.push('one'), first.promise)),
        queue.add(() => (begun.push('two'), Promise.reject(failure))),
        queue.add(() => begun.push('three')),
      ];
      await turn();
      assert.deepEqual(begun, ['one']);
      first.resolve('1');
      const [one, two, three] = await Promise.allSettled(added);
      assert.deepEqual(begun, done);
      assert.deepEqual(one, { status: 'fulfilled', value: '1' });
      assert.deepEqual(two, { status: 'rejected', reason: failure });
      assert.deepEqual(three, stops ? two : { status: 'fulfilled', value: 3 });
    });
});

describe('long work', () => {
  it('yields to the event loop after its time slice', async () => {
    const clock = new FakeClock();
    const yielder = new EventLoopYielder(12, clock);
    let hadTurn = false;
    setImmediate(() => (hadTurn = true));
    clock.pass(11);
    await yielder.yieldIfDue();
    assert.equal(hadTurn, false);
    clock.pass(1);
    await yielder.yieldIfDue();
    assert.equal(hadTurn, true);
    hadTurn = false;
    setImmediate(() => (hadTurn = true));
    await yielder.yieldIfDue();
    assert.equal(hadTurn, false, 'a new time slice must have begun');
  });
});

describe('pauses between retries', () => {
  it('double each time, within limits', () => {
    const pauses: number[] = [];
    for (let tries = 0; tries < 5; tries++) pauses.push(nextPause(pauses.at(-1) ?? 0, 100, 500));
    assert.deepEqual(pauses, [100, 200, 400, 500, 500]);
  });
});
