import assert from 'node:assert/strict';
import { json } from '../support/fakeEngine.ts';
import { idOf } from './support/nouns.ts';
import { Watched } from './support/watched.ts';

describe('inventory/onDemandList', () => {
  let at: Watched;

  beforeEach(async () => {
    at = await Watched.start();
    at.world.volumes.add('data');
  });

  afterEach(() => at.stop());

  const requests = () => at.world.seen('/volumes').length;
  const names = () => [...at.inventory.volumes.entries.keys()].join(' ');
  /** Waits for a later container event, so that earlier events were handled. */
  const settle = async (letter: string): Promise<void> => {
    at.world.setContainer(letter);
    at.world.emit(['container', 'start', idOf(letter)]);
    await at.pass(20);
    await at.until(() => at.inventory.containers.has(idOf(letter)));
  };

  it('sends no request while it is not visible', async () => {
    await at.live();
    at.world.emit(['volume', 'create', 'logs']);
    await settle('c');
    at.watcher.requests.renew();
    await settle('d');
    assert.equal(requests(), 0);
    assert.equal(at.inventory.volumes.state, 'unknown');
  });

  it('is listed when it becomes visible, and again when an event reports a change', async () => {
    await at.live();
    at.inventory.volumes.look();
    await at.until(() => names() === 'data');
    assert.equal(at.inventory.volumes.state, 'listed');
    at.world.volumes.add('logs');
    at.world.emit(['volume', 'create', 'logs']);
    await at.pass(20);
    await at.until(() => names() === 'data logs');
    assert.deepEqual(at.changes.at(-1)?.volumes, new Set(['logs']));
    assert.equal(requests(), 2);
  });

  it('is listed again on Refresh, and so are the networks', async () => {
    at.world.answers.set('/networks', (_, response) => json(response, 200, []));
    const counts = () => ['/volumes', '/networks'].map((path) => at.world.seen(path).length);
    await at.live();
    at.inventory.volumes.look();
    at.inventory.networks.look();
    await at.until(() => at.inventory.networks.state === 'listed' && names() === 'data');
    at.watcher.requests.renew();
    await at.world.until(() => counts().join() === '2,2');
  });

  it('is not listed again for mounts, nor for the events of other objects', async () => {
    await at.live();
    at.inventory.volumes.look();
    await at.until(() => names() === 'data');
    at.world.emit(['volume', 'mount', 'data'], ['volume', 'unmount', 'data']);
    at.world.emit(['network', 'create', 'web']);
    await settle('c');
    assert.equal(requests(), 1);
  });

  it('is listed again on the next look, if it may have changed since the last one', async () => {
    await at.live();
    const look = at.inventory.volumes.look();
    await at.until(() => names() === 'data');
    look.dispose();
    at.inventory.volumes.look().dispose();
    at.world.volumes.delete('data');
    at.world.emit(['volume', 'destroy', 'data']);
    await settle('c');
    assert.equal(requests(), 1);
    at.inventory.volumes.look();
    await at.until(() => at.inventory.volumes.entries.size === 0);
    assert.equal(requests(), 2);
  });

  it('keeps its entries while the engine refuses the list, and asks again', async () => {
    await at.live();
    at.inventory.volumes.look();
    await at.until(() => names() === 'data');
    at.world.answers.set('/volumes', (_, response) => {
      json(response, 403, { message: 'forbidden' });
    });
    at.world.emit(['volume', 'create', 'logs']);
    await at.pass(20);
    await at.until(() => at.inventory.volumes.state instanceof Error);
    assert.equal(names(), 'data');
    assert.equal(at.changes.at(-1)?.phase, true);
    at.world.answers.clear();
    at.world.volumes.add('logs');
    await at.pass(100);
    await at.until(() => names() === 'data logs');
    assert.equal(at.inventory.volumes.state, 'listed');
  });

  it('is empty and unknown after the engine was disconnected', async () => {
    await at.live();
    at.inventory.volumes.look();
    await at.until(() => names() === 'data');
    at.watcher.suspend();
    assert.equal(names(), '');
    assert.equal(at.inventory.volumes.state, 'unknown');
    at.watcher.start();
    await at.until(() => names() === 'data');
  });
});
