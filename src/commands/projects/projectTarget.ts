import * as l10n from '@vscode/l10n';
import { listContainersInPods } from '../../engine/containers/listContainersInPods.ts';
import { InputError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import type { Container } from '../../engine/model.ts';
import { findProject, readProjects, type Project } from '../../projects/project.ts';
import { ProjectNode, ServiceNode } from '../../views/containers/containerNode.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { ArgumentSchema } from '../ui/checkArguments.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import type { CommandId } from '../ui/ui.ts';
import { formatName } from '../ui/formatNames.ts';
import { itemsOfEach } from '../frame/pickTarget.ts';
import type { PlainCommand } from '../frame/command.ts';
import { knownContainers, rowsByContext } from '../frame/targets.ts';

/** A project, or one of its services, that a command works on. */
export interface ProjectTarget extends ProjectArguments {
  /** The context of its engine. */
  readonly context: CommandContext;
}

/** A project, or one of its services. */
export interface ProjectArguments {
  readonly project: string;
  readonly service?: string;
}

export const projectSchema: ArgumentSchema = {
  project: { kind: 'text', required: true },
  service: { kind: 'text' },
};

/** Asks the engine for a project. @throws InputError if there is no such project or service. */
export async function loadProject(
  connection: Connection,
  { project: name, service }: ProjectArguments,
  signal: AbortSignal,
): Promise<Project> {
  const project = findProject(await listContainersInPods(connection, signal), name);
  if (!project)
    throw new InputError(
      l10n.t('The project {0} does not exist on this engine.', formatName(name)),
    );
  if (service !== undefined && !project.services.some((one) => one.name === service)) {
    throw new InputError(
      l10n.t('The project {0} has no service {1}.', formatName(name), formatName(service)),
    );
  }
  return project;
}

/** Returns the containers of a project or of one of its services, but not one-off ones. */
export function targetContainers(
  { services }: Project,
  { service }: ProjectArguments,
): readonly Container[] {
  const wanted = services.filter(({ name }) => name === (service ?? name));
  return wanted.flatMap(({ containers }) => containers);
}

/** Returns the projects and services of rows of one engine; not a service whose project is among them. */
export function projectsOf(nodes: readonly TreeNode[]): readonly ProjectArguments[] {
  return nodes.flatMap((node): readonly ProjectArguments[] => {
    if (node instanceof ProjectNode) return [{ project: node.key }];
    if (!(node instanceof ServiceNode) || nodes.includes(node.project)) return [];
    return [{ project: node.project.key, service: node.key }];
  });
}

/** Returns the projects and services of the rows, each with its own engine. */
export function chooseProjects(
  context: CommandContext,
  nodes: readonly TreeNode[],
): readonly ProjectTarget[] {
  return rowsByContext(nodes, context).flatMap(([own, rows]) =>
    projectsOf(rows).map((one) => ({ ...one, context: own })),
  );
}

/**
 * Returns how a command accepts projects: of selected rows, or else one of several engines that the user picks. Shows a
 * message if there is no project.
 *
 * @param id the command.
 * @param isFitting whether the command applies to a project.
 */
export function onProjects(
  id: CommandId,
  isFitting: (project: Project) => boolean = () => true,
): Required<Pick<PlainCommand, 'selects' | 'accepts' | 'pick'>> {
  return {
    selects: 'container',
    accepts: (row) => row instanceof ProjectNode || row instanceof ServiceNode,
    pick: async (contexts) => {
      const [first] = contexts;
      if (!first) return undefined;
      const { ui, titleOf } = first;
      const items = await ui.progress(l10n.t('Loading projects'), 'late', (signal) =>
        itemsOfEach(
          contexts,
          async (context) => {
            const projects = readProjects(await knownContainers(context, signal));
            return projects.filter(isFitting).map((one) => projectItem(one, context));
          },
          signal,
        ),
      );
      if (items.length === 0) ui.info(l10n.t('There are no projects.'));
      if (items.length === 0) return undefined;
      const title = ui.commandTitle(id) ?? '';
      const picked = await ui.pick({
        title: contexts.length === 1 ? titleOf(title) : title,
        placeholder: l10n.t('Select a project'),
        items,
        matchOnDescription: true,
      });
      return picked && 'node' in picked ? picked.node : undefined;
    },
  };
}

function projectItem({ name, services }: Project, { unit }: CommandContext) {
  return {
    label: formatName(name),
    description: services.map((one) => one.name).join(', '),
    node: new ProjectNode(unit.id, name),
  };
}

/** Lists the known projects before the user is asked. The user can cancel that if it takes long. */
export async function listProjectsForUser(context: CommandContext): Promise<readonly Project[]> {
  return readProjects(await listContainersForUser(context));
}

/** Lists the known containers, as `listProjectsForUser` does the projects. */
export function listContainersForUser(context: CommandContext): Promise<readonly Container[]> {
  return context.ui.progress(l10n.t('Loading projects'), 'late', (signal) =>
    knownContainers(context, signal),
  );
}

/** Returns what to call them in a message. */
export function nameOf(targets: readonly ProjectArguments[]): string {
  const [only] = targets;
  return targets.length === 1 && only
    ? formatName(only.service ?? only.project)
    : l10n.t('{0} items', targets.length);
}
