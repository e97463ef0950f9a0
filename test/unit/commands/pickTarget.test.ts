import assert from 'node:assert/strict';
import { pickTarget } from '../../../src/commands/pickTarget.ts';
import { openCommandLab, type CommandLab } from '../support/commandLab.ts';
import { when } from '../support/lab.ts';

describe('commands/pickTarget', () => {
  let lab: CommandLab;
  beforeEach(async () => {
    // The engine does not answer.
    lab = await openCommandLab(() => undefined);
    lab.inventory.setPhase({ kind: 'connecting' });
  });
  afterEach(() => lab.close());

  for (const kind of ['container', 'image', 'volume', 'network'] as const) {
    it(`shows progress while each ${kind} is listed, and can be canceled`, async () => {
      const picking = pickTarget(lab.context, kind, undefined);
      await when(() => lab.engine.seen.length > 0);
      assert.deepEqual(
        lab.ui.shown.map((one) => [one.kind, one.text]),
        [['progress', `Loading ${kind}s`]],
      );
      lab.ui.cancel();
      await assert.rejects(picking, { name: 'AbortError' });
    });
  }

  it('lists images although the engine is live, if the inventory does not have them', async () => {
    const info = { product: 'docker', engineApi: '1.41', api: '1.41' } as const;
    lab.inventory.setPhase({ kind: 'live', info, images: 'awaited' });
    const picking = pickTarget(lab.context, 'image', undefined);
    await when(() => lab.engine.seen.some(({ path }) => path === '/images/json'));
    lab.ui.cancel();
    await assert.rejects(picking, { name: 'AbortError' });
  });
});
