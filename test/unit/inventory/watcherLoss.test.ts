import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import type { Connection } from '../../../src/engine/http/connection.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import type { Phase } from '../../../src/inventory/phase.ts';
import { json } from '../support/fakeEngine.ts';
import { turn } from '../support/fakeClock.ts';
import { idOf } from './support/nouns.ts';
import { Watched } from './support/watched.ts';

const A = idOf('a');

describe('inventory/watcher: loses its engine', () => {
  let at: Watched;

  beforeEach(async () => {
    at = await Watched.start();
  });

  afterEach(() => at.stop());

  const isLive = () => at.inventory.phase.kind === 'live';
  const isLost = () => at.inventory.phase.kind === 'lost';
  const lostPhase = (): Extract<Phase, { kind: 'lost' }> => {
    assert(at.inventory.phase.kind === 'lost');
    return at.inventory.phase;
  };
  const refuse = (): void => {
    at.connect = () => Promise.reject(new EngineError('refused', { endpoint: 'unix:///x' }));
  };
  const allow = (): void => {
    at.connect = () => Promise.resolve(at.open());
  };

  it('reports it immediately when the stream ends, keeps its rows and comes back', async () => {
    await at.live();
    at.world.streams[0]?.end();
    await at.until(isLost);
    assert.deepEqual(
      [lostPhase().error.reason, lostPhase().error.endpoint, lostPhase().hadRows],
      ['cut', at.world.engine.url, true],
    );
    assert.equal(at.inventory.containers.size, 2);
    at.world.containers.delete(A);
    await at.pass(100);
    await at.until(isLive);
    assert.equal(at.inventory.containers.has(A), false);
    assert.equal(at.world.streams.length, 1);
  });

  it('reports it immediately when the connection breaks', async () => {
    await at.live();
    at.world.engine.cut();
    await at.until(isLost);
    assert.equal(lostPhase().error.reason, 'cut');
    await at.pass(100);
    await at.until(isLive);
  });

  it('never gives up, waits up to a second between tries, and reports a failure once', async () => {
    refuse();
    at.watcher.start();
    for (const rest of [100, 200, 400, 800, 1000, 1000, 1000]) await at.pass(rest);
    await at.clock.asleep(1000);
    assert.equal(at.signals.length, 8);
    assert.deepEqual([lostPhase().error.reason, lostPhase().hadRows], ['refused', false]);
    assert.equal(at.changes.length, 2);
  });

  it('tries at most four times a minute after a minute', async () => {
    refuse();
    at.watcher.start();
    for (let milliseconds = 0; milliseconds < 60_000; milliseconds += 100) {
      at.clock.pass(100);
      await turn();
    }
    const before = at.signals.length;
    for (let milliseconds = 0; milliseconds < 600_000; milliseconds += 1000) {
      at.clock.pass(1000);
      await turn();
    }
    assert(at.signals.length - before <= 40, String(at.signals.length - before));
  });

  it('waits up to fifteen seconds for a remote engine', async () => {
    at.connect = () =>
      Promise.reject(new EngineError('refused', { endpoint: 'tcp://192.0.2.7:2375' }));
    at.watcher.start();
    for (const rest of [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 15_000]) await at.pass(rest);
    await at.clock.asleep(15_000);
  });

  it('starts over with the short wait after the first successful list', async () => {
    refuse();
    at.watcher.start();
    for (const rest of [100, 200, 400]) await at.pass(rest);
    await at.clock.asleep(800);
    allow();
    at.clock.pass(800);
    await at.until(isLive);
    at.world.streams[0]?.end();
    await at.pass(100);
    await at.until(isLive);
  });

  it('backs off although the stream opens, if the list fails', async () => {
    at.world.answers.set('/containers/json', (_, response) => {
      json(response, 500, { message: 'no containers today' });
    });
    at.watcher.start();
    for (const rest of [100, 200, 400, 800, 1600, 3200, 6400, 12_800]) await at.pass(rest);
    await at.clock.asleep(15_000);
    assert.equal(lostPhase().error.engineMessage, 'no containers today');
    await at.world.until(() => at.world.streams.length === 0);
  });

  it('reports it as lost when a list fails while the stream is open, and closes the stream', async () => {
    await at.live();
    at.world.answers.set('/containers/json', (_, response) => {
      json(response, 500, { message: 'database is locked' });
    });
    at.world.emit(['container', 'start', A]);
    await at.pass(20);
    await at.until(isLost);
    assert.deepEqual(
      [lostPhase().error.engineMessage, at.inventory.containers.size],
      ['database is locked', 2],
    );
    await at.world.until(() => at.world.streams.length === 0);
    at.world.answers.clear();
    await at.pass(100);
    await at.until(isLive);
  });

  it('reports it as lost on an unexpected error', async () => {
    const surprise = new TypeError('surprise');
    at.connect = () => Promise.reject(surprise);
    at.watcher.start();
    await at.until(isLost);
    assert.deepEqual([lostPhase().error.reason, lostPhase().error.cause], ['failed', surprise]);
    allow();
    await at.pass(100);
    await at.until(isLive);
  });

  it('retries now on renew', async () => {
    refuse();
    at.watcher.start();
    for (const rest of [100, 200]) await at.pass(rest);
    await at.clock.asleep(400);
    allow();
    at.watcher.requests.renew();
    await at.until(isLive);
    assert.deepEqual(at.clock.sleeping, []);
  });

  it('switches to another engine immediately: clears its rows and closes the old stream', async () => {
    await at.live();
    const before = await at.move();
    at.world.setContainer('c');
    at.watcher.reconnect();
    assert.equal(at.inventory.phase.kind, 'connecting');
    assert.equal(at.inventory.containers.size + at.inventory.images.size, 0);
    assert.equal(at.changes.length, 1);
    await at.until(isLive);
    assert.deepEqual([...at.inventory.containers.keys()], [idOf('c')]);
    await before.until(() => before.streams.length === 0);
    assert.equal(at.world.streams.length, 1);
  });

  it('ignores a late response of the previous engine', async () => {
    await at.live();
    const list = at.world.hold('/containers/json');
    at.world.emit(['container', 'start', A]);
    await at.pass(20);
    await list.arrived;
    const before = await at.move();
    at.watcher.reconnect();
    await at.until(isLive);
    list.release();
    await before.until(() => before.streams.length === 0);
    await turn();
    assert.equal(at.inventory.containers.size, 0);
    assert(isLive());
  });

  it('ignores a connection of the previous engine that opens late', async () => {
    const late = Promise.withResolvers<Connection>();
    at.connect = () => late.promise;
    at.watcher.start();
    allow();
    at.watcher.reconnect();
    await at.until(isLive);
    late.resolve(at.open());
    await turn();
    at.world.containers.delete(A);
    at.watcher.requests.renew();
    await at.until(() => !at.inventory.containers.has(A));
    assert.equal(at.world.seen('/events').length, 1);
  });

  it('switches immediately while it waits for a lost engine', async () => {
    refuse();
    at.watcher.start();
    await at.clock.asleep(100);
    allow();
    at.watcher.reconnect();
    await at.until(isLive);
    assert.deepEqual(at.clock.sleeping, []);
  });

  it('listens to one engine only, however often it switches', async () => {
    await at.live();
    for (let round = 0; round < 5; round++) at.watcher.reconnect();
    await at.until(isLive);
    await at.world.until(() => at.world.streams.length === 1);
    assert.deepEqual(
      at.signals.map((signal) => signal.aborted),
      [true, true, true, true, true, false],
    );
  });
});

