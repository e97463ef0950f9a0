import * as l10n from '@vscode/l10n';
import {
  imageResource,
  volumeResource,
  type DownPlan,
  type KeptResource,
} from '../../projects/downPlan.ts';
import { isUp } from '../../engine/model.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatItemText, formatName, formatNames } from '../ui/formatNames.ts';
import type { PickItem } from '../ui/ui.ts';

/**
 * Shows what will be removed and what stays, and lets the user choose volumes and images. Resolves to what to
 * remove; undefined if the user cancels.
 *
 * @param name what is taken down, with its engine if there are several.
 */
export async function askDown(
  name: string,
  plan: DownPlan,
  context: CommandContext,
): Promise<DownPlan | undefined> {
  const chosen = await chooseMore(name, plan, context);
  if (!chosen) return undefined;
  const agreed = {
    ...plan,
    volumes: plan.volumes.filter((one) => chosen.has(one)),
    images: plan.images.filter((one) => chosen.has(one)),
  };
  const question = l10n.t('Take down {0}?', name);
  const isSure = await context.ui.confirm(question, detailOf(agreed), l10n.t('Take Down'));
  // The user knows what stays: it is no failure.
  return isSure ? { ...agreed, kept: [] } : undefined;
}

/** Resolves to the volumes and images to remove; undefined if the user cancels. */
async function chooseMore(
  name: string,
  plan: DownPlan,
  context: CommandContext,
): Promise<ReadonlySet<object> | undefined> {
  if (plan.volumes.length + plan.images.length === 0) return new Set();
  const items: readonly (PickItem & { readonly one?: object })[] = [
    ...plan.volumes.map((one) => ({
      label: formatItemText(volumeResource(one).name),
      description: l10n.t('volume'),
      one,
    })),
    ...plan.images.map((one) => ({
      label: formatItemText(imageResource(one).name),
      description: l10n.t('image'),
      one,
    })),
  ];
  const picked = await context.ui.pickMany({
    title: () => l10n.t('Take Down {0}', name),
    placeholder: l10n.t('Select volumes and images to also remove'),
    items,
    isChecked: () => false,
  });
  return picked && new Set(picked.flatMap(({ one }) => one ?? []));
}

/** Consequences first. */
function detailOf(plan: DownPlan): string {
  const namesOf = (all: readonly { readonly name: string }[]): string =>
    formatNames(all.map(({ name }) => name));
  const { networks, volumes, images, kept } = plan;
  const containers = plan.containers.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const running = containers.filter(isUp);
  const lines = [
    running.length > 0 ? l10n.t('Running containers to stop: {0}.', namesOf(running)) : '',
    containers.length > 0
      ? l10n.t('Data inside the containers is lost unless it is in a volume or bind mount.')
      : '',
    volumes.length > 0
      ? l10n.t('All files in these volumes are deleted: {0}.', namesOf(volumes))
      : '',
    containers.length > 0 ? l10n.t('Containers to remove: {0}.', namesOf(containers)) : '',
    networks.length > 0 ? l10n.t('Networks to remove: {0}.', namesOf(networks)) : '',
    images.length > 0 ? l10n.t('Images to remove: {0}.', namesOf(images.map(imageResource))) : '',
    // Volumes and images that are not offered stay anyway.
    ...kept.filter(({ kind }) => kind !== 'image').map((one) => staysMessage(one)),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

function staysMessage({ name, users }: KeptResource): string {
  return l10n.t('{0} is kept: used by {1}.', formatName(name), formatNames(users, 3));
}
