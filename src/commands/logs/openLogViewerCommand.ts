import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import { ProjectNode } from '../../views/containers/containerNode.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { containersOfRow, pickContainers, type NamedContainer } from '../frame/pickContainers.ts';
import { findContainerTarget, rowsByContext, targetName, targetTexts } from '../frame/targets.ts';

interface ViewerArguments {
  readonly id?: string;
  readonly ids?: readonly string[];
}

/** The containers of one viewer. */
interface Wanted {
  readonly containers: readonly NamedContainer[];
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
  accepts: (row) => containersOfRow(row).length > 0,
  pick: (contexts) => pickContainers(contexts, 'gantry.containers.openLogViewer'),
  failureTitle: l10n.t('Could not open the log viewer'),
  run: async (args, context, signal) => {
    const texts = targetTexts('gantry.containers.openLogViewer', args);
    checkCount(texts.length);
    const connection = await context.engine.connect(signal);
    const find = async (text: string): Promise<NamedContainer> => {
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
  const containers = nodes.flatMap(containersOfRow);
  const unique = [...new Map(containers.map((one) => [one.id, one])).values()];
  const isProject = nodes.length === 1 && only instanceof ProjectNode;
  return { containers: unique, project: isProject ? only.key : undefined };
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