describe('inventory/watcher: cut by a proxy', () => {
  let at: Watched;

  beforeEach(async () => {
    at = await Watched.start();
    await at.live();
  });

  afterEach(() => at.stop());

  const isLost = () => at.inventory.phase.kind === 'lost';
  /** Cuts the stream and waits until the next session has measured the break. */
  const cut = async (): Promise<void> => {
    const before = at.world.streams[0];
    before?.end();
    await at.world.until(() => at.world.streams.some((stream) => stream !== before));
    await at.clock.looked();
    await turn();
  };

  it('resumes silently and lists nothing if the stream was silent, however often it is cut', async () => {
    for (let count = 0; count < 3; count++) {
      at.clock.pass(5000);
      await cut();
    }
    at.clock.pass(1000);
    at.world.emit(['container', 'start', A]);
    await at.pass(20);
    await at.world.until(() => at.world.asked().length > 1);
    assert.deepEqual(at.world.asked(), [undefined, [A]]);
    assert.equal(at.world.seen('/images/json').length, 1);
    assert.deepEqual([...at.clock.sleeping, ...at.changes.filter(({ phase }) => phase)], []);
  });

  it('lists everything if something happened during the break', async () => {
    at.clock.pass(5000);
    await cut();
    at.world.containers.delete(A);
    at.world.emit(['container', 'start', idOf('b')]);
    await at.until(() => !at.inventory.containers.has(A));
    assert.deepEqual(at.world.asked(), [undefined, undefined]);
  });

  it('lists everything if the stream was not silent', async () => {
    at.clock.pass(5000);
    const heard = at.clock.looked();
    at.world.emit(['container', 'start', A]);
    await heard;
    await at.pass(20);
    await at.world.until(() => at.world.asked().length === 2);
    at.world.streams[0]?.end();
    await at.world.until(() => at.world.asked().length === 3);
    assert.deepEqual(at.world.asked(), [undefined, [A], undefined]);
    assert(!at.changes.some(({ phase }) => phase));
  });

  it('lists everything if the stream broke without an end, because it may have been dead for long', async () => {
    at.clock.pass(5000);
    at.world.streams[0]?.destroy();
    await at.world.until(() => at.world.asked().length === 2);
    assert.deepEqual(at.world.asked(), [undefined, undefined]);
    assert(!at.changes.some(({ phase }) => phase));
  });

  it('reports it as lost when the first try fails', async () => {
    at.clock.pass(5000);
    at.connect = () => Promise.reject(new EngineError('refused', { endpoint: 'unix:///x' }));
    at.world.streams[0]?.end();
    await at.until(isLost);
    assert.equal(at.signals.length, 2);
    assert(at.inventory.phase.kind === 'lost');
    assert.equal(at.inventory.phase.error.reason, 'refused');
  });

  it('reports it as lost when the first try takes longer than a second', async () => {
    at.clock.pass(5000);
    const { promise, resolve } = Promise.withResolvers<Connection>();
    at.connect = () => promise;
    at.world.streams[0]?.end();
    await at.pass(1000);
    await at.until(isLost);
    resolve(at.open());
    await at.until(() => !isLost());
    assert.deepEqual(at.world.asked(), [undefined, undefined]);
  });
});

