import * as l10n from '@vscode/l10n';
import type { Engines } from '../../engines/engines.ts';
import type { KnownWorktrees } from '../../projects/worktrees/knownWorktrees.ts';
import { ProjectNode } from '../../views/containers/containerNode.ts';
import type { Frame } from '../frame/commandDependencies.ts';
import { formatName } from '../ui/formatNames.ts';

/**
 * Offers to take down a project whose worktree is gone, if an engine has it. The question of Down follows: no volume is
 * selected in it, because the folder of a repository may have been moved, and its data be wanted.
 */
export function offerDown(
  project: string,
  { engines, knownWorktrees, ui, handlerOf }: OfferParts,
): void {
  const rows = engines.all
    .filter(({ inventory }) => {
      const containers = [...inventory.containers.values()];
      return containers.some((one) => knownWorktrees.projectOf(one) === project);
    })
    .map(({ id }) => new ProjectNode(id, project));
  if (rows.length === 0) return;
  ui.info(l10n.t('The worktree of {0} was removed.', formatName(project)), {
    title: l10n.t('Take Down...'),
    run: async () => (await handlerOf('gantry.projects.down'))(rows[0], rows),
  });
}

interface OfferParts extends Pick<Frame, 'ui' | 'handlerOf'> {
  readonly engines: Pick<Engines, 'all'>;
  readonly knownWorktrees: Pick<KnownWorktrees<unknown>, 'projectOf'>;
}
