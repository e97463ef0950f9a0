import * as l10n from '@vscode/l10n';
import type { FileUri, Ui } from '../ui/ui.ts';
import type { PathStat } from '../../engine/archive/pathStat.ts';
import { InputError } from '../../engine/errors.ts';
import { resolveImage } from '../../engine/system/resolveTarget.ts';
import { PathNode } from '../../files/fileNode.ts';
import { toFileUri, normalizePath, type FileRoot } from '../../files/fileRoot.ts';
import { ImageNode } from '../../views/images/imageNode.ts';
import { ContainerNode } from '../../views/containers/containerNode.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import { VolumeNode } from '../../views/volumes/volumeNode.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import type { ArgumentSchema } from '../ui/checkArguments.ts';
import { findContainerTarget, targetName } from '../frame/targets.ts';
import { quotable } from '../../base/plainText.ts';

/** A path in a container, image or volume. */
export interface FileLocation {
  readonly root: FileRoot;
  readonly path: string;
}

/** The fields of an argument that select a container, image or volume, and a path in it. */
export interface PathArguments {
  /** The ID or name of a container. */
  readonly id?: string;
  /** The reference or ID of an image. */
  readonly image?: string;
  /** The name of a volume. */
  readonly volume?: string;
  /** The absolute path in the container, image or volume. */
  readonly path?: string;
}

/** The schema of the fields that select the container, image or volume. */
export const rootSchema: ArgumentSchema = {
  id: { kind: 'text' },
  image: { kind: 'text' },
  volume: { kind: 'text' },
};

/** The same with a path. */
export const pathSchema: ArgumentSchema = { ...rootSchema, path: { kind: 'text', required: true } };

/**
 * Resolves the container, image or volume of an argument. @throws InputError; otherwise as finding a container or
 * image. A volume is not looked up.
 */
export async function resolveRoot(
  { id, image, volume }: PathArguments,
  context: CommandContext,
  signal: AbortSignal,
): Promise<FileRoot> {
  if ([id, image, volume].filter((one) => one !== undefined).length !== 1)
    throw new InputError(l10n.t('Set one of "id" (a container), "image", or "volume".'));
  const engine = context.unit.id;
  if (volume !== undefined) {
    if (volume.trim() === '') throw new InputError(l10n.t('The name of the volume is empty.'));
    return { engine, kind: 'volume', id: volume, name: volume };
  }
  const connection = await context.engine.connect(signal);
  if (image !== undefined) {
    const found = await resolveImage(connection, image, signal);
    return { engine, kind: 'image', id: found.id, name: found.tags[0] ?? found.id.slice(7, 19) };
  }
  const target = await findContainerTarget(context, connection, id ?? '', signal);
  const name = await targetName(target, connection, signal);
  return { engine, kind: 'container', id: target.id, name };
}

/** Resolves the container or image and the path, which must be absolute. */
export async function resolveLocation(
  args: PathArguments,
  context: CommandContext,
  signal: AbortSignal,
): Promise<FileLocation> {
  return {
    root: await resolveRoot(args, context, signal),
    path: checkAbsolutePath(args.path ?? '/'),
  };
}

/** Returns the normalized path. @throws InputError if it is not absolute. */
function checkAbsolutePath(path: string): string {
  if (path.startsWith('/') && !path.includes('\0')) return normalizePath(path);
  throw new InputError(l10n.t('"{0}" is not an absolute path in the container.', quotable(path)));
}

/** Returns the location of a row; undefined for a row without files. */
export function locationOfNode(node: TreeNode | undefined): FileLocation | undefined {
  if (node instanceof PathNode) return { root: node.root, path: node.path };
  if (node instanceof ContainerNode) {
    const { id, name } = node.container;
    return { root: { engine: node.engine, kind: 'container', id, name }, path: '/' };
  }
  if (node instanceof VolumeNode) {
    const { name } = node.volume;
    return { root: { engine: node.engine, kind: 'volume', id: name, name }, path: '/' };
  }
  if (!(node instanceof ImageNode)) return undefined;
  const name = node.reference ?? node.image.id.slice(7, 19);
  return { root: { engine: node.engine, kind: 'image', id: node.image.id, name }, path: '/' };
}

/** Returns the locations of rows. */
export function locationsOfNodes(nodes: readonly TreeNode[]): readonly FileLocation[] {
  return nodes.flatMap((node) => locationOfNode(node) ?? []);
}

/** Returns what is at a location, after links. The user can cancel that: another reader can keep the engine waiting. */
export async function statForUser(
  { root, path }: FileLocation,
  { window: { files }, ui }: CommandContext,
): Promise<PathStat> {
  const { all } = await files();
  const title = l10n.t('Reading the files of {0}', root.name);
  const end = await ui.progress(title, 'late', (signal) => all.of(root).follow(path, signal));
  return end.stat;
}

/** Returns the VS Code URI of a location. */
export function locationUri({ root, path }: FileLocation, ui: Ui): FileUri {
  return ui.uri(toFileUri(root, path));
}
