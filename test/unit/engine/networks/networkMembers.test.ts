import assert from 'node:assert/strict';
import { memberFinder, networkMembers } from '../../../../src/engine/networks/networkMembers.ts';
import { listNetworks } from '../../../../src/engine/networks/networks.ts';
import {
  isPredefinedNetwork,
  PODMAN_DEFAULT_ID,
  type Container,
  type Network,
} from '../../../../src/engine/model.ts';
import { container, idOf, network } from '../../inventory/support/nouns.ts';
import { json } from '../../support/fakeEngine.ts';
import { openLab, type Lab } from '../../support/lab.ts';

const on = (letter: string, name: string, networkId: string): Container =>
  container(letter, { networks: [{ name, networkId }] });

const namesOn = (one: Network, containers: readonly Container[], all: readonly Network[] = [one]) =>
  networkMembers(one, containers, all).map((member) => member.container.name);

describe('engine/networks/networkMembers', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  const app = network('1', { name: 'app' });

  it('finds the containers by the ID of the network, and otherwise by its name', () => {
    const containers = [
      on('a', 'app', app.id),
      on('b', 'app', 'app'),
      on('c', 'app', ''),
      on('d', 'app', idOf('9')),
      on('e', 'other', idOf('2')),
      container('f'),
    ];
    assert.deepEqual(namesOn(app, containers), ['a', 'b', 'c', 'd']);
  });

  it('separates two networks of one name by their IDs', () => {
    const twin = network('2', { name: 'app' });
    const containers = [on('a', 'app', app.id), on('b', 'app', twin.id), on('c', 'app', '')];
    const all = [app, twin];
    assert.deepEqual(namesOn(app, containers, all), ['a', 'c']);
    assert.deepEqual(namesOn(twin, containers, all), ['b', 'c']);
  });

  it('looks at each container and network once, however many networks are asked for', () => {
    let looks = 0;
    const networks = Array.from({ length: 300 }, (_, at) => ({
      ...network('1', { name: `n${at}` }),
      get id() {
        looks++;
        return `id${at}`;
      },
    }));
    const containers = Array.from({ length: 300 }, (_, at) => ({
      ...container('a', { name: `c${at}` }),
      get networks() {
        looks++;
        return [{ name: `n${at}`, networkId: `id${at}` }];
      },
    }));
    const find = memberFinder(containers, networks);
    const found = networks.map((one) =>
      find(one)
        .map((member) => member.container.name)
        .join(),
    );
    assert.deepEqual(
      found,
      containers.map(({ name }) => name),
    );
    assert.ok(looks <= 2_000, String(looks));
  });

  it("knows Podman's default network by the name that containers have for it", async () => {
    const wire = { Id: PODMAN_DEFAULT_ID, Name: 'bridge', Driver: 'bridge' };
    const { connection } = await lab.fake((_, response) => json(response, 200, [wire]));
    const [usual] = await listNetworks(connection);
    assert(usual);
    assert.equal(usual.name, 'podman');
    assert.equal(isPredefinedNetwork(usual), true);
    assert.equal(isPredefinedNetwork(network('1', { name: 'podman' })), false);
    const containers = [on('a', 'podman', PODMAN_DEFAULT_ID), on('b', 'podman', 'podman')];
    assert.deepEqual(namesOn(usual, containers), ['a', 'b']);
  });
});
