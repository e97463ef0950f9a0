import assert from 'node:assert/strict';
import { Inventory } from '../../../../src/inventory/inventory.ts';
import { loadStateOf } from '../../../../src/views/engines/engineState.ts';

describe('loadStateOf', () => {
  it('returns whether the first response is not requested, awaited, or received', () => {
    const inventory = new Inventory();
    assert.equal(loadStateOf(inventory.phase), 'unasked');
    inventory.setPhase({ kind: 'connecting' });
    assert.equal(loadStateOf(inventory.phase), 'awaited');
    inventory.setPhase({
      kind: 'live',
      info: { product: 'docker', engineApi: '1.51', api: '1.44' },
    });
    assert.equal(loadStateOf(inventory.phase), 'known');
  });
});
