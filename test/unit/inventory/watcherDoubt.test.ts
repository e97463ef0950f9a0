import assert from 'node:assert/strict';
import { EngineError, type FailureReason } from '../../../src/engine/errors.ts';
import { turn } from '../support/fakeClock.ts';
import { idOf } from './support/nouns.ts';
import { Watched } from './support/watched.ts';

const A = idOf('a');

describe('inventory/watcher: in doubt about its engine', () => {
  let at: Watched;

  beforeEach(async () => {
    at = await Watched.start();
  });

  afterEach(() => at.stop());

  const isLive = () => at.inventory.phase.kind === 'live';
  const isLost = () => at.inventory.phase.kind === 'lost';
  const lostBy = (): FailureReason | undefined =>
    at.inventory.phase.kind === 'lost' ? at.inventory.phase.error.reason : undefined;
  const fail = (reason: FailureReason): void => {
    at.connect = () => Promise.reject(new EngineError(reason));
  };
  const allow = (): void => {
    at.connect = () => Promise.resolve(at.open());
  };

  it('pings it and then requests everything, once for doubts that come together', async () => {
    await at.live();
    const pings = at.world.engine.pings();
    const answer = Promise.withResolvers<undefined>();
    at.world.engine.ping(async (_, response) => {
      await answer.promise;
      response.writeHead(200, { 'api-version': '1.41' }).end('OK');
    });
    at.watcher.requests.verify();
    await at.clock.asleep(1500);
    at.watcher.requests.verify();
    at.world.containers.delete(A);
    answer.resolve(undefined);
    await at.until(() => !at.inventory.containers.has(A));
    assert.deepEqual([at.world.engine.pings() - pings, at.world.asked().length], [1, 2]);
    assert(isLive());
    assert.deepEqual(at.clock.sleeping, []);
  });

  it('reports it as lost if the ping times out, and comes back', async () => {
    await at.live();
    at.world.engine.ping(() => undefined);
    at.watcher.requests.verify();
    await at.pass(1500);
    await at.until(isLost);
    assert.equal(lostBy(), 'timeout');
    at.world.engine.ping((_, response) => {
      response.writeHead(200, { 'api-version': '1.41' }).end('OK');
    });
    await at.pass(100);
    await at.until(isLive);
  });

  for (const [pingMs, limitMs] of [
    [10, 1500],
    [400, 4000],
  ] as const) {
    it(`allows ${limitMs} ms for the ping if the last ping took ${pingMs} ms`, async () => {
      const connection = at.open();
      Object.defineProperty(connection, 'lastPingMs', {
        get: () => pingMs,
        set: () => {
          // The pings of this test change nothing.
        },
      });
      at.connect = () => Promise.resolve(connection);
      await at.live();
      at.world.engine.ping(() => undefined);
      at.watcher.requests.verify();
      await at.clock.asleep(limitMs);
      at.clock.pass(limitMs - 1);
      await turn();
      assert(isLive());
      at.clock.pass(1);
      await at.until(isLost);
      assert.equal(lostBy(), 'timeout');
    });
  }

  it('sends no request while the engine is lost', async () => {
    fail('refused');
    at.watcher.start();
    await at.clock.asleep(100);
    at.watcher.requests.verify();
    await turn();
    assert.deepEqual([at.signals.length, at.world.engine.pings()], [1, 0]);
  });

  it('reports it as lost if the event stream does not open within half a minute', async () => {
    const events = at.world.hold('/events');
    at.watcher.start();
    await events.arrived;
    await at.pass(30_000);
    await at.until(isLost);
    assert.equal(lostBy(), 'timeout');
    events.release();
    await at.pass(100);
    await at.until(isLive);
  });

  it('retries now when the engine seems to be back, and starts over with the short wait', async () => {
    fail('socketAbsent');
    at.watcher.start();
    for (const rest of [100, 200, 400]) await at.pass(rest);
    await at.clock.asleep(800);
    assert.equal(at.signs[0]!.error.reason, 'socketAbsent');
    at.signs[0]!.onBack();
    await at.clock.asleep(100);
    allow();
    at.signs[0]!.onBack();
    await at.until(isLive);
    assert.deepEqual([at.signs, at.clock.sleeping], [[], []]);
  });

  it('retries now when the window has the focus again', async () => {
    fail('refused');
    at.watcher.start();
    await at.clock.asleep(100);
    allow();
    at.watcher.requests.refocus();
    await at.until(isLive);
  });

  it('retries soon if the engine seems to be back during a try', async () => {
    fail('socketAbsent');
    at.watcher.start();
    for (const rest of [100, 200, 400]) await at.pass(rest);
    await at.clock.asleep(800);
    const { promise, reject } = Promise.withResolvers<never>();
    at.connect = () => promise;
    at.clock.pass(800);
    await turn();
    at.signs[0]!.onBack();
    reject(new EngineError('socketAbsent'));
    await at.clock.asleep(100);
    allow();
    at.clock.pass(100);
    await at.until(isLive);
    assert.deepEqual([at.signs, at.clock.sleeping], [[], []]);
  });

  for (const reason of [
    ...(['sshRefused', 'sshHostKey', 'sshMissing', 'sshNoForwarding'] as const),
    ...(['badEndpoint', 'contextBroken'] as const),
  ]) {
    it(`does not retry automatically after ${reason}, only on renew`, async () => {
      fail(reason);
      at.watcher.start();
      await at.until(isLost);
      assert.deepEqual(at.clock.sleeping, []);
      at.clock.pass(86_400_000);
      at.watcher.requests.refocus();
      await turn();
      assert.equal(at.signals.length, 1);
      allow();
      at.watcher.requests.renew();
      await at.until(isLive);
    });
  }

  it('stops retrying when the failure that it retries becomes final', async () => {
    fail('refused');
    at.watcher.start();
    await at.clock.asleep(100);
    at.connect = () => Promise.reject(new EngineError('refused', { isFinal: true }));
    at.clock.pass(100);
    await at.until(() => {
      const { phase } = at.inventory;
      return phase.kind === 'lost' && phase.error.isFinal === true;
    });
    assert.deepEqual(at.clock.sleeping, []);
  });
});
