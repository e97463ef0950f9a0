import * as l10n from '@vscode/l10n';
import { isUp, type Container } from '../../engine/model.ts';
import { projectOf } from '../../projects/projectLabels.ts';
import { ContainerNode, ProjectNode, ServiceNode } from '../../views/containers/containerNode.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { CommandId } from '../ui/ui.ts';
import type { CommandContext } from './commandContext.ts';
import { itemsOfEach } from './pickTarget.ts';
import { knownContainers } from './targets.ts';

/**
 * Lets the user pick a project or a container. Resolves to undefined if the user cancels; shows a message if
 * there is no container.
 */
export async function pickContainers(
  contexts: readonly CommandContext[],
  command: CommandId,
): Promise<TreeNode | undefined> {
  const [first] = contexts;
  if (!first) return undefined;
  const { ui, titleOf } = first;
  const items = await ui.progress(l10n.t('Loading containers'), 'late', (signal) =>
    itemsOfEach(contexts, async (context) => itemsOf(context, signal), signal),
  );
  if (items.length === 0) {
    ui.info(l10n.t('There are no containers.'));
    return undefined;
  }
  const title = ui.commandTitle(command) ?? '';
  const picked = await ui.pick({
    title: contexts.length === 1 ? titleOf(title) : title,
    placeholder: l10n.t('Select a container or project'),
    items,
    matchOnDescription: true,
  });
  return picked && 'node' in picked ? picked.node : undefined;
}

/** Returns the projects and the containers of an engine. */
async function itemsOf(context: CommandContext, signal: AbortSignal) {
  const { id } = context.unit;
  const known = await knownContainers(context, signal);
  const containers = known.toSorted((a, b) => a.name.localeCompare(b.name));
  const single = containers.map((one) => ({
    label: one.name,
    description: one.image,
    node: new ContainerNode(id, one, isUp(one)),
  }));
  return [...projectItems(containers, id), ...single];
}

function projectItems(containers: readonly Container[], engine: string) {
  const projects = Map.groupBy(containers, (one) => projectOf(one) ?? '');
  projects.delete('');
  return [...projects].map(([project, members]) => {
    const node = new ProjectNode(engine, project);
    for (const one of members) node.add(new ContainerNode(engine, one, isUp(one), node));
    return { label: project, description: l10n.t('project of {0}', members.length), node };
  });
}

/** Returns the containers of a row: of a project or a service, all of them. None for other rows. */
export function containersOfRow(node: TreeNode): readonly NamedContainer[] {
  if (node instanceof ContainerNode) {
    return [{ id: node.container.id, name: node.container.name }];
  }
  const isGroup = node instanceof ProjectNode || node instanceof ServiceNode;
  return isGroup ? node.containers.flatMap(containersOfRow) : [];
}

/** A container as a page or a log names it. */
export interface NamedContainer {
  readonly id: string;
  readonly name: string;
}
