import assert from 'node:assert/strict';
import { when } from '../support/lab.ts';
import { ENGINE_TIME } from './support/fakeWorld.ts';
import { turn } from '../support/fakeClock.ts';
import { json } from '../support/fakeEngine.ts';
import { container, idOf } from './support/nouns.ts';
import { Watched } from './support/watched.ts';

const A = idOf('a');
const B = idOf('b');
const LISTS = ['/containers/json', '/images/json'] as const;

describe('inventory/watcher: starts', () => {
  let at: Watched;

  beforeEach(async () => {
    at = await Watched.start();
  });

  afterEach(() => at.stop());

  it('sends no request before it is started', async () => {
    at.watcher.requests.renew();
    at.watcher.reconnect();
    await turn();
    assert.deepEqual([at.signals, at.changes], [[], []]);
    assert.equal(at.inventory.phase.kind, 'idle');
  });

  it("subscribes before it lists, from five seconds before the engine's time", async () => {
    await at.live();
    const paths = at.world.seen().map((one) => one.path);
    assert.deepEqual(
      paths.filter((path) => path !== '/version').toSorted(),
      [...LISTS, '/events'].toSorted(),
    );
    assert(paths.indexOf('/events') < paths.indexOf('/containers/json'));
    assert(paths.indexOf('/events') < paths.indexOf('/images/json'));
    assert.equal(at.world.seen('/events')[0]?.query.get('since'), String(ENGINE_TIME - 5));
    assert.equal(at.world.seen('/containers/json')[0]?.query.get('all'), '1');
  });

  it('lists only after the engine has responded to the subscription', async () => {
    const events = at.world.hold('/events');
    at.watcher.start();
    await events.arrived;
    await turn();
    assert.deepEqual(at.world.asked(), []);
    events.release();
    await at.until(() => at.inventory.phase.kind === 'live');
  });

  it('is connecting immediately, then lists containers, and is live with the images', async () => {
    const images = at.world.hold('/images/json');
    at.watcher.start();
    assert.equal(at.inventory.phase.kind, 'connecting');
    await at.until(() => at.inventory.containers.size === 2);
    assert.equal(at.inventory.phase.kind, 'connecting');
    images.release();
    await at.until(() => at.inventory.phase.kind === 'live');
    assert.deepEqual(
      at.changes.map((change) => [change.phase, change.containers.size, change.images.size]),
      [
        [true, 0, 0],
        [false, 2, 0],
        [true, 0, 1],
      ],
    );
    assert.equal(at.inventory.containers.get(A)?.name, 'a');
  });

  it('opens one stream however often it is started', async () => {
    at.watcher.start();
    await at.live();
    at.watcher.start();
    await turn();
    assert.equal(at.world.seen('/events').length, 1);
  });

  it('requests a container again that changes during the list', async () => {
    at.world.setContainer('a', { State: 'exited', Status: 'Exited (0) 1 second ago' });
    const [list, images] = LISTS.map((path) => at.world.hold(path));
    at.watcher.start();
    await Promise.all([list?.arrived, images?.arrived]);
    await turn();
    // While both lists are held, only an event makes the watcher look at the clock.
    const heard = at.clock.looked();
    at.world.emit(['container', 'start', A]);
    await heard;
    images?.release();
    list?.release();
    await at.until(() => at.inventory.phase.kind === 'live');
    // The list has the state before the event.
    assert.equal(at.inventory.containers.get(A)?.state, 'exited');
    at.world.setContainer('a');
    await at.pass(20);
    await at.until(() => at.inventory.containers.get(A)?.state === 'running');
    assert.deepEqual(at.world.asked(), [undefined, [A]]);
  });

  it('finds the pod of a container on renew if the pods could not be listed before', async () => {
    at.world.engine.ping((_, response) => {
      response.writeHead(200, { 'api-version': '1.41', 'libpod-api-version': '5.8.6' }).end('OK');
    });
    const answerPods = (status: number, pods: unknown): void => {
      at.world.answers.set('/libpod/pods/json', (_, response) => json(response, status, pods));
    };
    answerPods(500, { message: 'it is being removed' });
    await at.live();
    assert.equal(at.inventory.containers.get(A)?.pod, undefined);
    answerPods(200, [{ Name: 'shop', Containers: [{ Id: A }] }]);
    at.watcher.requests.renew();
    await at.until(() => at.inventory.containers.get(A)?.pod?.name === 'shop');
  });

  it('sends no request while nothing happens', async () => {
    await at.live();
    const before = at.world.seen().length;
    const pings = at.world.engine.pings();
    assert.deepEqual(at.clock.sleeping, []);
    at.clock.pass(86_400_000);
    await turn();
    assert.deepEqual([at.world.seen().length, at.world.engine.pings()], [before, pings]);
  });
});

