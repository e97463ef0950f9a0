import * as l10n from '@vscode/l10n';
import { isTroubled, isUp } from '../../engine/model.ts';
import { isOfFolders } from '../../projects/fileAccess.ts';
import { readProjects, type Project } from '../../projects/project.ts';
import { withoutFinished } from '../../projects/projectLabels.ts';
import { countedParts } from '../../views/containers/presentProject.ts';
import { joinParts } from '../../views/format.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { formatName } from '../ui/formatNames.ts';
import type { CommandId } from '../ui/ui.ts';

/**
 * Lets the user pick a compose project of the workspace: those with trouble first, then by name. Does not ask if there
 * is one. Resolves to undefined if the user cancels or there is none.
 */
export async function pickWorkspaceProject(
  { ui, engines, choice }: Pick<CommandDependencies, 'ui' | 'engines' | 'choice'>,
  id: CommandId,
): Promise<{ readonly project: string; readonly engine: string } | undefined> {
  const folders = ui.workspaceFolders();
  const items = engines.all.flatMap((unit) => {
    const context = choice.ofEngine(unit.id);
    const own = [...unit.inventory.containers.values()].filter((one) => isOfFolders(one, folders));
    return context ? readProjects(own).map((project) => itemOf(project, context)) : [];
  });
  const [first, ...others] = items.sort((a, b) => a.rank - b.rank || compare(a.label, b.label));
  if (!first) {
    ui.info(l10n.t('The workspace has no compose project.'));
    return undefined;
  }
  if (others.length === 0) return first.target;
  const picked = await ui.pick({
    title: ui.commandTitle(id),
    placeholder: l10n.t('Select a project'),
    items,
    matchOnDescription: true,
  });
  return picked?.target;
}

function itemOf(project: Project, { unit, titleOf }: CommandContext) {
  const all = [...project.services.flatMap(({ containers }) => containers), ...project.oneOffs];
  const members = withoutFinished(all.map((container) => ({ container, isUp: isUp(container) })));
  const isBad = members.some(({ container }) => isTroubled(container));
  return {
    label: titleOf(formatName(project.name)),
    description: joinParts(...countedParts(members)),
    icon: isBad ? 'warning' : 'layers',
    rank: isBad ? 0 : 1,
    target: { project: project.name, engine: unit.id },
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
