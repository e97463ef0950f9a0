import assert from 'node:assert/strict';
import { delay, monotonicClock } from '../../src/time.ts';

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
