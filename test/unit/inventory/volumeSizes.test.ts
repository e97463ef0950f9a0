import assert from 'node:assert/strict';
import { Inventory } from '../../../src/inventory/inventory.ts';
import { VolumeRows } from '../../../src/views/volumes/volumeRows.ts';
import { Stage } from '../views/support/stage.ts';
import { container } from './support/nouns.ts';

describe('the sizes of volumes', () => {
  const volume = (name: string, createdAt = '2026-01-01T00:00:00.000Z') => ({
    ...{ name, driver: 'local', labels: {}, options: {}, createdAt },
  });
  const on = (name: string, state: 'running' | 'exited') =>
    container('a', {
      state,
      mounts: [{ type: 'volume', volume: name, path: '/data', isReadOnly: false }],
    });

  it('are forgotten if the volume, or a container that uses it, changes', () => {
    const inventory = new Inventory();
    inventory.volumes.replace([volume('data'), volume('db'), volume('gone'), volume('same')]);
    inventory.replaceAll([on('db', 'running')], [], 0);
    const { volumeSizes } = inventory;
    volumeSizes.replace(new Map(['data', 'db', 'gone', 'same'].map((name) => [name, 7])));
    const fired: string[] = [];
    volumeSizes.onDidChange((names) => fired.push([...names].join()));
    inventory.volumes.replace([volume('data', 'later'), volume('db'), volume('same')]);
    inventory.replaceAll([on('db', 'exited')], [], 0);
    assert.deepEqual(fired, ['data,gone', 'db']);
    assert.deepEqual(
      ['data', 'db', 'gone', 'same'].map((name) => volumeSizes.get(name)),
      [undefined, undefined, undefined, 7],
    );
  });

  it('are in the rows as long as they are known', () => {
    const stage = new Stage();
    stage.inventory.volumes.replace([volume('data')]);
    const rows = new VolumeRows('docker', stage.context);
    const text = () => rows.find('data')?.present(stage.context).description;
    let fired = 0;
    rows.onDidChange(() => fired++);
    assert.equal(text(), 'unused');
    stage.inventory.volumeSizes.replace(new Map([['data', 7000]]));
    assert.deepEqual([text(), fired], ['7.0 kB · unused', 1]);
    assert.equal(stage.tooltip(rows.find('data'))['Size'], '7.0 kB');
    stage.inventory.volumeSizes.forget(['data', 'other']);
    assert.deepEqual([text(), fired], ['unused', 2]);
  });
});