describe('inventory/watcher: stops', () => {
  let at: Watched;

  beforeEach(async () => {
    at = await Watched.start();
  });

  afterEach(() => at.stop());

  /** Disposes the watcher and checks that it leaves no stream, timer or listener behind. */
  const leavesNothing = async (): Promise<void> => {
    at.watcher.dispose();
    await at.world.until(() => at.world.streams.length === 0);
    await turn();
    assert.deepEqual(at.clock.sleeping, []);
    for (const signal of at.signals) assert.equal(getEventListeners(signal, 'abort').length, 0);
    const fired = at.changes.length;
    at.watcher.start();
    at.watcher.requests.renew();
    at.watcher.reconnect();
    await turn();
    assert.equal(at.changes.length, fired);
  };

  it('silently while it follows', async () => {
    await at.live();
    await leavesNothing();
    assert.deepEqual(at.changes, []);
    assert.equal(at.inventory.phase.kind, 'live');
  });

  it('silently during a list', async () => {
    await at.live();
    const list = at.world.hold('/containers/json');
    at.world.emit(['container', 'start', A]);
    await at.pass(20);
    await list.arrived;
    await leavesNothing();
    list.release();
    assert.deepEqual(at.changes, []);
  });

  it('silently while it waits to retry', async () => {
    at.connect = () => Promise.reject(new EngineError('refused'));
    at.watcher.start();
    await at.clock.asleep(100);
    const tries = at.signals.length;
    await leavesNothing();
    at.clock.pass(100_000);
    await turn();
    assert.equal(at.signals.length, tries);
  });

  it('silently before the engine has responded', async () => {
    const events = at.world.hold('/events');
    at.watcher.start();
    await events.arrived;
    await leavesNothing();
    events.release();
    assert.equal(at.inventory.phase.kind, 'connecting');
  });

  it('with every connection closed', async () => {
    const connection = at.open();
    at.connect = () => Promise.resolve(connection);
    await at.live();
    at.world.streams[0]?.end();
    await at.pass(100);
    await at.until(() => at.inventory.phase.kind === 'live');
    at.watcher.dispose();
    await at.world.until(() => at.world.streams.length === 0);
    connection.dispose();
    while ((await at.world.engine.connections()) > 0) await turn();
  });
});