describe('inventory/watcher: follows', () => {
  let at: Watched;

  beforeEach(async () => {
    at = await Watched.start();
    await at.live();
  });

  afterEach(() => at.stop());

  /** The container lists since it went live. */
  const asked = () => at.world.asked().slice(1);
  const imageLists = () => at.world.seen('/images/json').length - 1;
  const hasChanged = (id: string) => () => at.changes.some((change) => change.containers.has(id));

  it('knows which containers a client stopped, until they are started again', async () => {
    at.world.emit(['container', 'stop', A], ['container', 'stop', idOf('f')]);
    await when(() => at.inventory.stopped.size === 1);
    assert.deepEqual([...at.inventory.stopped], [A]);
    at.world.emit(['container', 'start', A]);
    await when(() => at.inventory.stopped.size === 0);
  });

  it('sends one request for a burst, filtered by the containers in it', async () => {
    at.world.setContainer('a', { State: 'exited', Status: 'Exited (0) 1 second ago' });
    at.world.setContainer('c');
    at.world.emit(
      ['container', 'kill', A],
      ['container', 'die', A],
      ['container', 'stop', A],
      ['container', 'create', idOf('c')],
      ['container', 'start', idOf('c')],
      ['network', 'connect', B],
    );
    await at.pass(20);
    await at.until(hasChanged(A));
    assert.deepEqual(at.changes[0]?.containers, new Set([A, idOf('c')]));
    at.world.containers.delete(B);
    at.world.emit(['container', 'destroy', B]);
    await at.pass(20);
    await at.until(hasChanged(B));
    assert.deepEqual([asked(), imageLists()], [[[A, idOf('c')], [B]], 0]);
    assert.equal(at.changes.length, 2);
  });

  it('sends one request for a container that is connected to its network and started', async () => {
    const before = at.world.asked().length;
    at.world.setContainer('b', { State: 'exited' });
    at.world.emit(['network', 'connect', B], ['container', 'start', B]);
    await at.pass(20);
    await at.until(() => at.inventory.containers.get(B)?.state === 'exited');
    at.world.emit(['network', 'connect', A]);
    await at.pass(100);
    await at.world.until(() => at.world.asked().length > before + 1);
    assert.deepEqual(at.world.asked().slice(before), [[B], [A]]);
  });

  it('requests a container whose network connections change', async () => {
    const before = at.world.asked().length;
    at.world.emit(['network', 'disconnect', B]);
    await at.pass(100);
    await at.world.until(() => at.world.asked().length > before);
    assert.deepEqual(at.world.asked().slice(before), [[B]]);
  });

  it('removes a container and adds it again when it reappears', async () => {
    at.world.containers.delete(A);
    at.world.emit(['container', 'destroy', A]);
    await at.pass(20);
    await at.until(() => !at.inventory.containers.has(A));
    assert(at.inventory.containers.has(B));
    at.world.setContainer('a');
    at.world.emit(['container', 'create', A]);
    await at.pass(20);
    await at.until(() => at.inventory.containers.has(A));
  });

  for (const action of ['died', 'remove', 'init', 'cleanup', 'sync', 'never heard of']) {
    it(`requests the container of the event "${action}", which Docker does not send`, async () => {
      at.world.setContainer('a', { State: 'exited', Status: 'Exited (0) 1 second ago' });
      if (action === 'remove') at.world.containers.delete(A);
      at.world.emit(['container', action, A]);
      await at.pass(20);
      await at.until(hasChanged(A));
      assert.deepEqual(asked(), [[A]]);
    });
  }

  for (const action of [
    'pull',
    'tag',
    'untag',
    'delete',
    'import',
    'load',
    'create',
    'loadfromarchive',
  ]) {
    it(`requests only the images, once, after a burst with "${action}"`, async () => {
      at.world.setImage('e', 'new:1');
      at.world.emit(['image', action, 'web:1'], ['image', action, `sha256:${idOf('e')}`]);
      await at.pass(20);
      await at.until(() => at.inventory.images.size === 2);
      assert.deepEqual([imageLists(), asked()], [1, []]);
    });
  }

  it('requests the images after a commit, for which Podman sends no image event', async () => {
    at.world.setImage('e', 'new:1');
    at.world.emit(['container', 'commit', A]);
    await at.pass(20);
    await at.until(() => at.inventory.images.size === 2);
    assert.deepEqual([imageLists(), asked()], [1, []]);
  });

  it('sends no request for events that change no list', async () => {
    at.world.emit(
      ['container', 'kill', A],
      ['container', 'exec_create', A],
      ['image', 'push', 'web:1'],
      ['image', 'save', 'web:1'],
      ['volume', 'create', 'v'],
      // Follows the others, to show that they were received.
      ['container', 'start', B],
    );
    await at.pass(20);
    await at.world.until(() => asked().length > 0);
    assert.deepEqual([asked(), imageLists()], [[[B]], 0]);
  });

  it('requests the containers of an image again when a tag is added or removed', async () => {
    at.clock.pass(5000);
    at.world.setImage('f', 'web:2');
    at.world.setContainer('a', { Image: `sha256:${idOf('f')}` });
    at.world.emit(['image', 'tag', `sha256:${idOf('f')}`]);
    await at.pass(20);
    await at.pass(20);
    await at.until(hasChanged(A));
    assert.deepEqual(asked(), [[A, B]]);
  });

  it('requests all containers again if a tag may have changed between the first lists', async () => {
    at.world.emit(['image', 'tag', `sha256:${idOf('f')}`]);
    await at.pass(20);
    await at.pass(20);
    await at.world.until(() => asked().length === 1);
    assert.deepEqual(asked(), [undefined]);
  });

  it('does not wait for the images to update a container', async () => {
    const images = at.world.hold('/images/json');
    at.world.emit(['image', 'pull', 'web:1']);
    await at.pass(20);
    await images.arrived;
    at.world.containers.delete(A);
    at.world.emit(['container', 'destroy', A]);
    await at.pass(20);
    await at.until(hasChanged(A));
    images.release();
  });

  it('collects what happens during a list for the next one', async () => {
    const list = at.world.hold('/containers/json');
    at.world.emit(['container', 'start', A]);
    await at.pass(20);
    await list.arrived;
    for (const id of [B, A]) {
      const heard = at.clock.looked();
      at.world.emit(['container', 'start', id]);
      await heard;
    }
    assert.deepEqual(asked(), [[A]]);
    list.release();
    await at.pass(20);
    await at.world.until(() => asked().length === 2);
    assert.deepEqual(new Set(asked()[1]), new Set([A, B]));
  });

  it('reads events during a list, and requests everything if there were many', async () => {
    const list = at.world.hold('/containers/json');
    at.world.emit(['container', 'start', A]);
    await at.pass(20);
    await list.arrived;
    const stream = at.world.streams[0]!;
    // Far more than the buffers on the way hold, so they get through only if they are being read.
    for (let round = 0; round < 40; round++) {
      const ids = Array.from({ length: 1000 }, (_, index) => String(index % 150).padStart(64, '0'));
      at.world.emit(...ids.map((id) => ['container', 'start', id] as const));
    }
    await new Promise((resolve) => stream.write('\n', resolve));
    list.release();
    await at.pass(20);
    await at.world.until(() => asked().length === 2);
    assert.deepEqual(asked(), [[A], undefined]);
  });

  it('requests up to a hundred containers by ID', async () => {
    const ids = Array.from({ length: 100 }, (_, index) => String(index).padStart(64, '0'));
    at.world.emit(...ids.map((id) => ['container', 'start', id] as const));
    await at.pass(20);
    await at.world.until(() => asked().length === 1);
    assert.deepEqual(asked(), [ids]);
  });

  it('requests all containers when an event has no ID', async () => {
    at.world.emit(['container', 'prune', '']);
    await at.pass(20);
    await at.world.until(() => asked().length === 1);
    assert.deepEqual(asked(), [undefined]);
  });

  it('never shows the pause of a short commit', async () => {
    at.world.emit(['container', 'pause', A]);
    await at.clock.asleep(75);
    at.world.emit(['container', 'commit', A], ['container', 'unpause', A]);
    await at.clock.asleep(20);
    at.clock.pass(20);
    await at.world.until(() => asked().length === 1);
    assert.deepEqual([asked(), at.changes], [[[A]], []]);
  });

  it('shows a pause that lasts', async () => {
    at.world.setContainer('a', { State: 'paused', Status: 'Up 5 minutes (Paused)' });
    at.world.emit(['container', 'pause', A]);
    await at.pass(75);
    await at.until(hasChanged(A));
    assert.equal(at.inventory.containers.get(A)?.state, 'paused');
  });

  it('requests again, with growing delays, when the list is older than the event', async () => {
    at.world.emit(['container', 'die', A]);
    // The engine sends `die` before its list shows the exit.
    await at.pass(85);
    await at.pass(25);
    await at.clock.asleep(50);
    at.world.setContainer('a', { State: 'exited', Status: 'Exited (0) 1 second ago' });
    at.clock.pass(50);
    await at.until(hasChanged(A));
    assert.deepEqual(asked(), [[A], [A], [A]]);
    assert.deepEqual(at.clock.sleeping, []);
  });

  it('requests an exit without that delay from Docker 23 on, which saves it before the event', async () => {
    at.world.api = '1.42';
    at.watcher.reconnect();
    await at.until(() => at.inventory.phase.kind === 'live');
    at.world.setContainer('a', { State: 'exited', Status: 'Exited (0) 1 second ago' });
    at.world.emit(['network', 'disconnect', A], ['container', 'die', A]);
    await at.pass(20);
    await at.until(() => at.inventory.containers.get(A)?.state === 'exited');
    assert.deepEqual(at.clock.sleeping, []);
  });

  it('still waits for an exit after the container was renamed', async () => {
    at.world.emit(['container', 'die', A], ['container', 'rename', A]);
    await at.pass(20);
    await at.pass(25);
    await at.world.until(() => asked().length === 2);
    assert.deepEqual(asked(), [[A], [A]]);
  });

  it('accepts a list that contradicts a die event after half a minute, because many exits at once take seconds', async () => {
    at.world.emit(['container', 'die', A]);
    const seconds = Array.from({ length: 30 }, () => 1000);
    const rests = [85, 25, 50, 100, 200, 400, 800, ...seconds];
    for (const rest of rests) await at.pass(rest);
    await at.world.until(() => asked().length === rests.length);
    at.world.containers.delete(B);
    at.world.emit(['container', 'destroy', B]);
    await at.pass(20);
    await at.until(hasChanged(B));
    assert.deepEqual(at.clock.sleeping, []);
    assert.deepEqual(asked()[rests.length], [B]);
    assert.equal(at.inventory.containers.get(A)?.state, 'running');
  });

  it('accepts a list immediately if a later event explains it', async () => {
    at.world.emit(['container', 'die', A], ['container', 'start', A], ['image', 'pull', 'web:1']);
    await at.pass(20);
    await at.world.until(() => asked().length === 1 && imageLists() === 1);
    at.world.emit(['container', 'start', B]);
    await at.clock.asleep(20);
    assert.deepEqual(at.clock.sleeping, [20]);
  });

  it('requests everything now on renew', async () => {
    at.world.containers.delete(A);
    at.world.images.clear();
    at.watcher.requests.renew();
    at.watcher.requests.renew();
    await at.until(() => at.inventory.images.size === 0 && !at.inventory.containers.has(A));
    assert.deepEqual([asked(), imageLists()], [[undefined], 1]);
  });

  it('counts an age from the time of the list', () => {
    const { ages } = at.inventory;
    assert.equal(container('a').status, 'Up 5 minutes');
    assert.equal(ages.get(A)?.latest, at.clock.now() - 5 * 60_000);
  });
});
