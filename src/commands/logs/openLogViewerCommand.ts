import * as vscode from 'vscode';
import type { Connection } from '../../engine/http/connection.ts';
import { InputError } from '../../engine/errors.ts';
import type { Container } from '../../engine/model.ts';
import { ContainerNode, ProjectNode, type TreeNode } from '../../views/treeNode.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { showInfo } from '../notifications.ts';
import { formatItem } from '../displayText.ts';
import { findContainerTarget, knownContainers, targetName } from '../targets.ts';

const { l10n } = vscode;

interface ViewerArguments {
  readonly id?: string;
  readonly ids?: readonly string[];
}

/** The containers of one viewer. */
interface Wanted {
  readonly containers: readonly { readonly id: string; readonly name: string }[];
  readonly project?: string;
}

const PROJECT = 'com.docker.compose.project';
/** Each has a log of its own that is followed. */
const MOST_CONTAINERS = 50;

/** Opens containers' logs, merged by time, in the log viewer. */
export const openLogViewerCommand: PlainCommand<ViewerArguments, { readonly title: string }> = {
  id: 'gantry.containers.openLogViewer',
  schema: { id: { kind: 'text' }, ids: { kind: 'texts' } },
  selects: 'container',
  failureTitle: l10n.t('Could not open the log viewer'),
  run: async (args, context, signal) => {
    const texts = textsOf(args);
    const connection = await context.engine.connect(signal);
    const found = await Promise.all(texts.map((text) => find(text, context, connection, signal)));
    return open({ containers: found }, context);
  },
  runInteractive: async (context, nodes) => {
    const wanted = nodes.length > 0 ? wantedOf(nodes) : await pick(context);
    return wanted && wanted.containers.length > 0 ? open(wanted, context) : undefined;
  },
};

function textsOf({ id, ids }: ViewerArguments): readonly string[] {
  const { id: command } = openLogViewerCommand;
  if ((id === undefined) === (ids === undefined)) {
    throw new InputError(l10n.t('{0} needs either "id" or "ids".', command));
  }
  const texts = ids ?? [id ?? ''];
  if (texts.length === 0) throw new InputError(l10n.t('{0}: "ids" is empty.', command));
  if (texts.some((text) => text.trim() === '')) {
    throw new InputError(l10n.t('{0}: the id is empty.', command));
  }
  checkCount(texts.length);
  return texts;
}

function checkCount(count: number): void {
  if (count <= MOST_CONTAINERS) return;
  throw new InputError(
    l10n.t('A log viewer shows at most {0} containers, and these are {1}.', MOST_CONTAINERS, count),
  );
}

async function find(
  text: string,
  context: CommandContext,
  connection: Connection,
  signal: AbortSignal,
): Promise<Wanted['containers'][number]> {
  const target = await findContainerTarget(context, connection, text, signal);
  return { id: target.id, name: await targetName(target, connection, signal) };
}

/** One project stays one: containers that come later are part of it. */
function wantedOf(nodes: readonly TreeNode[]): Wanted {
  const [only] = nodes;
  const containers = nodes.flatMap(containersOf);
  const unique = [...new Map(containers.map((one) => [one.id, one])).values()];
  return nodes.length === 1 && only instanceof ProjectNode
    ? { containers: unique, project: only.project }
    : { containers: unique };
}

function containersOf(node: TreeNode): Wanted['containers'] {
  if (node instanceof ContainerNode) {
    return [{ id: node.container.id, name: node.container.name }];
  }
  return node instanceof ProjectNode ? node.children.flatMap(containersOf) : [];
}

/** Lets the person pick a project or a container. Undefined where they leave; a message where there is none. */
async function pick(context: CommandContext): Promise<Wanted | undefined> {
  const containers = [...(await knownContainers(context))];
  if (containers.length === 0) {
    showInfo(l10n.t('There is no container.'));
    return undefined;
  }
  containers.sort((a, b) => a.name.localeCompare(b.name));
  const single = containers.map((one) => ({
    label: one.name,
    description: one.image,
    wanted: { containers: [{ id: one.id, name: one.name }] },
  }));
  const items = [...projectItems(containers), ...single].map(formatItem);
  const placeHolder = l10n.t('Choose a container or a project');
  const picked = await vscode.window.showQuickPick(items, {
    placeHolder,
    matchOnDescription: true,
  });
  return picked?.wanted;
}

function projectItems(containers: readonly Container[]) {
  const projects = Map.groupBy(containers, (one) => one.labels[PROJECT] ?? '');
  projects.delete('');
  return [...projects].map(([project, members]) => ({
    label: project,
    description: l10n.t('project of {0}', members.length),
    wanted: { project, containers: members.map(({ id, name }) => ({ id, name })) },
  }));
}

function open({ containers, project }: Wanted, context: CommandContext) {
  checkCount(containers.length);
  const ids = containers.map(({ id }) => id);
  const names = containers.map(({ name }) => name);
  return context.openViewer({ ids, ...(project !== undefined && { project }) }, names);
}
