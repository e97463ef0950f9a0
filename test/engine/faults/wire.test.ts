import assert from 'node:assert/strict';
import { stopContainer } from '../../../src/engine/containers/containerLifecycle.ts';
import type { Phase } from '../../../src/inventory/phase.ts';
import { FaultProxy, type Fault, type WholeAnswer } from '../../bed/faultProxy.ts';
import { describeOnDocker, itOnDocker, Site } from '../support.ts';
import { nothingMoreThan, openThings, Rig } from './rig.ts';

const CONTAINERS = /^\/containers\/json$/;
const IMAGES = /^\/images\/json$/;
const EVENTS = /^\/events$/;
const PING = /^\/_ping$/;
const IMPATIENT = { limitMs: 300, hurry: 100 };

const isUnlisted = (phase: Phase): boolean => phase.kind === 'live' && phase.images !== undefined;

describe('a connection fault', () => {
  let site: Site;
  let proxy: FaultProxy;
  let rig: Rig;
  let openBefore: ReturnType<typeof openThings>;

  before(async () => {
    site = new Site();
    await site.sleeper();
  });

  after(() => site.leave());

  beforeEach(async () => {
    openBefore = openThings();
    proxy = await FaultProxy.start(site.facts.socket);
    rig = new Rig(proxy.url);
  });

  afterEach(async () => {
    rig.dispose();
    await proxy.stop();
    await nothingMoreThan(openBefore);
  });

  /** A change without an event, so that only a new list can show it. */
  const changeUnheard = async (): Promise<void> => {
    await site.create(['true']);
  };

  describeOnDocker('while events are followed', () => {
    beforeEach(() => rig.live());

    const breaks: [what: string, act: () => unknown][] = [
      ['every connection is reset', () => proxy.cut()],
      ['the event stream ends without an error', () => proxy.endEvents()],
      ['the connection breaks in the middle of an event', () => proxy.cutEvents('{"Type":"contai')],
      ['the connection breaks after an event', () => proxy.cutEvents('{"Type":"container"}\n')],
      [
        'the event stream contains a line that is not an event',
        () => proxy.cutEvents('Bad Gateway\n'),
      ],
    ];
    for (const [what, act] of breaks) {
      it(`is reported and recovered from: ${what}`, async () => {
        proxy.freeze();
        await changeUnheard();
        act();
        proxy.thaw();
        await rig.saysLost();
        await rig.isRight();
      });
    }

    const answers: [what: string, match: RegExp, fault: Fault][] = [
      ['the container list is cut', CONTAINERS, { kind: 'cut', after: 40 }],
      ['the response is cut before its first byte', CONTAINERS, { kind: 'cut', after: 0 }],
    ];
    for (const [what, match, fault] of answers) {
      it(`is reported and recovered from: ${what}`, async () => {
        proxy.fault(match, fault);
        rig.watcher.requests.renew();
        await rig.saysLost();
        await rig.isRight();
      });
    }

    it('is reported only for images and recovered from: the image list is cut', async () => {
      proxy.fault(IMAGES, { kind: 'cut', after: 40 });
      rig.watcher.requests.renew();
      await rig.until(
        () => rig.phases.some(isUnlisted),
        'the image list is reported as unavailable',
      );
      await rig.isRight();
      assert(!rig.phases.some(({ kind }) => kind === 'lost'));
    });

    it('is not reported if a retry succeeds: a connection is closed as it is used', async () => {
      rig.watcher.requests.renew();
      proxy.fault(CONTAINERS, { kind: 'reset' });
      const asked = proxy.next(CONTAINERS);
      await asked;
      await changeUnheard();
      await rig.isRight();
      assert.deepEqual(
        rig.phases.map(({ kind }) => kind),
        ['connecting', 'live'],
      );
    });

    for (const file of ['gone', 'left'] as const) {
      it(`is reported and recovered from: connection refused, socket file ${file === 'gone' ? 'removed' : 'kept'}, then created again`, async () => {
        await proxy.down(file);
        await rig.saysLost();
        await changeUnheard();
        const lost = rig.inventory.phase;
        await rig.until(
          () => lost.kind === 'lost' && rig.inventory.containers.size > 0,
          'the rows stay after the connection is lost',
        );
        await proxy.up();
        await rig.isRight();
      });
    }

    it('due to sleep of the machine leads to a single request per list', async () => {
      // Events of changes in earlier tests may be replayed; their requests have a filter by ID.
      const wholeLists = (): number =>
        proxy.seen.filter(({ path, query }) => CONTAINERS.test(path) && !query.has('filters'))
          .length;
      const containers = wholeLists();
      const images = proxy.count(IMAGES);
      const asked = [proxy.next(CONTAINERS), proxy.next(IMAGES)];
      rig.watcher.requests.renew();
      rig.watcher.requests.renew();
      await Promise.all(asked);
      await rig.isRight();
      // One by the watcher, and those by `isRight` itself.
      const own = proxy.count(IMAGES) - images - 1;
      assert.equal(wholeLists() - containers - own, 1);
    });
  });

  itOnDocker('does not occur if every byte arrives separately', async () => {
    for (const match of [CONTAINERS, IMAGES, EVENTS, PING])
      proxy.fault(match, { kind: 'bytewise' }, Infinity);
    const id = await site.create(['true']);
    await rig.live();
    await rig.isRight();
    const other = await site.create(['true']);
    await rig.until(() => rig.inventory.containers.has(other), 'the change is shown');
    assert(rig.inventory.containers.has(id));
  });

  it('does not lose an event whose effect the list after it does not contain yet', async () => {
    await rig.live();
    const id = await site.sleeper();
    await rig.until(
      () => rig.inventory.containers.get(id)?.state === 'running',
      'the container is shown as running',
    );
    // The list after the reconnect is what the engine returns before it has saved the exit.
    const list = { method: 'GET', path: '/containers/json', query: { all: true } } as const;
    const early = (await site.connection.send(list)).text;
    proxy.freeze();
    await stopContainer(site.connection, id, { timeoutSeconds: 0 });
    proxy.cut();
    proxy.fault(CONTAINERS, { kind: 'edit', edit: (answer) => ({ ...answer, body: early }) });
    proxy.thaw();
    await rig.saysLost();
    await rig.until(
      () => rig.inventory.containers.get(id)?.state === 'exited',
      'the container is shown as exited',
    );
    await rig.isRight();
  });

  const forbidden = (): WholeAnswer => ({
    status: 403,
    headers: { 'content-type': 'text/html' },
    body: '<html><body><h1>403 Forbidden</h1></body></html>',
  });
  for (const [what, fault] of [
    ['forbidden', { kind: 'edit', edit: forbidden }],
    ['stalled forever', { kind: 'stall', at: 'start' }],
  ] as const) {
    itOnDocker(`affects only images: their list is ${what}`, async () => {
      rig.dispose();
      rig = new Rig(proxy.url, { imagesMs: 300 });
      proxy.fault(IMAGES, fault, Infinity);
      await rig.live();
      await rig.until(
        () => rig.phases.some(isUnlisted),
        'the image list is reported as unavailable',
      );
      const id = await site.create(['true']);
      await rig.until(() => rig.inventory.containers.has(id), 'the change is shown');
      assert(!rig.phases.some(({ kind }) => kind === 'lost'));
      proxy.heal();
      rig.imagesMs = undefined;
      rig.watcher.requests.renew();
      await rig.isRight();
    });
  }

  for (const [what, match, at] of [
    ['the ping', PING, 'start'],
    ['the event stream', EVENTS, 'start'],
    ['the container list', CONTAINERS, 'start'],
    ['the container list', CONTAINERS, 40],
  ] as const) {
    itOnDocker(
      `is found by a timeout: ${what} stalls ${at === 'start' ? 'before the first byte' : 'in the middle'}`,
      async () => {
        rig.dispose();
        rig = new Rig(proxy.url, IMPATIENT);
        proxy.fault(match, { kind: 'stall', at }, Infinity);
        rig.watcher.start();
        await rig.saysLost();
        rig.dispose();
        proxy.heal();
        rig = new Rig(proxy.url);
        await rig.live();
        await rig.isRight();
      },
    );
  }
});
