import assert from 'node:assert/strict';
import { networkMembers } from '../../../../src/engine/networks/networkMembers.ts';
import { readNetwork } from '../../../../src/engine/networks/networks.ts';
import {
  isPredefinedNetwork,
  PODMAN_DEFAULT_ID,
  type Container,
  type Network,
} from '../../../../src/engine/model.ts';
import { container, idOf, network } from '../../inventory/support/nouns.ts';

const on = (letter: string, name: string, networkId: string): Container =>
  container(letter, { networks: [{ name, networkId }] });

const namesOn = (one: Network, containers: readonly Container[], all: readonly Network[] = [one]) =>
  networkMembers(one, containers, all).map((member) => member.container.name);

describe('engine/networks/networkMembers', () => {
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

  it("knows Podman's default network by the name that containers have for it", () => {
    const usual = readNetwork({ Id: PODMAN_DEFAULT_ID, Name: 'bridge', Driver: 'bridge' });
    assert(usual);
    assert.equal(usual.name, 'podman');
    assert.equal(isPredefinedNetwork(usual), true);
    assert.equal(isPredefinedNetwork(network('1', { name: 'podman' })), false);
    const containers = [on('a', 'podman', PODMAN_DEFAULT_ID), on('b', 'podman', 'podman')];
    assert.deepEqual(namesOn(usual, containers), ['a', 'b']);
  });
});
