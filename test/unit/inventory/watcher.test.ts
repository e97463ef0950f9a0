import assert from 'node:assert/strict';
import { ENGINE_TIME } from './support/fakeWorld.ts';
import { turn } from '../support/fakeClock.ts';
import { container, idOf } from './support/nouns.ts';
import { Watched } from './support/watched.ts';

const [A, B] = [idOf('a'), idOf('b')];
const LISTS = ['/containers/json', '/images/json'] as const;

describe('inventory/watcher: begins', () => {
  let at: Watched;

  beforeEach(async () => {
    at = await Watched.start();
  });

  afterEach(() => at.stop());

  it('asks nothing before it is started', async () => {
    at.watcher.renew();
    at.watcher.reconnect();
    await turn();
    assert.deepEqual([at.signals, at.changes], [[], []]);
    assert.equal(at.inventory.phase.kind, 'idle');
  });

  it('subscribes before it lists, from five seconds of the engine before', async () => {
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

  it('lists only when the engine has answered to the subscription', async () => {
    const events = at.world.hold('/events');
    at.watcher.start();
    await events.arrived;
    await turn();
    assert.deepEqual(at.world.asked(), []);
    events.release();
    await at.until(() => at.inventory.phase.kind === 'live');
  });

  it('says connecting at once, then the containers, and with the images that it is live', async () => {
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

  it('asks again for what happens during the list', async () => {
    const list = at.world.hold('/containers/json');
    at.watcher.start();
    await list.arrived;
    const heard = at.clock.looked();
    at.world.emit(['container', 'start', A]);
    await heard;
    list.release();
    await at.pass(20);
    await at.world.until(() => at.world.asked().length === 2);
    assert.deepEqual(at.world.asked(), [undefined, [A]]);
  });

  it('asks nothing while nothing happens', async () => {
    await at.live();
    const [before, pings] = [at.world.seen().length, at.world.engine.pings()];
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

  /** What was asked since it went live. */
  const asked = () => at.world.asked().slice(1);
  const imageLists = () => at.world.seen('/images/json').length - 1;
  const hasChanged = (id: string) => () => at.changes.some((change) => change.containers.has(id));

  it('makes one request for a burst, for just the containers in it', async () => {
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

  it('drops what is gone, and takes it back when it reappears', async () => {
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
    it(`asks for the container of "${action}", which Docker does not say`, async () => {
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
    it(`asks for the images once, and for nothing else, after a burst with "${action}"`, async () => {
      at.world.setImage('e', 'new:1');
      at.world.emit(['image', action, 'web:1'], ['image', action, `sha256:${idOf('e')}`]);
      await at.pass(20);
      await at.until(() => at.inventory.images.size === 2);
      assert.deepEqual([imageLists(), asked()], [1, []]);
    });
  }

  it('asks for the images after a commit, of which Podman tells no more', async () => {
    at.world.setImage('e', 'new:1');
    at.world.emit(['container', 'commit', A]);
    await at.pass(20);
    await at.until(() => at.inventory.images.size === 2);
    assert.deepEqual([imageLists(), asked()], [1, []]);
  });

  it('asks nothing for what no list shows', async () => {
    at.world.emit(
      ['container', 'kill', A],
      ['container', 'exec_create', A],
      ['image', 'push', 'web:1'],
      ['image', 'save', 'web:1'],
      ['volume', 'create', 'v'],
      // Comes after them, and shows that they were heard.
      ['container', 'start', B],
    );
    await at.pass(20);
    await at.world.until(() => asked().length > 0);
    assert.deepEqual([asked(), imageLists()], [[[B]], 0]);
  });

  it('asks again for the containers whose image got or lost a name', async () => {
    at.clock.pass(5000);
    at.world.setImage('f', 'web:2');
    at.world.setContainer('a', { Image: `sha256:${idOf('f')}` });
    at.world.emit(['image', 'tag', `sha256:${idOf('f')}`]);
    await at.pass(20);
    await at.pass(20);
    await at.until(hasChanged(A));
    assert.deepEqual(asked(), [[A, B]]);
  });

  it('asks again for all where a name may have changed between the first lists', async () => {
    at.world.emit(['image', 'tag', `sha256:${idOf('f')}`]);
    await at.pass(20);
    await at.pass(20);
    await at.world.until(() => asked().length === 1);
    assert.deepEqual(asked(), [undefined]);
  });

  it('never waits for the images to show a container', async () => {
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

  it('reads events while a list is under way, and asks for everything when they were many', async () => {
    const list = at.world.hold('/containers/json');
    at.world.emit(['container', 'start', A]);
    await at.pass(20);
    await list.arrived;
    const stream = at.world.streams[0]!;
    // Far more than the way there can hold: they are through only when somebody reads them.
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

  it('asks for up to a hundred by their ids', async () => {
    const ids = Array.from({ length: 100 }, (_, index) => String(index).padStart(64, '0'));
    at.world.emit(...ids.map((id) => ['container', 'start', id] as const));
    await at.pass(20);
    await at.world.until(() => asked().length === 1);
    assert.deepEqual(asked(), [ids]);
  });

  it('asks for all when an event names none', async () => {
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

  it('shows a pause that stays', async () => {
    at.world.setContainer('a', { State: 'paused', Status: 'Up 5 minutes (Paused)' });
    at.world.emit(['container', 'pause', A]);
    await at.pass(75);
    await at.until(hasChanged(A));
    assert.equal(at.inventory.containers.get(A)?.state, 'paused');
  });

  it('asks again, ever later, when the list does not know yet what the event said', async () => {
    at.world.emit(['container', 'die', A]);
    // An engine tells of a death before its list knows.
    await at.pass(85);
    await at.pass(25);
    await at.clock.asleep(50);
    at.world.setContainer('a', { State: 'exited', Status: 'Exited (0) 1 second ago' });
    at.clock.pass(50);
    await at.until(hasChanged(A));
    assert.deepEqual(asked(), [[A], [A], [A]]);
    assert.deepEqual(at.clock.sleeping, []);
  });

  it('does not forget a death that no list knows for a new name', async () => {
    at.world.emit(['container', 'die', A], ['container', 'rename', A]);
    await at.pass(20);
    await at.pass(25);
    await at.world.until(() => asked().length === 2);
    assert.deepEqual(asked(), [[A], [A]]);
  });

  it('believes a list that insists for half a minute: many that end at once take seconds', async () => {
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

  it('believes a list at once when another event has explained it', async () => {
    at.world.emit(['container', 'die', A], ['container', 'start', A], ['image', 'pull', 'web:1']);
    await at.pass(20);
    await at.world.until(() => asked().length === 1 && imageLists() === 1);
    at.world.emit(['container', 'start', B]);
    await at.clock.asleep(20);
    assert.deepEqual(at.clock.sleeping, [20]);
  });

  it('asks for everything at once when it is told to renew', async () => {
    at.world.containers.delete(A);
    at.world.images.clear();
    at.watcher.renew();
    at.watcher.renew();
    await at.until(() => at.inventory.images.size === 0 && !at.inventory.containers.has(A));
    assert.deepEqual([asked(), imageLists()], [[undefined], 1]);
  });

  it('counts an age from the moment the list came', () => {
    const { ages } = at.inventory;
    assert.equal(container('a').status, 'Up 5 minutes');
    assert.equal(ages.get(A)?.latest, at.clock.now() - 5 * 60_000);
  });
});
