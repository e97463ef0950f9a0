import * as l10n from '@vscode/l10n';
import { inspectContainer } from '../../engine/containers/containers.ts';
import { InputError } from '../../engine/errors.ts';
import type { ContainerNetwork } from '../../engine/model.ts';
import { connectionTo } from '../../engine/networks/membersAmong.ts';
import { listNetworks } from '../../engine/networks/networks.ts';
import type { PlainCommand } from '../frame/command.ts';
import { pickRow } from '../frame/pickTarget.ts';
import type { Ui } from '../ui/ui.ts';
import {
  askConnectedPairs,
  findPair,
  knownConnection,
  PAIR_SCHEMA,
  type NetworkPair,
  type PairArguments,
} from './networkPair.ts';

interface Copied {
  readonly outcome: 'copied';
}

/** Copies the address of a container on a network, or one line for each selected row. */
export const copyAddressCommand = (ui: Ui): PlainCommand<PairArguments, Copied> => ({
  id: 'gantry.networks.copyAddress',
  schema: PAIR_SCHEMA,
  selects: 'network',
  pick: pickRow('gantry.networks.copyAddress', 'network'),
  failureTitle: l10n.t('Could not copy the address'),
  run: async (args, context, signal) => {
    const pair = await findPair(args, context, signal);
    const connection = await context.engine.connect(signal);
    const [networks, { networks: connections }] = await Promise.all([
      listNetworks(connection, {}, signal),
      inspectContainer(connection, pair.container.id, signal),
    ]);
    const isKnown = (id: string): boolean => networks.some((one) => one.id === id);
    return copy([addressOf(pair, connectionTo(pair.network, connections, isKnown))], ui);
  },
  runInteractive: async (context, nodes) => {
    const pairs = await askConnectedPairs(nodes, context, 'gantry.networks.copyAddress');
    return (
      pairs &&
      copy(
        pairs.map((pair) => {
          const { network, container } = pair;
          const known = knownConnection(network, container.container, network.context);
          return addressOf(pair, known);
        }),
        ui,
      )
    );
  },
});

async function copy(addresses: readonly string[], ui: Ui): Promise<Copied> {
  await ui.copy(addresses.join('\n'));
  return { outcome: 'copied' };
}

function addressOf(
  { network, container }: NetworkPair,
  connection: ContainerNetwork | undefined,
): string {
  const address = connection?.ip ?? connection?.ip6;
  if (address !== undefined) return address;
  throw new InputError(
    connection
      ? l10n.t('{0} has no address on {1}. Start the container.', container.name, network.name)
      : l10n.t('{0} is not connected to {1}.', container.name, network.name),
  );
}
