import assert from 'node:assert/strict';
import { inspectImage } from '../../../src/engine/images/images.ts';
import { findBaseImage } from '../../../src/review/baseImage.ts';
import { image } from '../inventory/support/nouns.ts';
import { json, type Answer } from '../support/fakeEngine.ts';
import { failure, openLab, type Lab } from '../support/lab.ts';

describe('review/baseImage', () => {
  const app = image('a');
  const small = image('b');
  const large = image('c');
  const damaged = image('d');
  const LAYERS: ReadonlyMap<string, readonly string[]> = new Map([
    [app.id, ['1', '2', '3']],
    [small.id, ['1']],
    [large.id, ['1', '2']],
  ]);
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  const answer =
    (Parent: string): Answer =>
    ({ path }, response) => {
      const id = decodeURIComponent(path.split('/')[2] ?? '');
      if (id === damaged.id) json(response, 500, { message: 'layer not known' });
      else json(response, 200, { Id: id, Parent, RootFS: { Layers: LAYERS.get(id) } });
    };

  it('finds the image that shares the most layers, and skips those that cannot be inspected', async () => {
    const { connection } = await lab.fake(answer(''));
    const own = await inspectImage(connection, app.id);
    const base = { id: large.id, tags: [], layers: 2 };
    assert.deepEqual(await findBaseImage(connection, own, [damaged, small, large, app]), base);
    assert.equal(await findBaseImage(connection, own, [damaged, app]), undefined);
  });

  it('fails if the parent that the engine reports cannot be inspected', async () => {
    const { connection } = await lab.fake(answer(damaged.id));
    const own = await inspectImage(connection, app.id);
    await failure(findBaseImage(connection, own, [small]), 'failed');
  });
});
