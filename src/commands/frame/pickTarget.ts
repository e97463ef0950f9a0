import * as l10n from '@vscode/l10n';
import { isUp, type Container } from '../../engine/model.ts';
import { listNetworks } from '../../engine/networks/networks.ts';
import { listVolumes } from '../../engine/volumes/volumes.ts';
import { formatAge } from '../../inventory/age.ts';
import { ImageNode } from '../../views/images/imageNode.ts';
import { NetworkNode } from '../../views/networks/networkNode.ts';
import { ContainerNode } from '../../views/containers/containerNode.ts';
import type { TargetKind } from '../../views/treeNode.ts';
import { VolumeNode } from '../../views/volumes/volumeNode.ts';
import type { PlainCommand } from './command.ts';
import type { CommandContext } from './commandContext.ts';
import { formatItemText } from '../ui/formatNames.ts';
import { withHeading } from '../ui/askReference.ts';
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
import type { CommandId, PickItem } from '../ui/ui.ts';

/**
 * Lets the user pick a target of one of the engines, in one list. Resolves to undefined if the user cancels; shows a
 * message if there is no target.
 *
 * @param id the command that asks, for the title.
 * @param placeholder what to select, if the kind does not say it.
 * @throws EngineError if the targets of none of the engines can be listed.
 */
export async function pickTarget(
  contexts: readonly CommandContext[],
  id: CommandId,
  kind: TargetKind,
  fits?: TargetFilter,
  placeholder?: string,
): Promise<CommandTarget | undefined> {
  const [first] = contexts;
  if (!first) return undefined;
  const { ui, titleOf } = first;
  const { loading, none, select } = PICK_TEXTS[kind]();
  const items = await ui.progress(loading, 'late', (signal) =>
    itemsOfEach<TargetItem>(contexts, (context) => itemsOf(kind, context, fits, signal), signal),
  );
  if (items.length === 0) {
    ui.info(none);
    return undefined;
  }
  const title = ui.commandTitle(id);
  const picked = await ui.pick({
    title: contexts.length === 1 && title !== undefined ? titleOf(title) : title,
    placeholder: placeholder ?? select,
    items,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked && 'target' in picked ? picked.target : undefined;
}

/**
 * Returns what picks the row of a plain command without one; see {@link PlainCommand.pick}.
 *
 * @param id the command.
 */
export function pickRow(
  id: CommandId,
  kind: TargetKind,
  fits?: TargetFilter,
): Required<PlainCommand>['pick'] {
  return async (contexts) => {
    const target = await pickTarget(contexts, id, kind, fits);
    return target && rowOf(target);
  };
}

/** Returns a row for a target that was picked, which need not be in a view. */
function rowOf({ id, context, container, image, volume, network }: CommandTarget) {
  const engine = context.unit.id;
  if (container) return new ContainerNode(engine, container, isUp(container));
  if (image) return new ImageNode(engine, image, id === image.id ? undefined : id);
  if (volume) return new VolumeNode(engine, volume);
  return network && new NetworkNode(engine, network);
}

/**
 * Returns the items of several engines, each below the name of its engine. An engine that cannot be asked has an item
 * that says so.
 *
 * @throws the error of the first engine if none can be asked.
 */
export async function itemsOfEach<Item extends PickItem>(
  contexts: readonly CommandContext[],
  list: (context: CommandContext) => Promise<readonly Item[]>,
  signal: AbortSignal,
): Promise<readonly (Item | PickItem)[]> {
  const lists = await Promise.allSettled(contexts.map(list));
  signal.throwIfAborted();
  const [only] = lists;
  if (only?.status === 'rejected' && lists.every(({ status }) => status === 'rejected'))
    throw only.reason;
  return contexts.flatMap(({ unit }, at) => {
    const listed = lists[at];
    const label = l10n.t('not reachable');
    const gone: PickItem = { label, icon: 'warning', isDisabled: true };
    const items: readonly (Item | PickItem)[] =
      listed?.status === 'fulfilled' ? listed.value : [gone];
    return contexts.length > 1 ? withHeading(formatItemText(unit.name), items) : items;
  });
}

interface PickTexts {
  readonly loading: string;
  readonly none: string;
  readonly select: string;
}

const PICK_TEXTS: Readonly<Record<TargetKind, () => PickTexts>> = {
  container: () => ({
    loading: l10n.t('Loading containers'),
    none: l10n.t('No container is available for this command.'),
    select: l10n.t('Select a container'),
  }),
  image: () => ({
    loading: l10n.t('Loading images'),
    none: l10n.t('There are no images.'),
    select: l10n.t('Select an image'),
  }),
  volume: () => ({
    loading: l10n.t('Loading volumes'),
    none: l10n.t('There are no volumes.'),
    select: l10n.t('Select a volume'),
  }),
  network: () => ({
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
function stateOf(container: Container, { inventory }: CommandContext): string {
  const age = inventory.ages.get(container.id);
  if (!age) return container.status;
  return l10n.t('{0} · {1}', container.state, formatAge(age, Date.now()));
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
