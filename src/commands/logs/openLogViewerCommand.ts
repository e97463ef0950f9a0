import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import { isUp, type Container } from '../../engine/model.ts';
import { projectOf } from '../../projects/projectLabels.ts';
import { ContainerNode, ProjectNode, ServiceNode } from '../../views/containers/containerNode.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { itemsOfEach } from '../frame/pickTarget.ts';
import {
  findContainerTarget,
  knownContainers,
  rowsByContext,
  targetName,
  targetTexts,
} from '../frame/targets.ts';

interface ViewerArguments {
  readonly id?: string;
  readonly ids?: readonly string[];
}

/** The containers of one viewer. */
interface Wanted {
  readonly containers: readonly { readonly id: string; readonly name: string }[];
  readonly project?: string;
}

/** Limited because each container's log is a separate request. */
const MOST_CONTAINERS = 50;

/** Opens the logs of containers in the log viewer, merged by time. */
export const openLogViewerCommand = (): PlainCommand<
  ViewerArguments,
  { readonly title: string }
> => ({
  id: 'gantry.containers.openLogViewer',
  schema: { id: { kind: 'text' }, ids: { kind: 'texts' } },
  selects: 'container',
  accepts: (row) => containersOf(row).length > 0,
  pick,
  failureTitle: l10n.t('Could not open the log viewer'),
  run: async (args, context, signal) => {
    const texts = targetTexts('gantry.containers.openLogViewer', args);
    checkCount(texts.length);
    const connection = await context.engine.connect(signal);
    const find = async (text: string): Promise<Wanted['containers'][number]> => {
      const target = await findContainerTarget(context, connection, text, signal);
      return { id: target.id, name: await targetName(target, connection, signal) };
    };
    return open({ containers: await Promise.all(texts.map(find)) }, context);
  },
  runInteractive: async (context, nodes) => {
    return openEach(nodes, context);
  },
});

function checkCount(count: number): void {
  if (count <= MOST_CONTAINERS) return;
  throw new InputError(
    l10n.t(
      'A log viewer shows up to {0} containers, but {1} are selected.',
      MOST_CONTAINERS,
      count,
    ),
  );
}

/**
 * Returns the containers of rows of one engine. A single project stays a project: containers that join it later
 * are added.
 */
function wantedOf(nodes: readonly TreeNode[]): Wanted {
  const [only] = nodes;
  const containers = nodes.flatMap(containersOf);
  const unique = [...new Map(containers.map((one) => [one.id, one])).values()];
  const isProject = nodes.length === 1 && only instanceof ProjectNode;
  return { containers: unique, project: isProject ? only.key : undefined };
}

function containersOf(node: TreeNode): Wanted['containers'] {
  if (node instanceof ContainerNode) {
    return [{ id: node.container.id, name: node.container.name }];
  }
  const isGroup = node instanceof ProjectNode || node instanceof ServiceNode;
  return isGroup ? node.containers.flatMap(containersOf) : [];
}

/**
 * Lets the user pick a project or a container. Resolves to undefined if the user cancels; shows a message if
 * there is no container.
 */
async function pick(contexts: readonly CommandContext[]): Promise<TreeNode | undefined> {
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
  const title = ui.commandTitle('gantry.containers.openLogViewer') ?? '';
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

/** A viewer has the logs of one engine: opens one for each. */
async function openEach(nodes: readonly TreeNode[], context: CommandContext) {
  const opened: { readonly title: string }[] = [];
  for (const [own, rows] of rowsByContext(nodes, context)) {
    const wanted = wantedOf(rows);
    if (wanted.containers.length > 0) opened.push(await open(wanted, own));
  }
  return opened[0];
}

function open({ containers, project }: Wanted, context: CommandContext) {
  checkCount(containers.length);
  const ids = containers.map(({ id }) => id);
  const names = containers.map(({ name }) => name);
  return context.openViewer({ ids, project }, names);
}
