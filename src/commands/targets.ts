import * as vscode from 'vscode';
import type { Connection } from '../engine/http/connection.ts';
import { inspectContainer, listContainers } from '../engine/containers/containers.ts';
import { InputError } from '../engine/errors.ts';
import { listImages } from '../engine/images/images.ts';
import type { Container, Image } from '../engine/model.ts';
import { parseReference } from '../engine/options/reference.ts';
import { isFullId, resolveContainer, resolveImage } from '../engine/registries/resolve.ts';
import { formatAge } from '../inventory/age.ts';
import { ContainerNode, ImageNode, type TreeNode } from '../views/treeNode.ts';
import type { CommandContext } from './context.ts';
import { showInfo } from './notifications.ts';
import { formatItem } from './displayText.ts';

/** What a command works on, found. */
export interface CommandTarget {
  /** A container's full id, or what to call an image by: its reference, else its id. */
  readonly id: string;
  /** What to call it before a person. */
  readonly name: string;
  /** Of the engine it is in. */
  readonly context: CommandContext;
  readonly container?: Container;
  readonly image?: Image;
}

/** Whether a command makes sense for a container as it is now. Undefined: always. */
export type TargetFilter = ((container: Container) => boolean) | undefined;

/** Finds a container by what an argument calls it. @throws InputError, AmbiguousError, EngineError. */
export async function findContainerTarget(
  context: CommandContext,
  connection: Connection,
  text: string,
  signal: AbortSignal,
): Promise<CommandTarget> {
  if (isFullId(text)) {
    const known = context.inventory.containers.get(text);
    const name = known?.name ?? text.slice(0, 12);
    return { id: text, name, context, ...(known && { container: known }) };
  }
  if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(text)) {
    throw new InputError(vscode.l10n.t('"{0}" is neither a container\'s name nor its id.', text));
  }
  const { id, name } = await resolveContainer(connection, text, signal);
  return { id, name, context };
}

/** Finds an image by what an argument calls it. @throws InputError, AmbiguousError, EngineError. */
export async function findImageTarget(
  context: CommandContext,
  connection: Connection,
  text: string,
  signal: AbortSignal,
): Promise<CommandTarget> {
  const isId = /^(?:sha256:)?[0-9a-f]{1,64}$/.test(text);
  if (!isId && !parseReference(text).ok) {
    throw new InputError(vscode.l10n.t('"{0}" is neither an image\'s name nor its id.', text));
  }
  const digits = text.replace(/^sha256:/, '');
  // As with a container, a full id needs no look-up, so that one that is gone is no failure of Remove.
  if (isFullId(digits)) {
    return { id: `sha256:${digits}`, name: digits.slice(0, 12), context };
  }
  const image = await resolveImage(connection, text, signal);
  // By the id it was called by, or by its name: removing a name is not removing the image.
  const isById = isId && image.id.startsWith(`sha256:${digits}`);
  return { id: isById ? image.id : text, name: text, context };
}

/** The name of a container that was called by its full id alone, asked for where the inventory does not know it. */
export async function targetName(
  target: CommandTarget,
  connection: Connection,
  signal: AbortSignal,
): Promise<string> {
  const isNamed = target.container !== undefined || !target.id.startsWith(target.name);
  return isNamed ? target.name : (await inspectContainer(connection, target.id, signal)).name;
}

/** The containers or images among nodes, those that fit. */
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

/** Lets a person pick one. Undefined where they leave; a message where there is none. */
export async function pickTarget(
  context: CommandContext,
  kind: 'container' | 'image',
  fits: TargetFilter,
): Promise<CommandTarget | undefined> {
  const items =
    kind === 'container' ? await containerItems(context, fits) : await imageItems(context);
  if (items.length === 0) {
    showInfo(
      kind === 'container'
        ? vscode.l10n.t('There is no container this can be done with.')
        : vscode.l10n.t('There is no image.'),
    );
    return undefined;
  }
  const placeHolder =
    kind === 'container' ? vscode.l10n.t('Choose a container') : vscode.l10n.t('Choose an image');
  const picked = await vscode.window.showQuickPick(items.map(formatItem), {
    placeHolder,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.target;
}

type TargetItem = vscode.QuickPickItem & { readonly target: CommandTarget };

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

/** The state and for how long; the status text itself is as old as the list it came with. */
function stateOf(container: Container, { inventory }: CommandContext): string {
  const age = inventory.ages.get(container.id);
  if (!age) return container.status;
  return vscode.l10n.t('{0} · {1}', container.state, formatAge(age, Date.now(), vscode.l10n));
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

/** From the live inventory; where it is not live, asked for now. */
export async function knownContainers(context: CommandContext): Promise<readonly Container[]> {
  if (context.inventory.phase.kind === 'live') return [...context.inventory.containers.values()];
  return [...(await listContainers(await context.engine.connect(), { all: true }))];
}

/** From the live inventory; where it is not live, asked for now. */
export async function knownImages(context: CommandContext): Promise<readonly Image[]> {
  if (context.inventory.phase.kind === 'live') return [...context.inventory.images.values()];
  return listImages(await context.engine.connect(), {});
}

/** A container that is known, as a target. */
export function containerTarget(container: Container, context: CommandContext): CommandTarget {
  return { id: container.id, name: container.name, context, container };
}

/** What to call an image: by its first name, else by the repository it came from, else by its short id. */
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
