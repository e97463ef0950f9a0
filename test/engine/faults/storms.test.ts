import assert from 'node:assert/strict';
import {
  renameContainer,
  startContainer,
} from '../../../src/engine/containers/containerLifecycle.ts';
import { english } from '../../../src/l10n.ts';
import { FaultProxy, type Passed, type WholeAnswer } from '../../bed/faultProxy.ts';
import { Site } from '../support.ts';
import { nothingMoreThan, openThings, Rig } from './rig.ts';

const CONTAINERS = /^\/containers\/json$/;
const PING = /^\/_ping$/;
const MANY = 10_000;
const IMPATIENT = { limits: { callMs: 300, pingMs: 300 } };

describe('a fault of an engine', () => {
  let site: Site;
  let proxy: FaultProxy;
  let rig: Rig;
  let openBefore: ReturnType<typeof openThings>;

  before(() => {
    site = new Site();
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

  it('loses nothing in ten thousand events at once, and asks little for them', async () => {
    const id = await site.create(['sleep', '1000']);
    await rig.live();
    const lists = proxy.count(CONTAINERS);
    // Each for a container of its own, which is not there: as of many that come and go.
    proxy.inject(
      ...Array.from({ length: MANY }, (_, index) => ({
        Type: 'container',
        Action: 'create',
        Actor: { ID: String(index).padStart(64, '0') },
      })),
    );
    await startContainer(site.connection, id);
    await rig.until(() => rig.inventory.containers.get(id)?.state === 'running', 'it runs');
    assert(proxy.count(CONTAINERS) - lists < 20, `${proxy.count(CONTAINERS) - lists} lists`);
    await rig.isRight();
  });

  it('shows ten thousand containers, and one change among them by one list of one', async () => {
    const id = await site.create(['true']);
    proxy.fault(CONTAINERS, { kind: 'edit', edit: crowded }, Infinity);
    await rig.live();
    assert(rig.inventory.containers.size > MANY);
    // An image event of the seconds before is told again, and asks for all of them once more.
    for (let renames = 0; renames < 3 && !isAskedForAlone(proxy, id); renames++) {
      const name = site.name();
      await renameContainer(site.connection, id, name, english);
      await rig.until(() => rig.inventory.containers.get(id)?.name === name, 'it is renamed');
    }
    assert(isAskedForAlone(proxy, id));
    assert(rig.inventory.containers.size > MANY);
  });

  it('follows an engine that another version takes the place of', async () => {
    await rig.live();
    proxy.version = '1.41';
    proxy.fault(PING, { kind: 'edit', edit: newer }, Infinity);
    proxy.cut();
    await rig.saysLost();
    await rig.isRight();
    const { phase } = rig.inventory;
    assert.equal(phase.kind === 'live' && phase.info.api, '1.44');
  });

  it('follows an engine that suddenly wants another version', async () => {
    await rig.live();
    const words = 'client version 1.41 is too old. Minimum supported API version is 1.44';
    const refuse = (): WholeAnswer => ({
      status: 400,
      headers: { 'content-type': 'application/json', 'api-version': '1.44' },
      body: JSON.stringify({ message: words }),
    });
    proxy.version = '1.41';
    proxy.fault(PING, { kind: 'edit', edit: newer }, Infinity);
    proxy.fault(CONTAINERS, { kind: 'edit', edit: refuse });
    const asked = proxy.next(CONTAINERS);
    rig.watcher.renew();
    await asked;
    await rig.isRight();
  });

  it('is noticed by a call that finds nobody, though the event stream says nothing', async () => {
    rig.dispose();
    rig = new Rig(proxy.url, IMPATIENT);
    await rig.live();
    proxy.freeze();
    const connection = await rig.engine.connect();
    await assert.rejects(connection.send({ method: 'GET', path: '/containers/json' }), {
      reason: 'timeout',
    });
    await rig.saysLost();
    const id = await site.create(['true']);
    proxy.thaw();
    await rig.isRight();
    assert(rig.inventory.containers.has(id));
  });

  it('of which nobody knows is none: it goes on where it stood still', async () => {
    await rig.live();
    rig.phases.length = 0;
    proxy.freeze();
    const id = await site.create(['true']);
    proxy.thaw();
    await rig.until(() => rig.inventory.containers.has(id), 'it heard');
    assert.deepEqual(rig.phases, []);
    await rig.isRight();
  });

  it('is the matter of each of two windows, and the end of one is nothing to the other', async () => {
    const other = new Rig(proxy.url);
    try {
      await Promise.all([rig.live(), other.live()]);
      proxy.cut();
      await Promise.all([rig.saysLost(), other.saysLost()]);
      await Promise.all([rig.isRight(), other.isRight()]);
      other.dispose();
      rig.phases.length = 0;
      const id = await site.create(['true']);
      await rig.until(() => rig.inventory.containers.has(id), 'it heard');
      assert.deepEqual(rig.phases, []);
    } finally {
      other.dispose();
    }
  });
});

/** Whether one list was of a container, and of at most what else happened in the seconds before. */
function isAskedForAlone(proxy: FaultProxy, id: string): boolean {
  return proxy.seen
    .filter(({ path }) => CONTAINERS.test(path))
    .map(({ query }) => idsIn(query))
    .some((ids) => ids.includes(id) && ids.length < 50);
}

function idsIn(query: URLSearchParams): readonly string[] {
  const filters = query.get('filters');
  return filters === null ? [] : (JSON.parse(filters) as { id: string[] }).id;
}

/** The same list with ten thousand more, where all are asked for. */
function crowded(answer: WholeAnswer, { query }: Passed): WholeAnswer {
  if (query.has('filters')) return answer;
  const more = Array.from({ length: MANY }, (_, index) => ({
    Id: String(index).padStart(64, 'f'),
    Names: [`/crowd-${index}`],
    Image: 'crowd:1',
    ImageID: `sha256:${'c'.repeat(64)}`,
    State: 'exited',
    Status: 'Exited (0) 2 hours ago',
    Created: 1_700_000_000,
  }));
  const body = JSON.stringify([...(JSON.parse(answer.body) as unknown[]), ...more]);
  return { ...answer, body };
}

function newer(answer: WholeAnswer): WholeAnswer {
  return { ...answer, headers: { ...answer.headers, 'api-version': '1.44' } };
}
