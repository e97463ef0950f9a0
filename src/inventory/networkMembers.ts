import type { Network, NetworkMember } from '../engine/model.ts';
import { connectionTo } from '../engine/networks/networkMembers.ts';
import type { Inventory } from './inventory.ts';

/** Returns the containers on a network, running or not, by name. */
export function networkMembers(
  network: Network,
  inventory: Pick<Inventory, 'containers' | 'networks' | 'containersOnNetwork'>,
): readonly NetworkMember[] {
  const ids = [...inventory.containersOnNetwork(network.name)];
  const isKnown = (id: string): boolean => inventory.networks.entries.has(id);
  return ids
    .flatMap((id) => {
      const container = inventory.containers.get(id);
      const connection = container && connectionTo(network, container.networks, isKnown);
      return container && connection ? [{ container, connection }] : [];
    })
    .sort((a, b) => (a.container.name < b.container.name ? -1 : 1));
}
