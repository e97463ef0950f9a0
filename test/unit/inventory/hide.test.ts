import assert from 'node:assert/strict';
import { Inventory } from '../../../src/inventory/inventory.ts';
import { container, image } from './support/nouns.ts';

describe('what an inventory hides', () => {
  const shown = (inventory: Inventory): unknown => [
    [...inventory.containers.keys()],
    [...inventory.images.keys()],
  ];

  it('is in no list, until it is to be shown again', () => {
    const inventory = new Inventory();
    const own = container('a');
    const other = container('b');
    const plain = image('c', { tags: [] });
    const tagged = image('d', { tags: ['shop:1'] });
    const list = (): void => inventory.replaceAll([own, other], [plain, tagged], 1);
    list();
    const changes: unknown[] = [];
    inventory.onDidChange(({ containers, images }) => changes.push([[...containers], [...images]]));
    const hidden = [own, plain, tagged].map(({ id }) => inventory.hide(id));
    // An image that has a tag by now is somebody's.
    assert.deepEqual(shown(inventory), [[other.id], [tagged.id]]);
    assert.deepEqual(changes, [
      [[own.id], []],
      [[], [plain.id]],
    ]);
    list();
    assert.deepEqual(shown(inventory), [[other.id], [tagged.id]]);
    for (const one of hidden) one.dispose();
    list();
    assert.deepEqual(shown(inventory), [
      [other.id, own.id],
      [tagged.id, plain.id],
    ]);
  });
});
