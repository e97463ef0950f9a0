import * as l10n from '@vscode/l10n';
import { inspectImage } from '../../engine/images/images.ts';
import type { TargetKind } from '../../views/treeNode.ts';
import type { TargetCall, TargetCommand } from '../frame/command.ts';
import { targetName } from '../frame/targets.ts';
import type { DetailsTarget } from '../frame/detailsTarget.ts';

type ShowCommand = TargetCommand<object, { readonly title: string }>;

/** The commands that open the details page, one for each kind. */
export const showDetailsCommands = (): readonly ShowCommand[] => [
  showCommand('gantry.containers.showDetails', 'container'),
  showCommand('gantry.images.showDetails', 'image'),
  showCommand('gantry.volumes.showDetails', 'volume'),
  showCommand('gantry.networks.showDetails', 'network'),
];

function showCommand(id: ShowCommand['id'], kind: TargetKind): ShowCommand {
  return {
    id,
    on: kind,
    isForOne: true,
    // The page itself shows the progress.
    progress: 'never',
    progressTitle: (name) => l10n.t('Loading the details of {0}', name),
    failureTitle: (name) => l10n.t('Could not show the details of {0}', name),
    run: async (call) => {
      const { context } = await call.target();
      return context.openDetails(await detailsTarget(kind, call));
    },
  };
}

/** An image is shown by its ID: a tag may be moved to another one. */
async function detailsTarget(kind: TargetKind, call: TargetCall<object>): Promise<DetailsTarget> {
  const target = await call.target();
  const { id, name, image } = target;
  if (kind === 'container' && !call.isInteractive)
    return { kind, id, name: await targetName(target, await call.connect(), call.signal) };
  if (kind !== 'image' || id.startsWith('sha256:')) return { kind, id, name };
  if (image) return { kind, id: image.id, name };
  return { kind, id: (await inspectImage(await call.connect(), id, call.signal)).id, name };
}
