import * as l10n from '@vscode/l10n';
import { isPredefinedNetwork, isUp, type Container, type Network } from '../../engine/model.ts';
import { membersOf, type NetworkMember } from '../../inventory/membersOf.ts';
import { composeNameOf } from '../../projects/projectLabels.ts';
import { labelTexts, type FilterKey, type RowFacts } from '../arrangement/parseFilter.ts';
import { BUSY_ICON, containerIcon, usageIcon } from '../containers/containerCondition.ts';
import {
  formatContainerCount,
  formatDateTime,
  formatLine,
  formatVerb,
  joinParts,
  joinSpoken,
  shortId,
} from '../format.ts';
import {
  tooltipRows,
  type RenderContext,
  type RowPresentation,
  type TooltipRow,
} from '../rowPresentation.ts';

export function presentNetwork(
  network: Network,
  members: readonly { readonly container: Container }[],
  context: RenderContext,
): RowPresentation {
  const { activity } = context;
  const verb = activity.verbOf(network.id);
  const { title, project } = networkTitle(network);
  const users = members.map(({ container }) => container);
  const facts = [
    formatVerb(verb),
    project,
    formatMemberCount(members.length, network),
    network.subnets[0]?.subnet,
    // The networks `host` and `none` of Docker have drivers that add no information.
    network.driver === network.name || network.driver === 'null' ? '' : network.driver,
    network.isInternal ? l10n.t('internal') : '',
  ];
  return {
    label: title,
    description: joinParts(...facts),
    icon: verb === undefined ? usageIcon('type-hierarchy-sub', users, context) : BUSY_ICON,
    contextValue: contextOf(network, members.length),
    accessibilityLabel: joinSpoken(l10n.t('Network {0}', title), ...facts),
  };
}

/** Returns what filters know of a network. */
export function networkFacts(
  network: Network,
  { inventory, engineLabel = '' }: RenderContext,
): RowFacts {
  const { name, driver, labels, subnets } = network;
  const { title, project } = networkTitle(network);
  const users = membersOf(network, inventory).map(({ container }) => container.name);
  const states = [
    isPredefinedNetwork(network) ? 'predefined' : users.length > 0 ? 'used' : 'unused',
    ...(network.isInternal ? ['internal'] : []),
  ];
  const values: Partial<Record<FilterKey, readonly string[]>> = {
    state: states,
    network: [name, title],
    project: project === '' ? [] : [project],
    engine: [engineLabel],
  };
  return {
    words: () => [name, title, project, driver, ...subnets.map(({ subnet }) => subnet), ...users],
    values: (key) => (key === 'label' ? labelTexts(labels) : (values[key] ?? [])),
  };
}

export function networkTooltip(network: Network): readonly TooltipRow[] {
  const subnets = network.subnets.map(({ subnet, gateway }) =>
    gateway === undefined ? subnet : l10n.t('{0} (gateway {1})', subnet, gateway),
  );
  return tooltipRows(
    [l10n.t('Name'), network.name],
    [l10n.t('Project'), networkTitle(network).project],
    [l10n.t('Driver'), network.driver],
    [l10n.t('Subnets'), subnets.join(', ')],
    [l10n.t('Created'), formatDateTime(network.createdAt)],
    [l10n.t('ID'), shortId(network.id)],
  );
}

/** Returns the presentation of a container below its network: its name, address, and aliases. */
export function presentMember(
  { container, connection }: NetworkMember,
  aliases: readonly string[],
  context: RenderContext,
): RowPresentation {
  const { inventory } = context;
  const name = formatLine(container.name);
  const address = joinParts(connection.ip, connection.ip6);
  // Short: with a longer text, the aliases would be cut off in a narrow side bar.
  const missing = isUp(container) ? l10n.t('no address') : l10n.t('not running');
  const text = joinParts(address === '' ? missing : address, formatLine(aliases.join(', ')));
  const isLost = inventory.lostAt !== undefined;
  const wasOutOfMemory = inventory.outOfMemory.has(container.id);
  const wasStopped = inventory.stopped.has(container.id);
  return {
    label: name,
    description: text,
    icon: containerIcon({
      container,
      isLost,
      wasOutOfMemory,
      wasStopped,
      age: undefined,
      verb: undefined,
      now: context.now(),
    }),
    contextValue: `networkMember${address === '' ? '' : '.addressed'}${hostWord(connection)}`,
    accessibilityLabel: joinSpoken(l10n.t('Container {0}', name), text),
  };
}

/** Returns the name of a network in its compose project, and the project; otherwise its own name. */
export function networkTitle({ name, labels }: Network): {
  readonly title: string;
  readonly project: string;
} {
  const { project = '', name: own = name } = composeNameOf(labels, 'network');
  return { title: formatLine(own), project: formatLine(project) };
}

function contextOf(network: Network, members: number): string {
  if (isPredefinedNetwork(network)) return `network.predefined${hostWord(network)}`;
  return members > 0 ? 'network.used' : 'network.unused';
}

/** Containers can neither be connected to Docker's network `host` nor disconnected from it. */
function hostWord({ name }: { readonly name: string }): string {
  return name === 'host' ? '.host' : '';
}

function formatMemberCount(count: number, network: Network): string {
  if (count > 0) return formatContainerCount(count);
  return isPredefinedNetwork(network) ? '' : l10n.t('unused');
}
