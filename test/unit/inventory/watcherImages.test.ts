import assert from 'node:assert/strict';
import type { UnlistedImages } from '../../../src/inventory/phase.ts';
import { json } from '../support/fakeEngine.ts';
import { turn } from '../support/fakeClock.ts';
import { idOf } from './support/nouns.ts';
import { Watched } from './support/watched.ts';

const A = idOf('a');
const RESTS = [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000];

describe('inventory/watcher: images', () => {
  let at: Watched;

  beforeEach(async () => {
    at = await Watched.start();
  });

  afterEach(() => at.stop());

  const isLive = () => at.inventory.phase.kind === 'live';
  const lack = (): UnlistedImages | undefined =>
    at.inventory.phase.kind === 'live' ? at.inventory.phase.images : undefined;
  const status = (): number | string | undefined => {
    const images = lack();
    return images instanceof Error ? images.status : images;
  };
  const imageLists = () => at.world.seen('/images/json').length;
  const refuse = (): void => {
    at.world.answers.set('/images/json', (_, response) => {
      response.writeHead(403, { 'content-type': 'text/html' });
      response.end('<html><body><h1>403 Forbidden</h1></body></html>');
    });
  };
  const startOf = async (letter: string): Promise<void> => {
    at.world.setContainer(letter);
    at.world.emit(['container', 'start', idOf(letter)]);
    await at.pass(20);
    await at.until(() => at.inventory.containers.has(idOf(letter)));
  };

  it('are requested less and less often while the engine refuses them, and the containers stay live', async () => {
    refuse();
    await at.live();
    assert.equal(status(), 403);
    await startOf('c');
    for (const rest of RESTS) await at.pass(rest);
    await at.clock.asleep(15_000);
    assert.equal(imageLists(), RESTS.length + 1);
    assert.equal(at.world.seen('/events').length, 1);
    await startOf('d');
    at.world.answers.clear();
    at.clock.pass(15_000);
    await at.until(() => lack() === undefined && at.inventory.images.size === 1);
    // Their containers may have other image names by now.
    await at.pass(20);
    await at.world.until(() => at.world.asked().length === 4);
  });

  it('keep their entries when a later list is refused, and report it once', async () => {
    await at.live();
    refuse();
    at.world.emit(['image', 'pull', 'web:1']);
    await at.pass(20);
    await at.until(() => status() === 403);
    for (const rest of [100, 200]) await at.pass(rest);
    await at.clock.asleep(400);
    assert.equal(at.inventory.images.size, 1);
    assert.equal(at.changes.length, 1);
  });

  it('are requested early by the user, but not by events', async () => {
    refuse();
    await at.live();
    for (const rest of [100, 200, 400, 800]) await at.pass(rest);
    await at.clock.asleep(1600);
    const lists = imageLists();
    at.world.emit(['image', 'pull', 'web:1']);
    await startOf('c');
    assert.equal(imageLists(), lists);
    at.world.answers.clear();
    at.watcher.requests.renew();
    await at.until(() => lack() === undefined);
    assert.equal(imageLists(), lists + 1);
  });

  it('are not requested in a loop when a doubt comes from their own list', async () => {
    refuse();
    await at.live();
    await at.clock.asleep(100);
    const lists = imageLists();
    at.watcher.requests.verify();
    await at.world.until(() => at.world.asked().length === 2);
    await turn();
    assert.equal(imageLists(), lists);
  });

  it('delay the live phase only for a while if their list is slow', async () => {
    const images = at.world.hold('/images/json');
    at.watcher.start();
    await at.until(() => at.inventory.containers.size === 2);
    await startOf('c');
    assert.equal(at.inventory.phase.kind, 'connecting');
    await at.pass(5000);
    await at.until(isLive);
    assert.equal(lack(), 'awaited');
    images.release();
    await at.until(() => lack() === undefined && at.inventory.images.size === 1);
    assert.deepEqual(at.clock.sleeping, []);
  });

  it('update the image names of containers when they finally arrive', async () => {
    refuse();
    await at.live();
    at.world.setContainer('a', { Image: 'web:2' });
    at.world.setImage('f', 'web:2');
    at.world.answers.clear();
    await at.pass(100);
    await at.pass(20);
    await at.until(() => at.inventory.containers.get(A)?.image === 'web:2');
  });

  it('are requested once if the engine refuses, and twice after a server error', async () => {
    await at.live();
    for (const [code, times] of [
      [403, 1],
      [500, 2],
    ] as const) {
      const lists = imageLists();
      at.world.answers.set('/images/json', (_, response) => {
        json(response, code, { message: `no: ${code}` });
      });
      at.watcher.requests.renew();
      await at.until(() => status() === code);
      assert.equal(imageLists() - lists, times);
    }
  });
});

describe('inventory/watcher: idle', () => {
  let at: Watched;
  const MINUTE = 60_000;

  beforeEach(async () => {
    at = await Watched.start();
  });

  afterEach(() => at.stop());

  /** Returns the paths requested during so many minutes, in each of which the window gets the focus once. */
  const requestsIn = async (minutes: number): Promise<readonly string[]> => {
    const before = at.world.seen().length;
    const pings = at.world.engine.pings();
    for (let minute = 0; minute < minutes; minute++) {
      at.clock.pass(MINUTE);
      at.watcher.requests.refocus();
      await turn();
    }
    assert.equal(at.world.engine.pings(), pings);
    return at.world
      .seen()
      .slice(before)
      .map(({ path }) => path);
  };

  const announce = (api: string, server: string): void => {
    at.world.engine.ping((_, response) => {
      response.writeHead(200, { 'api-version': api, server }).end('OK');
    });
  };

  it('sends no request while nothing changes, even if the window gets the focus', async () => {
    announce('1.46', 'Docker/27.0.1 (linux)');
    await at.live();
    assert.deepEqual(await requestsIn(60), []);
    assert.deepEqual(at.clock.sleeping, []);
  });

  it('sends no request to Podman, which reports every build', async () => {
    announce('1.41', 'Libpod/5.8.0 (linux)');
    await at.live();
    assert.deepEqual(await requestsIn(60), []);
  });

  it('requests the images of an engine that does not report untagged builds, at most every five minutes', async () => {
    await at.live();
    assert.deepEqual(await requestsIn(4), []);
    at.world.setImage('e');
    at.clock.pass(MINUTE);
    at.watcher.requests.refocus();
    await at.until(() => at.inventory.images.size === 2);
    assert.deepEqual(await requestsIn(4), []);
    assert.equal(at.world.asked().length, 1);
    assert.equal(at.world.seen('/images/json').length, 2);
  });

  it('retries a lost engine now when the window gets the focus', async () => {
    await at.live();
    at.world.streams[0]?.end();
    await at.until(() => at.inventory.phase.kind === 'lost');
    at.watcher.requests.refocus();
    await at.until(() => at.inventory.phase.kind === 'live');
    assert.deepEqual(at.clock.sleeping, []);
  });
});
