import * as l10n from '@vscode/l10n';
import { isTemporaryContainer } from '../../engine/images/temporaryMarks.ts';
import type { Container, Network, Subnet } from '../../engine/model.ts';
import { memberAliases } from '../../engine/networks/memberAliases.ts';
import type { NetworkMember } from '../../engine/networks/membersAmong.ts';
import { memberFinder } from '../../engine/networks/networkMembers.ts';
import { listUse } from '../../engine/networks/networkOperations.ts';
import { inspectNetwork } from '../../engine/networks/networks.ts';
import { PROJECT } from '../../projects/projectLabels.ts';
import type { PlainCommand, TargetCommand } from '../frame/command.ts';
import { mapConcurrently } from '../../base/mapConcurrently.ts';

/** A network as commands return it. */
interface ListedNetwork {
  readonly id: string;
  readonly name: string;
  readonly driver: string;
  readonly subnets: readonly Subnet[];
  readonly isInternal: boolean;
  /** The compose project that it belongs to. */
  readonly project?: string;
  /** The containers on it, running or not. */
  readonly members: readonly ListedMember[];
}

interface ListedMember {
  readonly id: string;
  readonly name: string;
  /** Only while it is up. */
  readonly ip?: string;
}

interface InspectedNetwork extends ListedNetwork {
  readonly members: readonly (ListedMember & { readonly aliases: readonly string[] })[];
  /** The response of the engine. */
  readonly raw: unknown;
}

/** Lists networks with the containers on them. Always asks the engine. */
export const listNetworksCommand = (): PlainCommand<object, readonly ListedNetwork[]> => ({
  id: 'gantry.networks.list',
  schema: {},
  failureTitle: l10n.t('Could not list the networks'),
  run: async (_args, { engine }, signal) => {
    const { networks, containers } = await listUse(await engine.connect(signal), signal);
    const find = findMembers(containers, networks);
    return networks.map((network) => listed(network, find(network)));
  },
});

/** Maximum number of containers to inspect concurrently. */
const AT_ONCE = 6;

/** Returns a network with the aliases of its containers, and shows it to the user as a read-only document. */
export const inspectNetworkCommand = (): TargetCommand<object, InspectedNetwork> => ({
  id: 'gantry.networks.inspect',
  on: 'network',
  progressTitle: (name) => l10n.t('Inspecting {0}', name),
  failureTitle: (name) => l10n.t('Could not inspect {0}', name),
  run: async (call) => {
    const { id, context } = await call.target();
    const { signal } = call;
    const connection = await call.connect();
    const [{ raw, ...network }, { networks, containers }] = await Promise.all([
      inspectNetwork(connection, id, signal),
      listUse(connection, signal),
    ]);
    const members = findMembers(containers, networks)(network);
    const withAliases = await mapConcurrently(AT_ONCE, members, async (member) => ({
      ...listedMember(member),
      aliases: await memberAliases(connection, member, signal),
    }));
    const found = { ...listed(network, members), members: withAliases, raw };
    if (call.isInteractive)
      await context.ui.showJson(context.unit.id, 'network', network.name, found);
    return found;
  },
});

function findMembers(
  containers: readonly Container[],
  networks: readonly Network[],
): (network: Network) => readonly NetworkMember[] {
  const shown = containers.filter((one) => !isTemporaryContainer(one));
  return memberFinder(shown, networks);
}

function listed(network: Network, members: readonly NetworkMember[]): ListedNetwork {
  const { id, name, driver, subnets, isInternal, labels } = network;
  const project = labels[PROJECT];
  return {
    id,
    name,
    driver,
    subnets,
    isInternal,
    ...(project !== undefined && { project }),
    members: members.map(listedMember),
  };
}

function listedMember({ container: { id, name }, connection }: NetworkMember): ListedMember {
  const ip = connection.ip ?? connection.ip6;
  return { id, name, ...(ip !== undefined && { ip }) };
}
