import * as l10n from '@vscode/l10n';
import { COMPOSE_FILES } from '../../projects/composeFiles.ts';
import { pathKey } from '../../projects/projectOfFiles.ts';
import { projectOf, serviceOf } from '../../projects/projectLabels.ts';
import { isOverride, withOverride } from '../../projects/withOverride.ts';
import { ContainerNode } from '../../views/containers/containerNode.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import type { CommandId } from '../ui/ui.ts';
import { formatItemText, formatName } from '../ui/formatNames.ts';
import type { ComposeArguments } from './findRequest.ts';
import { listProjectsForUser, projectsOf, type ProjectArguments } from './projectTarget.ts';

/** The most compose files that are offered. */
const MOST_FILES = 100;

/**
 * Returns what the user chose: a file or a lens, the project or service of the row, if it is of this engine, or else a
 * project or compose file that the user picks. A compose file comes with its override file. Resolves to undefined if
 * the user cancels or there is nothing to choose.
 *
 * @param asked the command, for the title, and its rows.
 * @param given what the user chose where there is no row.
 */
export async function chooseCompose(
  context: CommandContext,
  asked: { readonly id: CommandId; readonly nodes: readonly TreeNode[] },
  given: ComposeArguments | undefined,
): Promise<ComposeArguments | undefined> {
  const chosen = given ?? (await chooseTarget(context, asked));
  const [file, ...others] = chosen?.files ?? [];
  if (file === undefined || others.length > 0) return chosen;
  return { ...chosen, files: await withOverride(file) };
}

async function chooseTarget(
  context: CommandContext,
  { id, nodes }: { readonly id: CommandId; readonly nodes: readonly TreeNode[] },
): Promise<ComposeArguments | undefined> {
  const own = nodes.filter(({ engine }) => engine === context.unit.id);
  const [row] = composeTargetsOf(own);
  if (row) {
    const { project, service } = row;
    return { project, ...(service !== undefined && { services: [service] }) };
  }
  const projects = (await listProjectsForUser(context)).filter(({ files }) => files.length > 0);
  const knownFiles = new Set(projects.flatMap(({ files }) => files.map(pathKey)));
  const files = (await context.ui.findFiles(COMPOSE_FILES, MOST_FILES)).filter(
    (file) => !knownFiles.has(pathKey(file)) && !isOverride(file),
  );
  const overrides = await context.window.worktrees();
  const items = [
    ...projects.map((one) => ({
      label: formatName(one.name),
      description: formatItemText(overrides.without(one.files).join(', ')),
      target: { project: one.name } as ComposeArguments,
    })),
    ...files.map((file) => ({ label: formatName(file), target: { files: [file] } })),
  ];
  if (items.length === 0) {
    context.ui.info(l10n.t('No compose file in the workspace.'));
    return undefined;
  }
  const placeholder = l10n.t('Select a project or compose file');
  const title = context.titleOf(context.ui.commandTitle(id) ?? '');
  return (await context.ui.pick({ title, placeholder, items, matchOnDescription: true }))?.target;
}

/** Returns whether a row is a project or a service, or the container of one. */
export function isComposeRow(row: TreeNode): boolean {
  return composeTargetsOf([row]).length > 0;
}

/** Returns the projects and services of rows, also of those of containers. */
export function composeTargetsOf(nodes: readonly TreeNode[]): readonly ProjectArguments[] {
  return [...projectsOf(nodes), ...nodes.flatMap(serviceOfRow)];
}

/** Returns the service of a container's row: a service with one container has no row of its own. */
function serviceOfRow(node: TreeNode): readonly ProjectArguments[] {
  const container = node instanceof ContainerNode ? node.container : undefined;
  const project = container && projectOf(container);
  const service = container && serviceOf(container);
  return project === undefined || service === undefined ? [] : [{ project, service }];
}
