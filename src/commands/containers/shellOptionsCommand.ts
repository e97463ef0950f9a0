import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import type { Container } from '../../engine/model.ts';
import { projectOf, serviceOf } from '../../projects/projectLabels.ts';
import { findProject } from '../../projects/project.ts';
import { ContainerNode, ServiceNode } from '../../views/containers/containerNode.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { pickRow } from '../frame/pickTarget.ts';
import { findContainerTarget, knownContainers, targetName } from '../frame/targets.ts';
import { formatName } from '../ui/formatNames.ts';
import { openNotedShell } from './openNotedShell.ts';
import { ShellHistory } from './shellHistory.ts';
import { checkShellOptions, SHELL_SCHEMA, type OpenShellOptions } from './openShellOptions.ts';
import { showShellForm } from './showShellForm.ts';

const ID = 'gantry.containers.openShellWithOptions';

interface ShellArguments extends OpenShellOptions {
  readonly id: string;
}

interface Opened {
  readonly terminal: string;
}

/** Opens a shell in a running container as another user, in another folder, or with variables, which it asks for. */
export function shellOptionsCommand(): PlainCommand<ShellArguments, Opened> {
  const history = new ShellHistory();
  return {
    id: 'gantry.containers.openShellWithOptions',
    schema: { id: { kind: 'text', required: true }, ...SHELL_SCHEMA },
    selects: 'container',
    accepts: (row) => row instanceof ContainerNode || row instanceof ServiceNode,
    isForOne: true,
    pick: pickRow(ID, 'container', isRunning),
    failureTitle: l10n.t('Could not open a shell'),
    run: async ({ id: text, ...options }, context, signal) => {
      checkShellOptions(options);
      const connection = await context.engine.connect(signal);
      const target = await findContainerTarget(context, connection, text, signal);
      const name = await targetName(target, connection, signal);
      return openNotedShell({ id: target.id, name }, options, context, signal);
    },
    runInteractive: (context, nodes) => openAsked(context, nodes, history),
  };
}

function isRunning({ state }: Container): boolean {
  return state === 'running';
}

async function openAsked(
  context: CommandContext,
  [node]: readonly TreeNode[],
  history: ShellHistory,
): Promise<Opened | undefined> {
  const container = node && (await containerOf(node, context));
  if (!container) return undefined;
  const { ui, window } = context;
  const { name } = container;
  const key = JSON.stringify([projectOf(container), serviceOf(container) ?? name]);
  const { options: before, names } = history.last(window.memory, key);
  const options = await showShellForm(ui, formatName(name), before, names);
  if (!options) return undefined;
  await history.put(window.memory, key, options);
  const title = l10n.t('Opening a shell in {0}', formatName(name));
  return ui.progress(title, 'late', (signal) =>
    openNotedShell(container, options, context, signal),
  );
}

/** Returns the running container of a row; of a service, the one that the user picks. @throws InputError if none runs. */
async function containerOf(
  node: TreeNode,
  context: CommandContext,
): Promise<Container | undefined> {
  const known = await knownContainers(context);
  const { name, all } = membersOf(node, known);
  const [first, ...others] = all.filter(isRunning);
  if (!first) {
    throw new InputError(l10n.t('{0} is not running. Start it to open a shell.', formatName(name)));
  }
  if (others.length === 0) return first;
  const picked = await context.ui.pick({
    title: l10n.t('Open Shell'),
    placeholder: l10n.t('Select a container'),
    items: [first, ...others].map((one) => ({ label: formatName(one.name), container: one })),
  });
  return picked?.container;
}

/** Returns the containers of a row as they are now. */
function membersOf(
  node: TreeNode,
  known: readonly Container[],
): { readonly name: string; readonly all: readonly Container[] } {
  if (node instanceof ContainerNode) {
    const { container } = node;
    return {
      name: container.name,
      all: [known.find(({ id }) => id === container.id) ?? container],
    };
  }
  if (!(node instanceof ServiceNode)) return { name: '', all: [] };
  const project = findProject(known, node.project.key);
  const service = project?.services.find(({ name }) => name === node.key);
  return { name: node.key, all: service?.containers ?? [] };
}
