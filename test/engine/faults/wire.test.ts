import assert from 'node:assert/strict';
import { stopContainer } from '../../../src/engine/containers/containerLifecycle.ts';
import type { Phase } from '../../../src/inventory/inventory.ts';
import { FaultProxy, type Fault, type WholeAnswer } from '../../bed/faultProxy.ts';
import { Site } from '../support.ts';
import { nothingMoreThan, openThings, Rig } from './rig.ts';

const CONTAINERS = /^\/containers\/json$/;
const IMAGES = /^\/images\/json$/;
const EVENTS = /^\/events$/;
const PING = /^\/_ping$/;
const IMPATIENT = { limits: { callMs: 300, pingMs: 300 }, hurry: 100 };

const isUnlisted = (phase: Phase): boolean => phase.kind === 'live' && phase.images !== undefined;

describe('a fault on the wire', () => {
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

  /** Something that the wire does not tell, so that only a new list can. */
  const changeUnheard = async (): Promise<void> => {
    await site.create(['true']);
  };

  describe('while it follows', () => {
    beforeEach(() => rig.live());

    const breaks: [what: string, act: () => unknown][] = [
      [
        'every connection is reset',
        () => {
          proxy.cut();
        },
      ],
      [
        'the event stream ends as if all were told',
        () => {
          proxy.endEvents();
        },
      ],
      [
        'the connection breaks in the middle of an event',
        () => {
          proxy.cutEvents('{"Type":"contai');
        },
      ],
      [
        'the connection breaks behind an event',
        () => {
          proxy.cutEvents('{"Type":"container"}\n');
        },
      ],
      [
        'what comes is no event',
        () => {
          proxy.cutEvents('Bad Gateway\n');
        },
      ],
    ];
    for (const [what, act] of breaks) {
      it(`is said and mended: ${what}`, async () => {
        proxy.freeze();
        await changeUnheard();
        act();
        proxy.thaw();
        await rig.saysLost();
        await rig.isRight();
      });
    }

    const answers: [what: string, match: RegExp, fault: Fault][] = [
      ['the containers are cut', CONTAINERS, { kind: 'cut', after: 40 }],
      ['the answer ends before it begins', CONTAINERS, { kind: 'cut', after: 0 }],
    ];
    for (const [what, match, fault] of answers) {
      it(`is said and mended: ${what}`, async () => {
        proxy.fault(match, fault);
        rig.watcher.renew();
        await rig.saysLost();
        await rig.isRight();
      });
    }

    it('is said of the images alone and mended: the images are cut', async () => {
      proxy.fault(IMAGES, { kind: 'cut', after: 40 });
      rig.watcher.renew();
      await rig.until(() => rig.phases.some(isUnlisted), 'it says that images are not listed');
      await rig.isRight();
      assert(!rig.phases.some(({ kind }) => kind === 'lost'));
    });

    it('is not even said where asking once more helps: a connection is closed as it is used', async () => {
      rig.watcher.renew();
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
      it(`is said and mended: nobody listens, the socket is ${file}, then made anew`, async () => {
        await proxy.down(file);
        await rig.saysLost();
        await changeUnheard();
        const lost = rig.inventory.phase;
        await rig.until(
          () => lost.kind === 'lost' && rig.inventory.containers.size > 0,
          'rows stay',
        );
        await proxy.up();
        await rig.isRight();
      });
    }

    it('is asked about once after the machine has slept, and no more', async () => {
      const [containers, images] = [proxy.count(CONTAINERS), proxy.count(IMAGES)];
      const asked = [proxy.next(CONTAINERS), proxy.next(IMAGES)];
      rig.watcher.renew();
      rig.watcher.renew();
      await Promise.all(asked);
      await rig.isRight();
      // One for us, and what `isRight` itself asks.
      const own = proxy.count(IMAGES) - images - 1;
      assert.equal(proxy.count(CONTAINERS) - containers - own, 1);
    });
  });

  it('does no harm when every byte comes alone', async () => {
    for (const match of [CONTAINERS, IMAGES, EVENTS, PING])
      proxy.fault(match, { kind: 'bytewise' }, Infinity);
    const id = await site.create(['true']);
    await rig.live();
    await rig.isRight();
    const other = await site.create(['true']);
    await rig.until(() => rig.inventory.containers.has(other), 'it heard');
    assert(rig.inventory.containers.has(id));
  });

  it('is heard of by the next session: an event that a list was too early for', async () => {
    await rig.live();
    const id = await site.sleeper();
    await rig.until(() => rig.inventory.containers.get(id)?.state === 'running', 'it runs');
    // The list after the break says what the engine says before it has saved the death.
    const list = { method: 'GET', path: '/containers/json', query: { all: true } } as const;
    const early = (await site.connection.send(list)).text;
    proxy.freeze();
    await stopContainer(site.connection, id, { timeoutSeconds: 0 });
    proxy.cut();
    proxy.fault(CONTAINERS, { kind: 'edit', edit: (answer) => ({ ...answer, body: early }) });
    proxy.thaw();
    await rig.saysLost();
    await rig.until(() => rig.inventory.containers.get(id)?.state === 'exited', 'it ended');
    await rig.isRight();
  });

  const forbidden = (): WholeAnswer => ({
    status: 403,
    headers: { 'content-type': 'text/html' },
    body: '<html><body><h1>403 Forbidden</h1></body></html>',
  });
  for (const [what, fault] of [
    ['refused', { kind: 'edit', edit: forbidden }],
    ['stalled for ever', { kind: 'stall', at: 'start' }],
  ] as const) {
    it(`is the matter of images alone, asked for few times: they are ${what}`, async () => {
      rig.dispose();
      // Of the lists those of the containers have to come in time.
      rig = new Rig(proxy.url, { ...IMPATIENT, limits: { callMs: 1000, pingMs: 1000 } });
      proxy.fault(IMAGES, fault, Infinity);
      await rig.live();
      await rig.until(() => rig.phases.some(isUnlisted), 'it says that images are not listed');
      const id = await site.create(['true']);
      await rig.until(() => rig.inventory.containers.has(id), 'it heard');
      // In the order of 0, 0.1, 0.3, 0.7 and 1.5 s, and each of them once again at most.
      assert(proxy.count(IMAGES) <= 10, `${proxy.count(IMAGES)} lists of images`);
      assert(!rig.phases.some(({ kind }) => kind === 'lost'));
      proxy.heal();
      rig.watcher.renew();
      await rig.isRight();
    });
  }

  for (const [what, match, at] of [
    ['the ping', PING, 'start'],
    ['the event stream', EVENTS, 'start'],
    ['the containers', CONTAINERS, 'start'],
    ['the containers, in the middle,', CONTAINERS, 40],
  ] as const) {
    it(`is found by a limit: ${what} stalled for ever`, async () => {
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
    });
  }
});
