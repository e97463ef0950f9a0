import assert from 'node:assert/strict';
import { Emitter } from '../../src/lifetime.ts';
import {
  delay,
  EventLoopYielder,
  monotonicClock,
  nextPause,
  settledWithin,
  Throttle,
  whenFound,
  withTimeout,
} from '../../src/time.ts';
import { FakeClock, turn } from './support/fakeClock.ts';

describe('a delay', () => {
  it('rejects with the reason of its signal, and only while it lasts', async () => {
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

  it('calls back once, unless called off', async () => {
    monotonicClock.after(0, () => assert.fail('called off')).dispose();
    await new Promise<void>((resolve) => monotonicClock.after(1, resolve));
  });
});

describe('a throttle', () => {
  let clock: FakeClock;
  let runs: number;
  let throttle: Throttle;

  beforeEach(() => {
    [clock, runs] = [new FakeClock(), 0];
    throttle = new Throttle(clock, 100, () => runs++);
  });

  it('runs at once, then as often as it may, and not without being asked', () => {
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

  it('rests if nothing was requested', () => {
    throttle.request();
    clock.pass(100);
    assert.deepEqual([runs, clock.sleeping], [1, []]);
    throttle.request();
    assert.equal(runs, 2);
  });

  it('lets what can wait do so for one pause, and not keep up what cannot', () => {
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

  it('asks at each request how long the pause is', () => {
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

  it('runs when it is told to, and the pause begins anew', () => {
    throttle.request();
    throttle.request();
    clock.pass(60);
    throttle.flush();
    assert.deepEqual([runs, clock.sleeping], [2, []]);
    throttle.request();
    assert.deepEqual(clock.sleeping, [100]);
  });

  it('waits no longer than a pause if the clock is set back', () => {
    throttle.request();
    clock.set(clock.now() - 3_600_000);
    throttle.request();
    assert.deepEqual(clock.sleeping, [100]);
    clock.pass(100);
    assert.equal(runs, 2);
  });

  it('runs no more after its end', () => {
    throttle.request();
    throttle.request();
    throttle.dispose();
    throttle.request();
    clock.pass(1000);
    throttle.request();
    assert.deepEqual([runs, clock.sleeping], [1, []]);
  });

  it('may do the last run at its end, and none after', () => {
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

  it('does no run at its end if none was requested since the last', () => {
    throttle.request();
    clock.pass(100);
    throttle.finish();
    throttle.request();
    assert.equal(runs, 1);
  });
});

describe('what is waited for', () => {
  let clock: FakeClock;
  let changes: Emitter<void>;
  let value: string | undefined;
  const find = (): string | undefined => value;

  beforeEach(() => {
    clock = new FakeClock();
    changes = new Emitter();
    value = undefined;
  });

  it('finds at once what is there, and waits for nothing', async () => {
    value = 'row';
    assert.equal(await whenFound(find, changes.event, { clock, limit: 100 }), 'row');
    assert.deepEqual(clock.sleeping, []);
  });

  it('looks again after each event, not by the clock', async () => {
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
    assert.equal(looks, 3, 'it looks no more');
    assert.deepEqual(clock.sleeping, []);
  });

  it('gives up after its time', async () => {
    const found = whenFound(find, changes.event, { clock, limit: 100 });
    clock.pass(100);
    assert.equal(await found, undefined);
  });

  it('gives up when nobody wants it any more', async () => {
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
  /** Never ends by itself. */
  const endless = (signal: AbortSignal): Promise<void> => delay(1e6, signal);

  it('gives what it resolves or rejects with', async () => {
    assert.equal(await withTimeout(1e6, late, undefined, () => 7), 7);
    const why = new Error('broken');
    await assert.rejects(
      withTimeout(1e6, late, undefined, () => Promise.reject(why)),
      why,
    );
  });

  it('is aborted past the limit, and of none only by the signal', async () => {
    await assert.rejects(withTimeout(1, late, undefined, endless), RangeError);
    const why = new Error('enough');
    await assert.rejects(withTimeout(0, late, AbortSignal.abort(why), endless), why);
    const controller = new AbortController();
    const working = withTimeout(0, late, controller.signal, endless);
    controller.abort(why);
    await assert.rejects(working, why);
  });

  it('may have a limit that no timer can have', async () => {
    assert.equal(await withTimeout(2 ** 40, late, undefined, () => turn().then(() => 7)), 7);
  });
});

describe('a wait within a time limit', () => {
  let clock: FakeClock;
  const never = new Promise<number>(() => undefined);

  beforeEach(() => {
    clock = new FakeClock();
  });

  it('gives what the work resolves or rejects with, and leaves no timer', async () => {
    assert.equal(await settledWithin(100, Promise.resolve(7), { clock }), 7);
    const why = new Error('broken');
    await assert.rejects(settledWithin(100, Promise.reject(why), { clock }), why);
    assert.deepEqual(clock.sleeping, []);
  });

  it('ends with nothing when the time is over', async () => {
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

describe('long work', () => {
  it('yields to the event loop once its slice of time is over', async () => {
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
    assert.equal(hadTurn, false, 'a new slice has begun');
  });
});

describe('pauses between tries', () => {
  it('are twice as long each time, within bounds', () => {
    const pauses: number[] = [];
    for (let tries = 0; tries < 5; tries++) pauses.push(nextPause(pauses.at(-1) ?? 0, 100, 500));
    assert.deepEqual(pauses, [100, 200, 400, 500, 500]);
  });
});
