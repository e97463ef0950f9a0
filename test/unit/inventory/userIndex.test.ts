import assert from 'node:assert/strict';
import { Inventory, type InventoryChange } from '../../../src/inventory/inventory.ts';
import { container, idOf } from './support/nouns.ts';

const NOW = 1_767_225_600_000;
const A = idOf('a');

describe('inventory/userIndex', () => {
  let inventory: Inventory;
  const changes: InventoryChange[] = [];

  beforeEach(() => {
    inventory = new Inventory();
    changes.length = 0;
    inventory.onDidChange((change) => changes.push(change));
  });

  const mount = (volume: string, path = '/data') => ({
    ...{ type: 'volume', volume, path },
    isReadOnly: false,
  });
  const take = (fields: Parameters<typeof container>[1]): InventoryChange => {
    inventory.replaceContainers([A], [container('a', fields)], NOW);
    return changes.at(-1) ?? assert.fail('nothing has changed');
  };

  it('knows which containers mount a volume', () => {
    take({ mounts: [mount('data'), mount('logs', '/logs')] });
    assert.deepEqual([...inventory.containersOfVolume('data')], [A]);
    const change = take({ mounts: [mount('logs', '/logs')] });
    assert.deepEqual(change.volumes, new Set(['data']));
    assert.equal(inventory.containersOfVolume('data').size, 0);
    assert.deepEqual([...inventory.containersOfVolume('logs')], [A]);
  });

  it('reports a volume whose container stops, is renamed, or mounts it elsewhere', () => {
    const mounts = [mount('data')];
    take({ mounts });
    for (const fields of [
      { mounts, state: 'exited' },
      { mounts, state: 'exited', name: 'db' },
      { mounts: [mount('data', '/other')], state: 'exited', name: 'db' },
    ] as const) {
      assert.deepEqual(take(fields).volumes, new Set(['data']));
    }
    assert.equal(take({ mounts, command: 'other' }).volumes.size, 1);
    assert.equal(take({ mounts, command: 'another' }).volumes.size, 0);
  });

  it('reports a network whose container gets an address', () => {
    take({ networks: [{ name: 'web', networkId: 'n1' }] });
    const change = take({ networks: [{ name: 'web', networkId: 'n1', ip: '10.0.0.2' }] });
    assert.deepEqual(change.usedNetworks, new Set(['web']));
    assert.deepEqual([...inventory.containersOnNetwork('web')], [A]);
  });

  it('forgets a container that is removed', () => {
    take({ mounts: [mount('data')], networks: [{ name: 'web', networkId: 'n1' }] });
    inventory.replaceContainers([A], [], NOW);
    assert.deepEqual(changes.at(-1)?.volumes, new Set(['data']));
    assert.deepEqual(changes.at(-1)?.usedNetworks, new Set(['web']));
    assert.equal(inventory.containersOfVolume('data').size, 0);
  });
});
