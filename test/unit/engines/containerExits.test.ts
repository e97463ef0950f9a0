import assert from 'node:assert/strict';
import { ContainerExits } from '../../../src/engines/containerExits.ts';
import { EngineError } from '../../../src/engine/errors.ts';

const ID = 'a'.repeat(64);
const signal = new AbortController().signal;

/** Lets all promises that can settle do so. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the exits of containers', () => {
  it('delay a start until an earlier wait is registered', async () => {
    const exits = new ContainerExits();
    const wait = exits.registerWait();
    const hold = exits.beforeStart();
    let isHeld = true;
    void hold(ID, signal).then(() => (isHeld = false));
    wait.identify(ID);
    await settle();
    assert.equal(isHeld, true);
    wait.settle();
    await settle();
    assert.equal(isHeld, false);
  });

  it('abort their signal when they are disposed', () => {
    const exits = new ContainerExits();
    assert.equal(exits.signal.aborted, false);
    exits.dispose();
    assert.equal(exits.signal.aborted, true);
  });

  it('do not delay a start for a wait on another container', async () => {
    const exits = new ContainerExits();
    exits.registerWait().identify('b'.repeat(64));
    await exits.beforeStart()(ID, signal);
  });

  it('do not delay a start for a later wait', async () => {
    const exits = new ContainerExits();
    const hold = exits.beforeStart();
    exits.registerWait().identify(ID);
    await hold(ID, signal);
  });

  it('do not delay a start for a wait that never found its container', async () => {
    const exits = new ContainerExits();
    const wait = exits.registerWait();
    const held = exits.beforeStart()(ID, signal);
    wait.settle();
    await held;
  });

  it('abort a wait whose container could not be started', () => {
    const exits = new ContainerExits();
    const waiting = exits.untilStartFails(ID);
    const other = exits.untilStartFails('b'.repeat(64));
    const reason = new Error('no such command');
    exits.startFailed(ID, reason);
    assert.equal(waiting.signal.reason, reason);
    assert.equal(other.signal.aborted, false);
  });

  it('keep a wait whose container may have been started anyway', () => {
    const exits = new ContainerExits();
    const waiting = exits.untilStartFails(ID);
    exits.startFailed(ID, new DOMException('canceled', 'AbortError'));
    exits.startFailed(ID, new EngineError('cut'));
    assert.equal(waiting.signal.aborted, false);
    exits.startFailed(ID, new EngineError('badRequest'));
    assert.equal(waiting.signal.aborted, true);
  });

  it('forget a wait that has ended', () => {
    const exits = new ContainerExits();
    const waiting = exits.untilStartFails(ID);
    waiting.dispose();
    exits.startFailed(ID, new Error('late'));
    assert.equal(waiting.signal.aborted, false);
  });

  it('keep the exit of a removed container, by ID, prefix and name', async () => {
    const exits = new ContainerExits();
    exits.keep(ID, 'job', Promise.resolve({ exitCode: 3 }));
    for (const text of [ID, ID.slice(0, 12), 'job']) {
      const found = exits.find(text);
      assert.equal(found?.id, ID);
      assert.deepEqual(await found.exit, { exitCode: 3 });
    }
    assert.equal(exits.find('other'), undefined);
  });

  it('find nothing for an ambiguous prefix', () => {
    const exits = new ContainerExits();
    exits.keep(`a${'0'.repeat(63)}`, 'one', Promise.resolve({ exitCode: 0 }));
    exits.keep(`a${'1'.repeat(63)}`, 'two', Promise.resolve({ exitCode: 0 }));
    assert.equal(exits.find('a'), undefined);
  });

  it('find the last of several containers with the same name', async () => {
    const exits = new ContainerExits();
    exits.keep(`a${'0'.repeat(63)}`, 'job', Promise.resolve({ exitCode: 1 }));
    exits.keep(`b${'1'.repeat(63)}`, 'job', Promise.resolve({ exitCode: 2 }));
    assert.deepEqual(await exits.find('job')?.exit, { exitCode: 2 });
  });

  it('forget an exit whose wait failed', async () => {
    const exits = new ContainerExits();
    exits.keep(ID, 'job', Promise.reject(new Error('cut')));
    await settle();
    assert.equal(exits.find(ID), undefined);
  });
});
