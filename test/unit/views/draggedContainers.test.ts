import assert from 'node:assert/strict';
import { formatDragged, parseDragged } from '../../../src/views/draggedContainers.ts';
import { ContainerNode } from '../../../src/views/containers/containerNode.ts';
import { container, idOf } from '../inventory/support/nouns.ts';

describe('draggedContainers', () => {
  const row = (engine: string, letter: string) =>
    new ContainerNode(engine, container(letter), true);

  it('carry the containers of one engine', () => {
    const text = formatDragged([row('one', 'a'), row('two', 'b'), row('one', 'c')]) ?? '';
    assert.deepEqual(parseDragged(text), { engine: 'one', ids: [idOf('a'), idOf('c')] });
  });

  it('carry nothing without a container', () => assert.equal(formatDragged([]), undefined));

  for (const text of ['', '{', 'null', '{}', '{"engine":1,"ids":[]}', '{"engine":"a","ids":[1]}']) {
    it(`are not read from ${JSON.stringify(text)}`, () => {
      assert.equal(parseDragged(text), undefined);
    });
  }
});
