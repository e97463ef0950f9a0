import assert from 'node:assert/strict';
import { inspectContainer, listContainers } from '../../src/engine/containers/containers.ts';
import {
  pauseContainer,
  restartContainer,
  stopContainer,
  unpauseContainer,
} from '../../src/engine/containers/containerLifecycle.ts';
import { refusal, Site } from './support.ts';

// A file of its own, because engines differ by version in what they accept for a paused container.
describe('pausing a container on a real engine', () => {
  const site = new Site();
  let id: string;
  before(async () => {
    id = await site.sleeper();
  });
  after(() => site.leave());

  it('succeeds once, and is reported as already so the second time, like unpausing', async () => {
    assert.equal((await pauseContainer(site.connection, id)).outcome, 'paused');
    assert.equal((await pauseContainer(site.connection, id)).outcome, 'alreadyPaused');
    const paused = await inspectContainer(site.connection, id);
    assert.equal(paused.state, 'paused');
    const [listed] = await listContainers(site.connection, { ids: [id] });
    assert.equal(listed?.state, 'paused');
    assert.equal((await unpauseContainer(site.connection, id)).outcome, 'unpaused');
    assert.equal((await unpauseContainer(site.connection, id)).outcome, 'alreadyUnpaused');
  });

  it('prevents neither a restart nor a stop', async () => {
    await pauseContainer(site.connection, id);
    const options = { timeoutSeconds: 1 };
    assert.equal((await restartContainer(site.connection, id, options)).outcome, 'restarted');
    assert.equal((await inspectContainer(site.connection, id)).state, 'running');
    await pauseContainer(site.connection, id);
    assert.equal((await stopContainer(site.connection, id)).outcome, 'stopped');
    assert.equal((await inspectContainer(site.connection, id)).state, 'exited');
  });

  it("is refused if it is not running, and the engine's message is reported", async () => {
    const created = await site.create(['true']);
    assert.match((await refusal(pauseContainer(site.connection, created))).message, /not running/);
    assert.match((await refusal(unpauseContainer(site.connection, created))).message, /not paused/);
  });
});
