import * as l10n from '@vscode/l10n';
import { ProjectNode, ServiceNode } from '../../views/containers/containerNode.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import { formatNames } from '../ui/formatNames.ts';
import type { CommandId, Ui } from '../ui/ui.ts';

/**
 * Asks before a command on rows is also on containers that the filter hides: the user may mean those that are shown.
 * Resolves to whether it may run.
 */
export async function confirmHidden(
  ui: Ui,
  id: CommandId,
  nodes: readonly TreeNode[],
): Promise<boolean> {
  const hidden = nodes.flatMap((node) =>
    node instanceof ProjectNode || node instanceof ServiceNode ? node.notFound : [],
  );
  if (hidden.length === 0) return true;
  const names = [...new Set(hidden.map(({ container }) => container.name))];
  return ui.confirm(
    l10n.t('{0} also for what the filter hides?', ui.commandTitle(id) ?? ''),
    l10n.t('Hidden: {0}', formatNames(names)),
    l10n.t('Continue'),
  );
}
