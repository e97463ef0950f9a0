import assert from 'node:assert/strict';
import { Inventory } from '../../../src/inventory/inventory.ts';
import { Emitter } from '../../../src/lifetime.ts';
import { loadStateOf, whenFound } from '../../../src/views/loadState.ts';
import { FakeClock, turn } from '../support/fakeClock.ts';

describe('views/waiting', () => {
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

  it('knows whether the engine has still to answer for the first time', () => {
    const inventory = new Inventory();
    assert.equal(loadStateOf(inventory), 'unasked');
    inventory.setPhase({ kind: 'connecting' });
    assert.equal(loadStateOf(inventory), 'awaited');
    inventory.setPhase({
      kind: 'live',
      info: { product: 'docker', engineApi: '1.51', api: '1.44' },
    });
    assert.equal(loadStateOf(inventory), 'known');
  });
});
