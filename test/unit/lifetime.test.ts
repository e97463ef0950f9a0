import assert from 'node:assert/strict';
import {
  abortReason,
  DisposableStore,
  Emitter,
  isCancellation,
  signalOf,
  toDisposable,
} from '../../src/lifetime.ts';

describe('lifetime: disposables', () => {
  it('release once', () => {
    let count = 0;
    const one = toDisposable(() => count++);
    one.dispose();
    one.dispose();
    assert.equal(count, 1);
  });

  it('end together, the newest first, once', () => {
    const ended: number[] = [];
    const store = new DisposableStore();
    for (const number of [1, 2, 3]) store.add({ dispose: () => ended.push(number) });
    store.dispose();
    store.dispose();
    assert.deepEqual([ended, store.isDisposed], [[3, 2, 1], true]);
  });

  it('that come late end at once, and are handed back', () => {
    const store = new DisposableStore();
    store.dispose();
    let count = 0;
    const late = { dispose: () => count++ };
    assert.equal(store.add(late), late);
    assert.equal(count, 1);
  });

  it('may end their own store', () => {
    const store = new DisposableStore();
    let count = 0;
    store.add({
      dispose: () => {
        count++;
        store.dispose();
      },
    });
    store.dispose();
    assert.equal(count, 1);
  });
});

describe('lifetime: an emitter', () => {
  it('tells every listener, the same function as often as it subscribed, until it unsubscribes', () => {
    const emitter = new Emitter<number>();
    const heard: number[] = [];
    const listener = (value: number): void => void heard.push(value);
    const first = emitter.event(listener);
    emitter.event(listener);
    emitter.fire(1);
    first.dispose();
    emitter.fire(2);
    emitter.dispose();
    emitter.fire(3);
    assert.deepEqual(heard, [1, 1, 2]);
  });

  it('tells those who listened when it fired, whatever they do meanwhile', () => {
    const emitter = new Emitter<void>();
    let late = 0;
    emitter.event(() => {
      emitter.event(() => late++);
    });
    emitter.fire();
    assert.equal(late, 0);
    emitter.fire();
    assert.equal(late, 1);
  });

  it('goes on past a listener that throws, and hides nothing', async () => {
    const emitter = new Emitter<void>();
    let heard = 0;
    emitter.event(() => {
      throw new Error('mine');
    });
    emitter.event(() => heard++);
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    try {
      const thrown = new Promise((resolve) => process.once('uncaughtException', resolve));
      emitter.fire();
      assert.equal(heard, 1);
      assert.equal(((await thrown) as Error).message, 'mine');
    } finally {
      for (const other of others) process.on('uncaughtException', other);
    }
  });
});

describe('lifetime: cancelling', () => {
  const token = (): { isCancellationRequested: boolean; cancel: Emitter<void> } => ({
    isCancellationRequested: false,
    cancel: new Emitter<void>(),
  });

  it('by a token aborts its signal, before and after it was taken', () => {
    const later = token();
    const held = signalOf({ ...later, onCancellationRequested: later.cancel.event });
    assert.equal(held.signal.aborted, false);
    later.cancel.fire();
    assert.equal(held.signal.aborted, true);
    const before = token();
    const taken = signalOf({
      isCancellationRequested: true,
      onCancellationRequested: before.cancel.event,
    });
    assert.equal(taken.signal.aborted, true);
  });

  it('by a token that was let go aborts nothing', () => {
    const { cancel } = token();
    const held = signalOf({
      isCancellationRequested: false,
      onCancellationRequested: cancel.event,
    });
    held.dispose();
    cancel.fire();
    assert.equal(held.signal.aborted, false);
  });

  it('is told by an error, whatever the reason was', () => {
    assert.equal(abortReason(AbortSignal.abort('words')).name, 'AbortError');
    assert.equal(abortReason(AbortSignal.abort()).name, 'AbortError');
    const own = new TypeError('x');
    assert.equal(abortReason(AbortSignal.abort(own)), own);
  });

  it('is what AbortError and Canceled say, and nothing else', () => {
    assert(isCancellation(abortReason(AbortSignal.abort())));
    assert(isCancellation(Object.assign(new Error(), { name: 'Canceled' })));
    for (const other of [
      new Error('AbortError'),
      { name: 'AbortError' },
      undefined,
      'AbortError',
    ]) {
      assert(!isCancellation(other));
    }
  });
});
