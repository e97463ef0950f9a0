import type { Connection } from '../engine/http/connection.ts';
import { inspectContainer, listContainers } from '../engine/containers/containers.ts';
import { InputError } from '../engine/errors.ts';
import { listImages } from '../engine/images/images.ts';
import type { Container, Image } from '../engine/model.ts';
import { parseReference } from '../engine/options/reference.ts';
import { isFullId, resolveContainer, resolveImage } from '../engine/resolveTarget.ts';
import { formatAge } from '../inventory/age.ts';
import { ImageNode } from '../views/images/imageNode.ts';
import { ContainerNode, type TreeNode } from '../views/treeNode.ts';
import type { L10n } from '../l10n.ts';
import type { CommandId } from './commandIds.ts';
import type { CommandContext } from './context.ts';
import type { PickItem } from './ui.ts';

/** A container or image that a command works on. */
export interface CommandTarget {
  /** The full ID of a container. For an image, its reference, or its ID if there is none. */
  readonly id: string;
  /** The name to show to the user. */
  readonly name: string;
  /** The context of its engine. */
  readonly context: CommandContext;
  readonly container?: Container;
  readonly image?: Image;
}

/** Whether a command applies to a container in its current state. If undefined, it always applies. */
export type TargetFilter = ((container: Container) => boolean) | undefined;

/** Returns the targets in an argument that has either `id` or `ids`. @throws InputError. */
export function targetTexts(
  command: CommandId,
  { id, ids }: { readonly id?: string; readonly ids?: readonly string[] },
  l10n: L10n,
): readonly string[] {
  if ((id === undefined) === (ids === undefined)) {
    throw new InputError(l10n.t('{0}: set either "id" or "ids".', command));
  }
  const texts = ids ?? [id ?? ''];
  if (texts.length === 0) throw new InputError(l10n.t('{0}: "ids" is empty.', command));
  if (texts.some((text) => text.trim() === '')) {
    throw new InputError(l10n.t('{0}: the ID is empty.', command));
  }
  return texts;
}

/** Finds a container by ID, ID prefix or name. @throws InputError, AmbiguousError, EngineError. */
export async function findContainerTarget(
  context: CommandContext,
  connection: Connection,
  text: string,
  signal: AbortSignal,
): Promise<CommandTarget> {
  if (isFullId(text)) {
    const known = context.inventory.containers.get(text);
    const name = known?.name ?? text.slice(0, 12);
    return { id: text, name, context, container: known };
  }
  if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(text)) {
    throw new InputError(context.ui.l10n.t('"{0}" is not a container name or ID.', text));
  }
  const { id, name } = await resolveContainer(connection, text, signal);
  return { id, name, context };
}

/** Finds an image by ID, ID prefix or reference. @throws InputError, AmbiguousError, EngineError. */
export async function findImageTarget(
  context: CommandContext,
  connection: Connection,
  text: string,
  signal: AbortSignal,
): Promise<CommandTarget> {
  const isId = /^(?:sha256:)?[0-9a-f]{1,64}$/.test(text);
  if (!isId && !parseReference(text).ok) {
    throw new InputError(context.ui.l10n.t('"{0}" is not an image name or ID.', text));
  }
  const digits = text.replace(/^sha256:/, '');
  // As with a container, a full ID is not looked up, so that Remove does not fail if the image is already gone.
  if (isFullId(digits)) {
    return { id: `sha256:${digits}`, name: digits.slice(0, 12), context };
  }
  const image = await resolveImage(connection, text, signal);
  // The ID if the caller gave one, otherwise the reference: removing a tag is not removing the image.
  const isById = isId && image.id.startsWith(`sha256:${digits}`);
  return { id: isById ? image.id : text, name: text, context };
}

/**
 * Returns the name of a container. Asks the engine if the caller gave only a full ID that the inventory does
 * not know.
 */
export async function targetName(
  target: CommandTarget,
  connection: Connection,
  signal: AbortSignal,
): Promise<string> {
  const isNamed = target.container !== undefined || !target.id.startsWith(target.name);
  return isNamed ? target.name : (await inspectContainer(connection, target.id, signal)).name;
}

/** Returns the containers or images among the nodes that pass the filter. */
export function targetsOf(
  nodes: readonly TreeNode[],
  kind: 'container' | 'image',
  fits: TargetFilter,
  contextOf: (node: TreeNode) => CommandContext | undefined,
): readonly CommandTarget[] {
  return nodes.flatMap((node): readonly CommandTarget[] => {
    const context = contextOf(node);
    if (!context) return [];
    if (kind === 'container' && node instanceof ContainerNode) {
      return fits && !fits(node.container) ? [] : [containerTarget(node.container, context)];
    }
    return kind === 'image' && node instanceof ImageNode
      ? [imageTarget(node.image, node.reference, context)]
      : [];
  });
}

/**
 * Lets the user pick a target. Resolves to undefined if the user cancels; shows a message if there is no
 * target.
 */
export async function pickTarget(
  context: CommandContext,
  kind: 'container' | 'image',
  fits: TargetFilter,
): Promise<CommandTarget | undefined> {
  const { l10n } = context.ui;
  const items =
    kind === 'container' ? await containerItems(context, fits) : await imageItems(context);
  if (items.length === 0) {
    context.ui.info(
      kind === 'container'
        ? l10n.t('No container is available for this command.')
        : l10n.t('There are no images.'),
    );
    return undefined;
  }
  const picked = await context.ui.pick({
    placeholder: kind === 'container' ? l10n.t('Select a container') : l10n.t('Select an image'),
    items,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.target;
}

type TargetItem = PickItem & { readonly target: CommandTarget };

async function containerItems(
  context: CommandContext,
  fits: TargetFilter,
): Promise<readonly TargetItem[]> {
  const all = await knownContainers(context);
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

async function imageItems(context: CommandContext): Promise<readonly TargetItem[]> {
  const images = await knownImages(context);
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

/** Returns the containers of the inventory if it is live; otherwise asks the engine. */
export async function knownContainers(context: CommandContext): Promise<readonly Container[]> {
  if (context.inventory.phase.kind === 'live') return [...context.inventory.containers.values()];
  return [...(await listContainers(await context.engine.connect(), { all: true }))];
}

/** Returns the images of the inventory if it is live; otherwise asks the engine. */
export async function knownImages(context: CommandContext): Promise<readonly Image[]> {
  if (context.inventory.phase.kind === 'live') return [...context.inventory.images.values()];
  return listImages(await context.engine.connect(), {});
}

/** Returns a known container as a target. */
export function containerTarget(container: Container, context: CommandContext): CommandTarget {
  return { id: container.id, name: container.name, context, container };
}

/**
 * Returns the name to show for an image: its first tag, else the repository it was pulled from, else its
 * short ID.
 */
export function imageDisplayName({ id, tags, digests }: Image): string {
  const [repository] = (digests[0] ?? '').split('@', 1);
  return tags[0] ?? (repository ? `${repository}@${id.slice(7, 19)}` : id.slice(7, 19));
}

function imageTarget(
  image: Image,
  reference: string | undefined,
  context: CommandContext,
): CommandTarget {
  const name = reference ?? image.id.slice(7, 19);
  return { id: reference ?? image.id, name, context, image };
}
