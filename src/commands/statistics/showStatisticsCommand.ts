import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import { ProjectNode, ServiceNode } from '../../views/containers/containerNode.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { containersOfRow, pickContainers, type NamedContainer } from '../frame/pickContainers.ts';
import { findContainerTarget, rowsByContext, targetName, targetTexts } from '../frame/targets.ts';

interface StatisticsArguments {
  readonly id?: string;
  readonly ids?: readonly string[];
}

/** The most containers of one page: more lines cannot be told apart. */
const MOST_CONTAINERS = 20;

/** Shows the statistics of containers as graphs, in one page for each engine. */
export const showStatisticsCommand = (): PlainCommand<
  StatisticsArguments,
  { readonly title: string }
> => ({
  id: 'gantry.containers.showStatistics',
  schema: { id: { kind: 'text' }, ids: { kind: 'texts' } },
  selects: 'container',
  accepts: (row) => containersOfRow(row).length > 0,
  pick: (contexts) => pickContainers(contexts, 'gantry.containers.showStatistics'),
  failureTitle: l10n.t('Could not show the statistics'),
  run: async (args, context, signal) => {
    const texts = targetTexts('gantry.containers.showStatistics', args);
    checkCount(texts.length);
    const connection = await context.engine.connect(signal);
    const find = async (text: string): Promise<NamedContainer> => {
      const target = await findContainerTarget(context, connection, text, signal);
      return { id: target.id, name: await targetName(target, connection, signal) };
    };
    return open(await Promise.all(texts.map(find)), {}, context);
  },
  runInteractive: async (context, nodes) => {
    const opened: { readonly title: string }[] = [];
    for (const [own, rows] of rowsByContext(nodes, context)) {
      const containers = rows.flatMap(containersOfRow);
      if (containers.length > 0) opened.push(await open(containers, groupOf(rows), own));
    }
    return opened[0];
  },
});

/** A single project or service stays one: containers that come later are added. */
function groupOf(rows: readonly TreeNode[]): Group {
  const [only, ...others] = rows;
  if (others.length > 0) return {};
  if (only instanceof ProjectNode) return { project: only.key };
  return only instanceof ServiceNode ? { project: only.project.key, service: only.key } : {};
}

interface Group {
  readonly project?: string;
  readonly service?: string;
}

function open(containers: readonly NamedContainer[], group: Group, context: CommandContext) {
  const unique = [...new Map(containers.map((one) => [one.id, one])).values()];
  if (group.project === undefined) checkCount(unique.length);
  const ids = group.project === undefined ? unique.map(({ id }) => id) : [];
  return context.openGraphs(
    { ids, ...group },
    unique.map(({ name }) => name),
  );
}

function checkCount(count: number): void {
  if (count <= MOST_CONTAINERS) return;
  throw new InputError(
    l10n.t(
      'The statistics page shows up to {0} containers, but {1} are selected.',
      MOST_CONTAINERS,
      count,
    ),
  );
}
