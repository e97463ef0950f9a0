import type { Container, ContainerNetwork, Network } from '../model.ts';

/**
 * Returns those of some containers that are on a network, in their order.
 *
 * @param isKnown whether there is a network with this ID.
 */
export function membersAmong(
  network: Network,
  containers: Iterable<Container>,
  isKnown: (networkId: string) => boolean,
): readonly NetworkMember[] {
  return [...containers].flatMap((container) => {
    const connection = connectionTo(network, container.networks, isKnown);
    return connection ? [{ container, connection }] : [];
  });
}

export interface NetworkMember {
  readonly container: Container;
  readonly connection: ContainerNetwork;
}

/**
 * Finds the connection to a network among those of a container.
 *
 * Observed: Docker and Podman 5 report the network's ID, Podman 4 its name. Before the first start, Docker reports no
 * ID. After the network was removed and created again, a container of Docker that has not run since has the old ID,
 * and joins the network of that name. So the name counts unless the ID is that of another network: two networks of
 * Docker 20.10 can have the same name.
 *
 * @param isKnown whether there is a network with this ID.
 */
export function connectionTo(
  { id, name }: Pick<Network, 'id' | 'name'>,
  connections: readonly ContainerNetwork[],
  isKnown: (networkId: string) => boolean,
): ContainerNetwork | undefined {
  return connections.find(
    (one) => one.networkId === id || (one.name === name && !isKnown(one.networkId)),
  );
}
