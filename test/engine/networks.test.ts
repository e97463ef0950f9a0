import assert from 'node:assert/strict';
import { judgeReach, type Reach } from '../../src/commands/networks/judgeReach.ts';
import { inspectContainer, listContainers } from '../../src/engine/containers/containers.ts';
import { startContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { InputError } from '../../src/engine/errors.ts';
import { isPredefinedNetwork, type Network } from '../../src/engine/model.ts';
import { networkMembers } from '../../src/engine/networks/networkMembers.ts';
import {
  connectNetwork,
  createNetwork,
  disconnectNetwork,
  listUse,
  removeNetwork,
} from '../../src/engine/networks/networkOperations.ts';
import { inspectNetwork, listNetworks } from '../../src/engine/networks/networks.ts';
import type { NetworkSpec } from '../../src/engine/networks/networkSpec.ts';
import { reachFacts } from '../../src/engine/networks/reachFacts.ts';
import { until } from '../bed/until.ts';
import { refusal, Site } from './support.ts';

describe('a network on a real engine', () => {
  const standing = new Site('default');
  /** A running container for all tests; each disconnects it again. */
  let sleeper: string;
  let site: Site;
  before(async () => {
    sleeper = await standing.sleeper();
  });
  beforeEach(() => (site = new Site('default')));
  afterEach(() => site.leave());
  after(() => standing.leave());

  const create = async (spec: Partial<NetworkSpec> = {}): Promise<Network> => {
    const whole = { name: site.name(), ...spec };
    const { id } = await createNetwork(site.connection, whole);
    return inspectNetwork(site.connection, site.ownsNetwork(id));
  };
  const namesOn = async ({ id }: Network): Promise<readonly string[]> => {
    const { networks, containers } = await listUse(site.connection);
    const network = networks.find((one) => one.id === id);
    assert(network);
    const members = networkMembers(network, containers, networks);
    return members.map(({ container }) => container.id).sort();
  };
  const connect = (network: Network, container: string, spec = {}) =>
    connectNetwork(site.connection, network.id, container, spec);
  const disconnect = (network: Network, container: string) =>
    disconnectNetwork(site.connection, network.id, container);
  const remove = (network: Network) => removeNetwork(site.connection, network.id);

  it('is created with its options, and listed with them', async () => {
    const network = await create({
      ...{ subnet: '10.97.4.0/24', gateway: '10.97.4.9', internal: true, attachable: true },
      ...{ driver: 'bridge', labels: { made: 'by a test' } },
    });
    assert.equal(network.driver, 'bridge');
    assert.deepEqual(network.subnets, [{ subnet: '10.97.4.0/24', gateway: '10.97.4.9' }]);
    assert.equal(network.isInternal, true);
    assert.deepEqual(network.labels, { made: 'by a test' });
    const listed = (await listNetworks(site.connection)).find(({ id }) => id === network.id);
    assert.deepEqual({ ...network, raw: undefined }, { ...listed, raw: undefined });
  });

  it('has IPv6 if its subnet is one', async () => {
    const { isIpv6, subnets } = await create({ subnet: 'fd00:97:5::/64' });
    assert.equal(isIpv6, true);
    assert(subnets.some(({ subnet }) => subnet === 'fd00:97:5::/64'));
  });

  it('is refused if its name is in use', async () => {
    const { name } = await create();
    const error = await refusal(createNetwork(site.connection, { name }));
    assert.equal(error.reason, 'conflict');
    assert.equal(error.engineMessage, `The network name "${name}" is already in use.`);
  });

  it('is refused if its subnet overlaps with another one', async () => {
    await create({ subnet: '10.97.6.0/24' });
    const overlapping = { name: site.name(), subnet: '10.97.6.128/25' };
    await refusal(createNetwork(site.connection, overlapping));
  });

  it('has the containers that were created on it, whether they ever ran or not', async () => {
    const network = await create();
    const body = { HostConfig: { NetworkMode: network.name } };
    const running = await site.sleeper({ body });
    const created = await site.create(['true'], { body });
    assert.deepEqual(await namesOn(network), [running, created].sort());
  });

  it('of the engine has the containers without a network of their own', async () => {
    const created = await site.create(['true']);
    const networks = await listNetworks(site.connection);
    const [usual] = networks.filter((one) => isPredefinedNetwork(one) && one.driver === 'bridge');
    assert.equal(usual?.name, site.isPodman ? 'podman' : 'bridge');
    const names = await namesOn(usual);
    assert(names.includes(sleeper) && names.includes(created));
  });

  it('takes a running container with an alias and a fixed address, and lets it go', async () => {
    const network = await create({ subnet: '10.97.7.0/24' });
    const spec = { aliases: ['db'], ip: '10.97.7.50' };
    assert.deepEqual(await connect(network, sleeper, spec), { outcome: 'connected' });
    const [listed] = await listContainers(site.connection, { ids: [sleeper] });
    const found = listed?.networks.find(({ name }) => name === network.name);
    assert.equal(found?.ip, '10.97.7.50');
    assert.deepEqual(await connect(network, sleeper), { outcome: 'alreadyConnected' });
    assert.deepEqual(await disconnect(network, sleeper), { outcome: 'disconnected' });
    assert.deepEqual(await namesOn(network), []);
    assert.deepEqual(await disconnect(network, sleeper), { outcome: 'alreadyDisconnected' });
  });

  it('takes a stopped container, which uses it from its next start', async () => {
    const network = await create();
    const id = await site.create(['sleep', '1000']);
    await connect(network, id);
    assert.deepEqual(await connect(network, id), { outcome: 'alreadyConnected' });
    await startContainer(site.connection, id);
    const { networks } = await inspectContainer(site.connection, id);
    assert.notEqual(networks.find(({ name }) => name === network.name)?.ip, undefined);
  });

  it('leaves a container startable that was to join a missing network', async () => {
    const id = await site.create(['sleep', '1000']);
    const missing = connectNetwork(site.connection, 'f'.repeat(64), id, {});
    assert.equal((await refusal(missing)).reason, 'notFound');
    await startContainer(site.connection, id);
  });

  it('rejects a missing container, and a fixed address of another network', async () => {
    const network = await create({ subnet: '10.97.8.0/24' });
    assert.equal((await refusal(connect(network, 'f'.repeat(64)))).reason, 'notFound');
    assert.equal((await refusal(disconnect(network, 'f'.repeat(64)))).reason, 'notFound');
    const id = await site.create(['true']);
    await assert.rejects(connect(network, id, { ip: '10.97.9.5' }), InputError);
    assert.deepEqual(await namesOn(network), []);
  });

  it('does not keep a container whose fixed address is refused', async () => {
    const name = site.name();
    const Config = [{ Subnet: '10.97.10.0/24', IPRange: '10.97.10.64/26' }];
    const path = '/networks/create';
    const body = { Name: name, CheckDuplicate: true, IPAM: { Config } };
    await site.connection.send({ method: 'POST', path, body });
    const network = (await listNetworks(site.connection)).find((one) => one.name === name);
    assert(network);
    site.ownsNetwork(network.id);
    const connected = await connect(network, sleeper, { ip: '10.97.10.5' }).then(
      () => true,
      () => false,
    );
    assert.deepEqual(await namesOn(network), connected ? [sleeper] : []);
    if (connected) await disconnect(network, sleeper);
  });

  for (const isRunning of [true, false]) {
    it(`is not removed while a ${isRunning ? 'running' : 'stopped'} container uses it`, async () => {
      const network = await create();
      const id = isRunning ? sleeper : await site.create(['true']);
      await connect(network, id);
      assert.equal((await refusal(remove(network))).reason, 'conflict');
      assert.deepEqual(await namesOn(network), [id]);
      await disconnect(network, id);
      assert.deepEqual(await remove(network), { outcome: 'removed' });
      assert.deepEqual(await remove(network), { outcome: 'alreadyGone' });
    });
  }

  it('of the engine is not removed', async () => {
    for (const network of await listNetworks(site.connection)) {
      if (isPredefinedNetwork(network)) {
        assert.equal((await refusal(remove(network))).reason, 'conflict', network.name);
      }
    }
  });
});

/** A container with busybox's web server on each of these addresses and ports. */
function serverOn(site: Site, network: string, ...places: readonly string[]): Promise<string> {
  const servers = places.map((place) => `httpd -p ${place}`);
  const command = ['sh', '-c', [...servers, 'exec sleep 1000'].join(' && ')];
  return site.run(command, { body: { HostConfig: { NetworkMode: network } } });
}

/** Returns the results of the checks, in their order. */
function resultsOf({ checks }: Reach): readonly (boolean | undefined)[] {
  return checks.map(({ ok }) => ok);
}

describe('the way between two containers on a real engine', function () {
  this.timeout(120_000);
  const site = new Site('default');
  const near = site.name();
  const far = site.name();
  /** A server for all tests, and a container on the same network. */
  let server: string;
  let peer: string;

  before(async () => {
    for (const name of [near, far])
      site.ownsNetwork((await createNetwork(site.connection, { name })).id);
    peer = await serverOn(site, near);
    server = await serverOn(site, near, '8080', '127.0.0.1:9090');
    await listens(site, server, 9090);
  });
  after(() => site.leave());

  const judge = async (from: string, to: string, port: number): Promise<Reach> =>
    judgeReach(await reachFacts(site.connection, from, to), port);

  it('is open to a port on which a process listens', async () => {
    const open = await judge(peer, server, 8080);
    // Podman 4 of the bed has no name server: a failed lookup is inconclusive.
    const { product, version = '' } = await site.connection.info();
    const hasNames = product === 'docker' || !version.startsWith('4.');
    const resolves = hasNames ? true : undefined;
    assert.deepEqual(resultsOf(open), [true, true, resolves, true]);
    assert.equal(open.isReachable, resolves);
    const local = await judge(peer, server, 9090);
    assert.deepEqual(resultsOf(local), [true, true, resolves, false]);
    assert.equal(local.isReachable, false);
    assert.match(local.checks[3]?.fix ?? '', /listens on 127\.0\.0\.1 only/);
    const nothing = await judge(peer, server, 7070);
    assert.match(nothing.checks[3]?.fix ?? '', /listens on port 7070\. Listening ports: 8080\.$/);
  });

  it('is closed without a shared network, or if one does not run', async () => {
    const stranger = await serverOn(site, far);
    assert.deepEqual(resultsOf(await judge(stranger, server, 8080)), [
      true,
      false,
      undefined,
      true,
    ]);
    const stopped = await site.create(['true']);
    const asked = await judge(stranger, stopped, 8080);
    assert.deepEqual(resultsOf(asked), [false, false, undefined, undefined]);
  });

  it('is open within one network stack, also to a process that listens on 127.0.0.1', async () => {
    const inside = await serverOn(site, `container:${server}`);
    assert.deepEqual(await judge(inside, server, 9090), {
      isReachable: true,
      checks: ['running', 'sharedNetwork', 'portListens'].map((name) => ({ name, ok: true })),
    });
  });
});

/** Waits until a process in the container listens. */
function listens(site: Site, id: string, port: number): Promise<unknown> {
  return until(async () => {
    const { sockets = [] } = await reachFacts(site.connection, id, id);
    return sockets.some((one) => one.port === port);
  }, `port ${port}`);
}
