import type { Network } from '../engine/model.ts';
import { membersAmong, type NetworkMember } from '../engine/networks/membersAmong.ts';
import type { Inventory } from './inventory.ts';

export type { NetworkMember };

/** Returns the containers on a network, running or not, by name. */
export function membersOf(
  network: Network,
  inventory: Pick<Inventory, 'containers' | 'networks' | 'containersOnNetwork'>,
): readonly NetworkMember[] {
  const ids = [...inventory.containersOnNetwork(network.name)];
  const containers = ids.flatMap((id) => inventory.containers.get(id) ?? []);
  const { entries } = inventory.networks;
  return membersAmong(network, containers, (id) => entries.has(id)).toSorted((a, b) =>
    a.container.name < b.container.name ? -1 : 1,
  );
}
