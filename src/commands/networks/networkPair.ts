import * as l10n from '@vscode/l10n';
import type { Container, ContainerNetwork, Network } from '../../engine/model.ts';
import { connectionTo } from '../../engine/networks/membersAmong.ts';
import { MemberNode, NetworkNode } from '../../views/networks/networkNode.ts';
import { ContainerNode } from '../../views/containers/containerNode.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { ArgumentSchema } from '../ui/checkArguments.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import type { CommandId } from '../ui/ui.ts';
import { formatName } from '../ui/formatNames.ts';
import { pickTarget } from '../frame/pickTarget.ts';
import {
  containerTarget,
  findTarget,
  networkTarget,
  rowsByContext,
  type CommandTarget,
} from '../frame/targets.ts';

/** A network and a container of one engine, as commands on both accept them. */
export interface NetworkPair {
  readonly network: CommandTarget;
  readonly container: CommandTarget;
}

/** The argument that names a pair. */
export interface PairArguments {
  /** The network. */
  readonly id: string;
  readonly container: string;
}

export const PAIR_SCHEMA = {
  id: { kind: 'text', required: true },
  container: { kind: 'text', required: true },
} as const satisfies ArgumentSchema;

/** Finds the pair that an argument names. @throws InputError, AmbiguousError, EngineError. */
export async function findPair(
  { id, container }: PairArguments,
  context: CommandContext,
  signal: AbortSignal,
): Promise<NetworkPair> {
  const connection = await context.engine.connect(signal);
  const [network, found] = await Promise.all([
    findTarget('network', context, connection, id, signal),
    findTarget('container', context, connection, container, signal),
  ]);
  return { network, container: found };
}

/** Objects that rows represent. The row of a container below its network represents both. */
interface RowTargets {
  readonly networks: readonly CommandTarget[];
  readonly containers: readonly CommandTarget[];
  readonly pairs: readonly NetworkPair[];
}

/** Returns what rows represent, as far as they are of the engine of the context. */
export function targetsOfRows(nodes: readonly TreeNode[], context: CommandContext): RowTargets {
  const own = nodes.filter(({ engine }) => engine === context.unit.id);
  const networkOf = (network: Network): CommandTarget => networkTarget(network, context);
  const containerOf = (container: Container): CommandTarget => containerTarget(container, context);
  return {
    networks: own.flatMap((node) => (node instanceof NetworkNode ? networkOf(node.network) : [])),
    containers: own.flatMap((node) =>
      node instanceof ContainerNode ? containerOf(node.container) : [],
    ),
    pairs: own.flatMap((node) =>
      node instanceof MemberNode
        ? { network: networkOf(node.network.network), container: containerOf(node.container) }
        : [],
    ),
  };
}

/** Returns the connection of a container to a network, as far as it is known. */
export function knownConnection(
  network: Pick<Network, 'id' | 'name'>,
  container: Container | undefined,
  { inventory }: CommandContext,
): ContainerNetwork | undefined {
  const isKnown = (id: string): boolean => inventory.networks.entries.has(id);
  return container && connectionTo(network, container.networks, isKnown);
}

/**
 * Returns the connected pairs that rows represent, also those of several engines; otherwise lets the user pick the
 * other half, or both. Resolves to undefined if the user cancels.
 *
 * @param id the command, for the titles.
 */
export async function askConnectedPairs(
  nodes: readonly TreeNode[],
  context: CommandContext,
  id: CommandId,
): Promise<readonly NetworkPair[] | undefined> {
  const pairs = rowsByContext(nodes, context).flatMap(
    ([own, rows]) => targetsOfRows(rows, own).pairs,
  );
  if (pairs.length > 0) return pairs;
  const { networks, containers } = targetsOfRows(nodes, context);
  const [container] = containers;
  if (container) return askNetworkOf(container, context, id);
  const network = networks[0] ?? (await pickTarget([context], id, 'network'));
  if (!network) return undefined;
  const isOn = (one: Container): boolean => knownConnection(network, one, context) !== undefined;
  const picked = await pickTarget([context], id, 'container', isOn);
  return picked && [{ network, container: picked }];
}

/** Lets the user pick one of the networks that a container is on. */
async function askNetworkOf(
  container: CommandTarget,
  context: CommandContext,
  id: CommandId,
): Promise<readonly NetworkPair[] | undefined> {
  const { ui, engine } = context;
  const connections = container.container?.networks ?? [];
  if (connections.length === 0) {
    ui.info(l10n.t('{0} is not connected to a network.', container.name));
    return undefined;
  }
  const picked = await ui.pick({
    title: context.titleOf(l10n.t('{0}: {1}', ui.commandTitle(id) ?? '', container.name)),
    placeholder: l10n.t('Select a network'),
    items: connections.map(({ name, ip, ip6 }) => ({ label: name, description: ip ?? ip6, name })),
  });
  if (!picked) return undefined;
  // A container may not have the ID.
  const title = l10n.t('Inspecting {0}', formatName(picked.name));
  const network = await ui.progress(title, 'late', async (signal) =>
    findTarget('network', context, await engine.connect(signal), picked.name, signal),
  );
  return [{ network, container }];
}
