import * as l10n from '@vscode/l10n';
import type { Connection } from '../../engine/http/connection.ts';
import { inspectContainer, listContainers } from '../../engine/containers/containers.ts';
import { InputError } from '../../engine/errors.ts';
import { listImages } from '../../engine/images/images.ts';
import type { Container, Image, Network, Volume } from '../../engine/model.ts';
import { parseReference } from '../../engine/options/reference.ts';
import {
  resolveContainer,
  resolveImage,
  resolveNetwork,
} from '../../engine/system/resolveTarget.ts';
import { isFullId } from '../../engine/wire/wire.ts';
import { ImageNode } from '../../views/images/imageNode.ts';
import { NetworkNode } from '../../views/networks/networkNode.ts';
import { ContainerNode } from '../../views/containers/containerNode.ts';
import type { TargetKind, TreeNode } from '../../views/treeNode.ts';
import { VolumeNode } from '../../views/volumes/volumeNode.ts';
import type { CommandContext } from './commandContext.ts';
import type { CommandId, Ui } from '../ui/ui.ts';

/** A container, image, volume or network that a command works on. */
export interface CommandTarget {
  /**
   * The full ID of a container or network, and the name of a volume. For an image, its reference, or its ID if there
   * is none.
   */
  readonly id: string;
  /** The name to show to the user. */
  readonly name: string;
  /** The context of its engine. */
  readonly context: CommandContext;
  readonly container?: Container;
  readonly image?: Image;
  readonly volume?: Volume;
  readonly network?: Network;
}

/** Whether a command applies to a container in its current state. If undefined, it always applies. */
export type TargetFilter = ((container: Container) => boolean) | undefined;

/** Returns the targets in an argument that has either `id` or `ids`. @throws InputError. */
export function targetTexts(
  command: CommandId,
  { id, ids }: { readonly id?: string; readonly ids?: readonly string[] },
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

/** Finds the target that an argument names. @throws InputError, AmbiguousError, EngineError. */
export function findTarget(
  kind: TargetKind,
  context: CommandContext,
  connection: Connection,
  text: string,
  signal: AbortSignal,
): Promise<CommandTarget> {
  return FINDERS[kind](context, connection, text, signal);
}

type Finder = (
  context: CommandContext,
  connection: Connection,
  text: string,
  signal: AbortSignal,
) => Promise<CommandTarget>;

const FINDERS: Readonly<Record<TargetKind, Finder>> = {
  container: findContainerTarget,
  image: findImageTarget,
  volume: findVolumeTarget,
  network: findNetworkTarget,
};

/** A volume has only its name, which is not looked up, so that Remove does not fail if it is already gone. */
function findVolumeTarget(context: CommandContext, _: Connection, name: string) {
  const volume = context.inventory.volumes.entries.get(name);
  return Promise.resolve(volume ? volumeTarget(volume, context) : { id: name, name, context });
}

/** Finds a network by ID or name. @throws EngineError. */
async function findNetworkTarget(
  context: CommandContext,
  connection: Connection,
  text: string,
  signal: AbortSignal,
): Promise<CommandTarget> {
  const known = context.inventory.networks.entries.get(text);
  if (known) return networkTarget(known, context);
  if (isFullId(text)) return { id: text, name: text.slice(0, 12), context };
  return networkTarget(await resolveNetwork(connection, text, signal), context);
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
    throw new InputError(
      text.trim() === ''
        ? l10n.t('The ID is empty.')
        : l10n.t('"{0}" is not a container name or ID.', text),
    );
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
    throw new InputError(l10n.t('"{0}" is not an image name or ID.', text));
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

/** Returns the user interface of the engine of the targets; that of the window if they are of several engines. */
export function uiOf(targets: readonly CommandTarget[], ui: Ui): Ui {
  const [first] = targets;
  return first && !areOfSeveral(targets) ? first.context.ui : ui;
}

/** Returns the name of one of several targets, with its engine if that differs among them. */
export function nameAmong({ name, context }: CommandTarget, all: readonly CommandTarget[]): string {
  return areOfSeveral(all) ? context.titleOf(name) : name;
}

function areOfSeveral(targets: readonly CommandTarget[]): boolean {
  return new Set(targets.map(({ context }) => context.unit.id)).size > 1;
}

/** Groups rows by the context of their engine. Leaves out rows of an engine that was removed. */
export function rowsByContext(
  nodes: readonly TreeNode[],
  { contextOf }: CommandContext,
): readonly (readonly [context: CommandContext, rows: readonly TreeNode[]])[] {
  return [...Map.groupBy(nodes, ({ engine }) => engine)].flatMap(([engine, rows]) => {
    const context = contextOf(engine);
    return context ? [[context, rows] as const] : [];
  });
}

/** Returns the targets of this kind among the nodes that pass the filter. */
export function targetsOf(
  nodes: readonly TreeNode[],
  kind: TargetKind,
  fits: TargetFilter,
  contextOf: (node: TreeNode) => CommandContext | undefined,
): readonly CommandTarget[] {
  return nodes.flatMap((node): readonly CommandTarget[] => {
    const context = contextOf(node);
    if (!context) return [];
    if (kind === 'container' && node instanceof ContainerNode) {
      return fits && !fits(node.container) ? [] : [containerTarget(node.container, context)];
    }
    if (kind === 'image' && node instanceof ImageNode) {
      return [imageTarget(node.image, node.reference, context)];
    }
    if (kind === 'volume' && node instanceof VolumeNode)
      return [volumeTarget(node.volume, context)];
    return kind === 'network' && node instanceof NetworkNode
      ? [networkTarget(node.network, context)]
      : [];
  });
}

/** Returns the containers of the inventory if it is live; otherwise asks the engine. */
export async function knownContainers(
  context: CommandContext,
  signal?: AbortSignal,
): Promise<readonly Container[]> {
  if (context.inventory.phase.kind === 'live') return [...context.inventory.containers.values()];
  const connection = await context.engine.connect(signal);
  return [...(await listContainers(connection, { all: true }, signal))];
}

/** Returns the images of the inventory if it is live and lists them; otherwise asks the engine. */
export async function knownImages(
  context: CommandContext,
  signal?: AbortSignal,
): Promise<readonly Image[]> {
  const { phase, images } = context.inventory;
  if (phase.kind === 'live' && phase.images === undefined) return [...images.values()];
  return listImages(await context.engine.connect(signal), {}, signal);
}

/** Returns the images to suggest, without waiting for those that a live inventory does not list. Never rejects. */
export async function suggestedImages(context: CommandContext): Promise<readonly Image[]> {
  const { phase, images } = context.inventory;
  return phase.kind === 'live' ? [...images.values()] : knownImages(context).catch(() => []);
}

/** Returns a known container as a target. */
export function containerTarget(container: Container, context: CommandContext): CommandTarget {
  return { id: container.id, name: container.name, context, container };
}

/** Returns an image under one of its names as a target. */
export function imageTarget(
  image: Image,
  reference: string | undefined,
  context: CommandContext,
): CommandTarget {
  const name = reference ?? image.id.slice(7, 19);
  return { id: reference ?? image.id, name, context, image };
}

/** Returns a known volume as a target. */
export function volumeTarget(volume: Volume, context: CommandContext): CommandTarget {
  return { id: volume.name, name: volume.name, context, volume };
}

/** Returns a known network as a target. */
export function networkTarget(network: Network, context: CommandContext): CommandTarget {
  return { id: network.id, name: network.name, context, network };
}
