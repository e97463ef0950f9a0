import type { Container, ContainerNetwork, Network } from '../engine/model.ts';
import type { Inventory } from './inventory.ts';

/** A container on a network, and its connection to it. */
export interface NetworkMember {
  readonly container: Container;
  readonly connection: ContainerNetwork;
}

/** Returns the containers on a network, running or not, by name. */
export function networkMembers(
  network: Network,
  inventory: Pick<Inventory, 'containers' | 'networks' | 'containersOnNetwork'>,
): readonly NetworkMember[] {
  const ids = [...inventory.containersOnNetwork(network.name)];
  return ids
    .flatMap((id) => {
      const container = inventory.containers.get(id);
      const connection = container?.networks.find((one) => isOn(one, network, inventory));
      return container && connection ? [{ container, connection }] : [];
    })
    .sort((a, b) => (a.container.name < b.container.name ? -1 : 1));
}

/**
 * Docker tells the ID of the network, also of one that was removed and created again since the container ran: such
 * a container joins the network of that name. Podman 4 tells the name.
 */
function isOn(
  { name, networkId }: ContainerNetwork,
  network: Network,
  { networks }: Pick<Inventory, 'networks'>,
): boolean {
  return name === network.name && (networkId === network.id || !networks.entries.has(networkId));
}
