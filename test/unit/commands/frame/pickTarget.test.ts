import assert from 'node:assert/strict';
import { pickTarget } from '../../../../src/commands/frame/pickTarget.ts';
import { openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { container } from '../../inventory/support/nouns.ts';
import { when } from '../../support/lab.ts';

describe('commands/frame/pickTarget', () => {
  let lab: CommandLab;
  beforeEach(async () => {
    // The engine does not answer.
    lab = await openCommandLab(() => undefined);
    lab.inventory.setPhase({ kind: 'connecting' });
  });
  afterEach(() => lab.close());

  for (const kind of ['container', 'image', 'volume', 'network'] as const) {
    it(`shows progress while each ${kind} is listed, and can be canceled`, async () => {
      const picking = pickTarget([lab.context], 'gantry.containers.logs', kind);
      await when(() => lab.engine.seen.length > 0);
      assert.deepEqual(
        lab.ui.shown.map((one) => [one.kind, one.text]),
        [['progress', `Loading ${kind}s`]],
      );
      lab.ui.cancel();
      await assert.rejects(picking, { name: 'AbortError' });
    });
  }

  it('lists the targets of several engines below their names, the command in the title', async () => {
    const other = await openCommandLab(() => undefined);
    const lost = await openCommandLab(() => undefined);
    try {
      lab.list([container('a', { name: 'same' })]);
      other.list([container('b', { name: 'same' })]);
      lost.inventory.setPhase({ kind: 'connecting' });
      Object.assign(other.context.unit, { id: 'podman', name: 'podman' });
      Object.assign(lost.context.unit, { name: 'staging' });
      lost.engine.answer((_, response) => {
        response.writeHead(500).end();
      });
      lab.ui.act(({ items = [] }) => items[1]);
      const contexts = [lab.context, other.context, lost.context];
      const picked = await pickTarget(contexts, 'gantry.containers.remove', 'container');
      assert.deepEqual([picked?.id, picked?.context.unit.id], [container('b').id, 'podman']);
      const [shown] = lab.ui.of('pick');
      assert.equal(shown?.text, 'gantry.containers.remove');
      assert.deepEqual(
        shown.items?.map(({ heading, label, isDisabled }) => [heading, label, isDisabled]),
        [
          ['Docker', 'same', undefined],
          ['podman', 'same', undefined],
          ['staging', 'not reachable', true],
        ],
      );
    } finally {
      await Promise.all([other.close(), lost.close()]);
    }
  });

  it('lists images although the engine is live, if the inventory does not have them', async () => {
    const info = { product: 'docker', engineApi: '1.41', api: '1.41' } as const;
    lab.inventory.setPhase({ kind: 'live', info, images: 'awaited' });
    const picking = pickTarget([lab.context], 'gantry.images.tag', 'image');
    await when(() => lab.engine.seen.some(({ path }) => path === '/images/json'));
    lab.ui.cancel();
    await assert.rejects(picking, { name: 'AbortError' });
  });
});
