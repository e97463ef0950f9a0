import assert from 'node:assert/strict';
import { refusal, run } from '../kit/commands.ts';
import { statusOf } from '../kit/engine.ts';
import { useLab } from '../kit/lab.ts';

describe('volumes', () => {
  const lab = useLab('volumes');

  it('are created, used by a container, listed with it, and removed after it', async () => {
    const name = lab.name('volume');
    const isThere = async (): Promise<boolean> =>
      (await statusOf('GET', `/volumes/${name}`)) === 200;
    const labels = { team: 'red' };
    assert.deepEqual(await run('volumes.create', { name, labels }), { name, outcome: 'created' });
    assert.deepEqual(await run('volumes.create', { name }), { name, outcome: 'alreadyThere' });
    const id = await lab.container(['true'], 'user', {
      HostConfig: { Binds: [`${name}:/data`] },
    });
    const listed = (await run('volumes.list', {})).find((one) => one.name === name);
    assert.deepEqual([listed?.isAnonymous, listed?.labels['team']], [false, 'red']);
    assert.deepEqual(
      listed?.usedBy.map((user) => user.id),
      [id],
    );
    await refusal(run('volumes.remove', { name }), new RegExp(lab.name('user')));
    assert.equal(await isThere(), true);
    await run('containers.remove', { id });
    assert.deepEqual(await run('volumes.remove', { name }), { outcome: 'removed' });
    assert.equal(await isThere(), false);
  });
});
