import assert from 'node:assert/strict';
import { Inventory } from '../../../src/inventory/inventory.ts';
import { loadStateOf } from '../../../src/views/loadState.ts';

describe('views/loadState', () => {
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
