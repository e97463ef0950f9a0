import assert from 'node:assert/strict';
import { turn } from '../support/fakeClock.ts';
import { idOf } from './support/nouns.ts';
import { Watched } from './support/watched.ts';

const A = idOf('a');
const B = idOf('b');
const RESTARTING = { State: 'restarting', Status: 'Restarting (1) 1 second ago' };
const EXITED = { State: 'exited', Status: 'Exited (1) 1 second ago' };

describe('inventory/watcher: changes without an event', () => {
  let at: Watched;

  beforeEach(async () => {
    at = await Watched.start();
    await at.live();
  });

  afterEach(() => at.stop());

  /** The container lists since it went live. */
  const asked = () => at.world.asked().slice(1);
  const state = (id: string) => at.inventory.containers.get(id)?.state;

  const crash = async (): Promise<void> => {
    at.world.setContainer('a', RESTARTING);
    at.world.emit(['container', 'die', A]);
    await at.pass(85);
    await at.until(() => state(A) === 'restarting');
  };

  it('requests only the restarting container, with delays up to fifteen seconds, until it settles', async () => {
    await crash();
    const rests = [1000, 2000, 4000, 8000, 15_000, 15_000];
    for (const rest of rests) await at.pass(rest);
    await at.clock.asleep(15_000);
    assert.deepEqual(asked(), [[A], ...rests.map(() => [A])]);
    // Killed while restarting: Docker sends no event.
    at.world.setContainer('a', EXITED);
    at.clock.pass(15_000);
    await at.until(() => state(A) === 'exited');
    assert.deepEqual(at.clock.sleeping, []);
  });

  it('starts over with short delays when it runs and crashes again', async () => {
    await crash();
    for (const rest of [1000, 2000]) await at.pass(rest);
    await at.clock.asleep(4000);
    at.world.setContainer('a');
    at.world.emit(['container', 'start', A]);
    await at.pass(20);
    await at.until(() => state(A) === 'running');
    assert.deepEqual(at.clock.sleeping, []);
    await crash();
    await at.clock.asleep(1000);
  });

  it('requests a container that is restarting in the first list', async () => {
    at.world.setContainer('b', RESTARTING);
    at.watcher.reconnect();
    await at.until(() => at.inventory.phase.kind === 'live' && state(B) === 'restarting');
    at.world.setContainer('b', EXITED);
    await at.pass(1000);
    await at.until(() => state(B) === 'exited');
  });

  it('detects a removal that fails', async () => {
    at.world.setContainer('a', { State: 'removing', Status: 'Removal In Progress' });
    at.watcher.requests.renew();
    await at.until(() => state(A) === 'removing');
    at.world.setContainer('a', { State: 'dead', Status: 'Dead' });
    await at.pass(1000);
    await at.until(() => state(A) === 'dead');
    assert.deepEqual(asked(), [undefined, [A]]);
    assert.deepEqual(at.clock.sleeping, []);
  });

  for (const before of ['running', 'restarting'] as const) {
    it(`requests again when a list does not show yet that a ${before} container was stopped`, async () => {
      if (before === 'restarting') await crash();
      const sofar = asked().length;
      at.world.emit(['container', 'stop', A]);
      await at.pass(20);
      await at.clock.asleep(25);
      at.world.setContainer('a', EXITED);
      at.clock.pass(25);
      await at.until(() => state(A) === 'exited');
      assert.deepEqual(asked().slice(sofar), [[A], [A]]);
      assert.deepEqual(at.clock.sleeping, []);
    });
  }

  it('requests a container once after a failed command', async () => {
    at.world.setContainer('a', { State: 'exited', Status: 'Exited (127) 1 second ago' });
    at.watcher.requests.recheck(A);
    await at.pass(20);
    await at.until(() => at.inventory.containers.get(A)?.exitCode === 127);
    assert.deepEqual([asked(), at.clock.sleeping], [[[A]], []]);
  });

  it('requests a restarting container soon after a command ended it', async () => {
    await crash();
    for (const rest of [1000, 2000, 4000]) await at.pass(rest);
    await at.clock.asleep(8000);
    at.watcher.requests.recheck(A);
    await at.pass(20);
    await at.clock.asleep(1000);
    at.world.setContainer('a', EXITED);
    at.clock.pass(1000);
    await at.until(() => state(A) === 'exited');
  });

  describe('health', () => {
    const probe = (health: string): void => {
      const record = { Type: 'container', Action: 'health_status', Actor: { ID: A } };
      const text = JSON.stringify({ ...record, HealthStatus: health });
      at.world.streams.at(-1)?.write(`${text}\n`);
    };
    /** Waits for a later event, to show that the earlier ones were received. */
    const heard = async (): Promise<void> => {
      const sofar = asked().length;
      at.world.emit(['container', 'start', B]);
      await at.pass(20);
      await at.world.until(() => asked().length > sofar);
      await turn();
    };

    it('is requested when it changes, but not for each health check with the same result', async () => {
      at.world.setContainer('a', { Status: 'Up 5 minutes (healthy)' });
      probe('healthy');
      await at.pass(20);
      await at.until(() => at.inventory.containers.get(A)?.health === 'healthy');
      probe('healthy');
      probe('healthy');
      await heard();
      assert.deepEqual(asked(), [[A], [B]]);
      probe('unhealthy');
      await heard();
      assert.deepEqual(asked().at(-1), [A, B]);
    });

    it('is requested once if the list never has it', async () => {
      probe('healthy');
      await heard();
      probe('healthy');
      await heard();
      assert.deepEqual(asked(), [[A, B], [B]]);
      at.world.emit(['container', 'start', A]);
      await heard();
      probe('healthy');
      await heard();
      assert.deepEqual(asked().slice(2), [
        [A, B],
        [A, B],
      ]);
    });

    it('is requested again if the pending response may be older', async () => {
      at.world.setContainer('a', { Status: 'Up 5 minutes (healthy)' });
      // Requests no images: their list would look at the clock, too.
      probe('healthy');
      await at.pass(20);
      await at.until(() => at.inventory.containers.get(A)?.health === 'healthy');
      const list = at.world.hold('/containers/json');
      probe('unhealthy');
      await at.pass(20);
      await list.arrived;
      const looked = at.clock.looked();
      probe('healthy');
      await looked;
      list.release();
      await at.pass(20);
      await at.world.until(() => asked().length === 3);
      assert.deepEqual(asked(), [[A], [A], [A]]);
    });
  });

  it('limits what it remembers of events of many containers', async () => {
    const list = at.world.hold('/containers/json');
    at.world.emit(['container', 'start', A]);
    await at.pass(20);
    await list.arrived;
    const stream = at.world.streams[0]!;
    for (let round = 0; round < 12; round++) {
      const ids = Array.from({ length: 1000 }, (_, index) => String(round * 1000 + index));
      at.world.emit(...ids.map((id) => ['container', 'die', id] as const));
    }
    await new Promise((resolve) => stream.write('\n', resolve));
    at.world.setContainer('a', EXITED);
    list.release();
    await at.pass(85);
    await at.world.until(() => asked().length === 2);
    assert.deepEqual(asked(), [[A], undefined]);
    await at.pass(1000);
    await at.until(() => at.inventory.phase.kind === 'live');
  });
});
