import assert from 'node:assert/strict';
import {
  renameContainer,
  startContainer,
} from '../../../src/engine/containers/containerLifecycle.ts';
import { FaultProxy, type Passed, type WholeAnswer } from '../../bed/faultProxy.ts';
import { askWell } from '../../bed/http.ts';
import { describeOnDocker, Site } from '../support.ts';
import { nothingMoreThan, openThings, Rig } from './rig.ts';

const CONTAINERS = /^\/containers\/json$/;
const PING = /^\/_ping$/;
const MANY = 10_000;

describeOnDocker('handling engine faults', () => {
  let site: Site;
  let proxy: FaultProxy;
  let rig: Rig;
  let openBefore: ReturnType<typeof openThings>;
  /** The newest API version of the engine. */
  let version: string;

  before(async () => {
    site = new Site();
    const text = await askWell(site.facts.socket, 'GET', '/version');
    version = (JSON.parse(text) as { readonly ApiVersion: string }).ApiVersion;
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

  it('processes ten thousand events at once with few requests', async () => {
    const id = await site.create(['sleep', '1000']);
    await rig.live();
    const lists = proxy.count(CONTAINERS);
    // Each for a nonexistent container of its own, as if many were created and removed.
    proxy.inject(
      ...Array.from({ length: MANY }, (_, index) => ({
        Type: 'container',
        Action: 'create',
        Actor: { ID: String(index).padStart(64, '0') },
      })),
    );
    await startContainer(site.connection, id);
    await rig.until(
      () => rig.inventory.containers.get(id)?.state === 'running',
      'the container is shown as running',
    );
    assert(proxy.count(CONTAINERS) - lists < 20, `${proxy.count(CONTAINERS) - lists} lists`);
    await rig.isRight();
  });

  it('shows ten thousand containers, and updates a renamed one with a list request for it alone', async () => {
    const id = await site.create(['true']);
    proxy.fault(CONTAINERS, { kind: 'edit', edit: crowded }, Infinity);
    await rig.live();
    assert(rig.inventory.containers.size > MANY);
    // An image event of the last seconds is replayed, and triggers one more complete list.
    for (let renames = 0; renames < 3 && !isAskedForAlone(proxy, id); renames++) {
      const name = site.name();
      await renameContainer(site.connection, id, name);
      await rig.until(
        () => rig.inventory.containers.get(id)?.name === name,
        'the new name is shown',
      );
    }
    assert(isAskedForAlone(proxy, id));
    assert(rig.inventory.containers.size > MANY);
  });

  it('reconnects when the engine is replaced by another version', async () => {
    await rig.live();
    proxy.version = version;
    proxy.fault(PING, { kind: 'edit', edit: newer }, Infinity);
    proxy.cut();
    await rig.saysLost();
    await rig.isRight();
    const { phase } = rig.inventory;
    assert.equal(phase.kind === 'live' && phase.info.api, '1.44');
  });

  it('reconnects when the engine suddenly requires another API version', async () => {
    await rig.live();
    const words = 'client version 1.41 is too old. Minimum supported API version is 1.44';
    const refuse = (): WholeAnswer => ({
      status: 400,
      headers: { 'content-type': 'application/json', 'api-version': '1.44' },
      body: JSON.stringify({ message: words }),
    });
    proxy.version = version;
    proxy.fault(PING, { kind: 'edit', edit: newer }, Infinity);
    proxy.fault(CONTAINERS, { kind: 'edit', edit: refuse });
    const asked = proxy.next(CONTAINERS);
    rig.watcher.requests.renew();
    await asked;
    await rig.isRight();
  });

  it('detects the fault by a request that times out, although the event stream is silent', async () => {
    await rig.live();
    proxy.freeze();
    rig.limitMs = 300;
    const connection = await rig.engine.connect();
    await assert.rejects(connection.send({ method: 'GET', path: '/containers/json' }), {
      reason: 'timeout',
    });
    await rig.saysLost();
    const id = await site.create(['true']);
    rig.limitMs = undefined;
    proxy.thaw();
    await rig.isRight();
    assert(rig.inventory.containers.has(id));
  });

  it('reports nothing if the engine freezes and continues unnoticed', async () => {
    await rig.live();
    rig.phases.length = 0;
    proxy.freeze();
    const id = await site.create(['true']);
    proxy.thaw();
    await rig.until(() => rig.inventory.containers.has(id), 'the change is shown');
    assert.deepEqual(rig.phases, []);
    await rig.isRight();
  });

  it('recovers each of two windows on its own, and closing one does not affect the other', async () => {
    const other = new Rig(proxy.url);
    try {
      await Promise.all([rig.live(), other.live()]);
      proxy.cut();
      await Promise.all([rig.saysLost(), other.saysLost()]);
      await Promise.all([rig.isRight(), other.isRight()]);
      other.dispose();
      rig.phases.length = 0;
      const id = await site.create(['true']);
      await rig.until(() => rig.inventory.containers.has(id), 'the change is shown');
      assert.deepEqual(rig.phases, []);
    } finally {
      other.dispose();
    }
  });
});

/** Returns whether some list request was for this container, with at most the few others of the last seconds. */
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

/** Adds ten thousand containers to a list of all containers. */
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
