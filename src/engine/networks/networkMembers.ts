import type { Container, Network } from '../model.ts';
import { membersAmong, type NetworkMember } from './membersAmong.ts';

/** Returns the containers on a network, running or not, in their order. */
export function networkMembers(
  network: Network,
  containers: Iterable<Container>,
  networks: Iterable<Pick<Network, 'id'>>,
): readonly NetworkMember[] {
  return memberFinder(containers, networks)(network);
}

/** Returns the same for any network. Looks at each container once, however many networks are asked for. */
export function memberFinder(
  containers: Iterable<Container>,
  networks: Iterable<Pick<Network, 'id'>>,
): (network: Network) => readonly NetworkMember[] {
  const ids = new Set([...networks].map(({ id }) => id));
  const all = [...containers];
  const users = new Map<string, Set<Container>>();
  for (const container of all)
    for (const { networkId, name } of container.networks)
      for (const key of [networkId, name])
        users.set(key, (users.get(key) ?? new Set()).add(container));
  const order = new Map(all.map((one, at) => [one, at]));
  const orderOf = (one: Container): number => order.get(one) ?? 0;
  return (network) => {
    const own = new Set([...(users.get(network.id) ?? []), ...(users.get(network.name) ?? [])]);
    const ordered = [...own].sort((a, b) => orderOf(a) - orderOf(b));
    return membersAmong(network, ordered, (id) => ids.has(id));
  };
}
