import assert from 'node:assert/strict';
import { run } from '../kit/commands.ts';
import { statusOf } from '../kit/engine.ts';
import { useLab } from '../kit/lab.ts';

describe('networks', () => {
  const lab = useLab('networks');

  it('are created, connected to a container, and removed', async () => {
    const name = lab.name('network');
    const container = await lab.container(['true'], 'member', { HostConfig: {} });
    const { id } = await run('networks.create', { name, internal: true });
    try {
      assert.deepEqual(await run('networks.connect', { id: name, container }), {
        outcome: 'connected',
      });
      const listed = (await run('networks.list', {})).find((one) => one.name === name);
      assert.deepEqual([listed?.id, listed?.isInternal], [id, true]);
      assert.deepEqual(
        listed?.members.map((member) => member.id),
        [container],
      );
      assert.deepEqual(await run('networks.disconnect', { id, container }), {
        outcome: 'disconnected',
      });
      assert.deepEqual(await run('networks.remove', { id: name }), { outcome: 'removed' });
      assert.equal(await statusOf('GET', `/networks/${id}`), 404);
    } finally {
      await statusOf('DELETE', `/networks/${id}`);
    }
  });
});
