import assert from 'node:assert/strict';
import {
  abortReason,
  DisposableStore,
  Emitter,
  isCancellation,
  toDisposable,
  withTokenSignal,
} from '../../../src/base/lifetime.ts';

describe('a disposable', () => {
  it('is released only once', () => {
    let count = 0;
    const one = toDisposable(() => count++);
    one.dispose();
    one.dispose();
    assert.equal(count, 1);
  });

  it('is disposed once with its store, the newest first', () => {
    const ended: number[] = [];
    const store = new DisposableStore();
    for (const number of [1, 2, 3]) store.add({ dispose: () => ended.push(number) });
    store.dispose();
    store.dispose();
    assert.deepEqual([ended, store.isDisposed], [[3, 2, 1], true]);
  });

  it('of an event subscription ends with its store', () => {
    const store = new DisposableStore();
    const emitter = new Emitter<number>();
    const heard: number[] = [];
    store.listen(emitter.event, (value) => heard.push(value));
    emitter.fire(1);
    store.dispose();
    emitter.fire(2);
    assert.deepEqual(heard, [1]);
  });

  it('is disposed immediately if it is added to a disposed store, and returned', () => {
    const store = new DisposableStore();
    store.dispose();
    let count = 0;
    const late = { dispose: () => count++ };
    assert.equal(store.add(late), late);
    assert.equal(count, 1);
  });

  it('may dispose its own store', () => {
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

describe('an emitter', () => {
  it('calls every listener, as often as it subscribed, until it unsubscribes', () => {
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

  it('calls the listeners that were subscribed when it fired, whatever they change during it', () => {
    const emitter = new Emitter<void>();
    let late = 0;
    emitter.event(() => emitter.event(() => late++));
    emitter.fire();
    assert.equal(late, 0);
    emitter.fire();
    assert.equal(late, 1);
  });

  it('calls the other listeners if one throws, and does not hide the error', async () => {
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

describe('cancellation', () => {
  const token = (): { isCancellationRequested: boolean; cancel: Emitter<void> } => ({
    isCancellationRequested: false,
    cancel: new Emitter<void>(),
  });

  it('by a token aborts the signal, whether the token fires before or during the work', async () => {
    const later = token();
    await withTokenSignal(
      { ...later, onCancellationRequested: later.cancel.event },
      async (held) => {
        assert.equal(held.aborted, false);
        later.cancel.fire();
        assert.equal(await Promise.resolve(held.aborted), true);
      },
    );
    const before = token();
    const taken = { isCancellationRequested: true, onCancellationRequested: before.cancel.event };
    assert.equal(await withTokenSignal(taken, ({ aborted }) => Promise.resolve(aborted)), true);
  });

  it('by a token aborts nothing after the work has ended or failed', async () => {
    const { cancel } = token();
    const held: AbortSignal[] = [];
    for (const end of [Promise.resolve(), Promise.reject(new Error('failed'))]) {
      const open = { isCancellationRequested: false, onCancellationRequested: cancel.event };
      const work = (signal: AbortSignal): Promise<void> => {
        held.push(signal);
        return end;
      };
      await withTokenSignal(open, work).catch(() => undefined);
    }
    cancel.fire();
    assert.deepEqual(
      held.map(({ aborted }) => aborted),
      [false, false],
    );
  });

  it('rejects with an error, whatever the reason was', () => {
    assert.equal(abortReason(AbortSignal.abort('words')).name, 'AbortError');
    assert.equal(abortReason(AbortSignal.abort()).name, 'AbortError');
    const own = new TypeError('x');
    assert.equal(abortReason(AbortSignal.abort(own)), own);
  });

  it('is recognized by the names AbortError and Canceled only', () => {
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
