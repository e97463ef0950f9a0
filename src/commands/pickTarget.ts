import type { Container } from '../engine/model.ts';
import { listNetworks } from '../engine/networks/networks.ts';
import { listVolumes } from '../engine/volumes/volumes.ts';
import { formatAge } from '../inventory/age.ts';
import type { L10n } from '../l10n.ts';
import type { TargetKind } from '../views/treeNode.ts';
import type { CommandContext } from './commandContext.ts';
import {
  containerTarget,
  imageTarget,
  knownContainers,
  knownImages,
  networkTarget,
  volumeTarget,
  type CommandTarget,
  type TargetFilter,
} from './targets.ts';
import type { PickItem } from './ui.ts';

/**
 * Lets the user pick a target. Resolves to undefined if the user cancels; shows a message if there is no
 * target.
 */
export async function pickTarget(
  context: CommandContext,
  kind: TargetKind,
  fits: TargetFilter,
): Promise<CommandTarget | undefined> {
  const { l10n } = context.ui;
  const { loading, none, select } = PICK_TEXTS[kind](l10n);
  const items = await context.ui.progress(loading, 'late', (signal) =>
    itemsOf(kind, context, fits, signal),
  );
  if (items.length === 0) {
    context.ui.info(none);
    return undefined;
  }
  const picked = await context.ui.pick({
    placeholder: select,
    items,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.target;
}

interface PickTexts {
  readonly loading: string;
  readonly none: string;
  readonly select: string;
}

const PICK_TEXTS: Readonly<Record<TargetKind, (l10n: L10n) => PickTexts>> = {
  container: (l10n) => ({
    loading: l10n.t('Loading containers'),
    none: l10n.t('No container is available for this command.'),
    select: l10n.t('Select a container'),
  }),
  image: (l10n) => ({
    loading: l10n.t('Loading images'),
    none: l10n.t('There are no images.'),
    select: l10n.t('Select an image'),
  }),
  volume: (l10n) => ({
    loading: l10n.t('Loading volumes'),
    none: l10n.t('There are no volumes.'),
    select: l10n.t('Select a volume'),
  }),
  network: (l10n) => ({
    loading: l10n.t('Loading networks'),
    none: l10n.t('There are no networks.'),
    select: l10n.t('Select a network'),
  }),
};

function itemsOf(
  kind: TargetKind,
  context: CommandContext,
  fits: TargetFilter,
  signal: AbortSignal,
): Promise<readonly TargetItem[]> {
  switch (kind) {
    case 'container':
      return containerItems(context, fits, signal);
    case 'image':
      return imageItems(context, signal);
    case 'volume':
      return volumeItems(context, signal);
    case 'network':
      return networkItems(context, signal);
  }
}

type TargetItem = PickItem & { readonly target: CommandTarget };

async function containerItems(
  context: CommandContext,
  fits: TargetFilter,
  signal: AbortSignal,
): Promise<readonly TargetItem[]> {
  const all = await knownContainers(context, signal);
  return all
    .filter((one) => !fits || fits(one))
    .sort((a, b) => a.name.localeCompare(b.name))
    .map((one) => ({
      label: one.name,
      description: stateOf(one, context),
      detail: one.image,
      target: containerTarget(one, context),
    }));
}

/**
 * Formats the state and how long it lasts. The engine's status text is only as recent as the list it came
 * with.
 */
function stateOf(container: Container, { inventory, ui }: CommandContext): string {
  const { l10n } = ui;
  const age = inventory.ages.get(container.id);
  if (!age) return container.status;
  return l10n.t('{0} · {1}', container.state, formatAge(age, Date.now(), l10n));
}

async function imageItems(
  context: CommandContext,
  signal: AbortSignal,
): Promise<readonly TargetItem[]> {
  const images = await knownImages(context, signal);
  return images
    .flatMap((image) =>
      (image.tags.length === 0 ? [undefined] : image.tags).map((tag) =>
        imageTarget(image, tag, context),
      ),
    )
    .sort((a, b) => a.name.localeCompare(b.name))
    .map((target) => ({
      label: target.name,
      description: (target.image?.id ?? '').slice(7, 19),
      target,
    }));
}

async function volumeItems(
  context: CommandContext,
  signal: AbortSignal,
): Promise<readonly TargetItem[]> {
  const volumes = await listVolumes(await context.engine.connect(signal), {}, signal);
  return volumes
    .map((volume) => volumeTarget(volume, context))
    .sort((a, b) => a.name.localeCompare(b.name))
    .map((target) => ({ label: target.name, description: target.volume?.driver, target }));
}

async function networkItems(
  context: CommandContext,
  signal: AbortSignal,
): Promise<readonly TargetItem[]> {
  const networks = await listNetworks(await context.engine.connect(signal), {}, signal);
  return networks
    .map((network) => networkTarget(network, context))
    .sort((a, b) => a.name.localeCompare(b.name))
    .map((target) => ({ label: target.name, description: target.network?.driver, target }));
}
