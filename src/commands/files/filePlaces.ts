import * as vscode from 'vscode';
import { InputError } from '../../engine/errors.ts';
import { resolveImage } from '../../engine/registries/resolve.ts';
import { FileNode, PathNode } from '../../files/fileNodes.ts';
import { addressOf, normal, type FilePlace } from '../../files/filePlace.ts';
import { ContainerNode, ImageNode, type TreeNode } from '../../views/nodes.ts';
import type { CommandContext } from '../context.ts';
import type { Shape } from '../shape.ts';
import { findContainer, nameOf, pickTarget } from '../targets.ts';

const { l10n } = vscode;

/** What an argument calls a path by: one of a container, or one of an image. */
export interface PathArguments {
  /** Of a container. */
  readonly id?: string;
  /** An image's reference or id. */
  readonly image?: string;
  /** Full, in the container. */
  readonly path?: string;
}

/** The fields that say which container or image. */
export const placeShape: Shape = { id: { kind: 'text' }, image: { kind: 'text' } };

/** The same with a path. */
export const pathShape: Shape = { ...placeShape, path: { kind: 'text', required: true } };

/** A path of a place. */
export interface PlacePath {
  readonly place: FilePlace;
  readonly path: string;
}

/** Finds what an argument means. @throws InputError; what finding a container or image throws. */
export async function placeOf(
  { id, image }: PathArguments,
  context: CommandContext,
  signal: AbortSignal,
): Promise<FilePlace> {
  if ((id === undefined) === (image === undefined))
    throw new InputError(l10n.t('Say either "id" of a container or "image".'));
  const connection = await context.engine.connect(signal);
  const engine = context.unit.id;
  if (image !== undefined) {
    const found = await resolveImage(connection, image, signal);
    return { engine, kind: 'image', id: found.id, name: found.tags[0] ?? found.id.slice(7, 19) };
  }
  const target = await findContainer(context, connection, id ?? '', signal);
  const name = await nameOf(target, connection, signal);
  return { engine, kind: 'container', id: target.id, name };
}

/** The same with the path, which has to be a full one. */
export async function placePathOf(
  args: PathArguments,
  context: CommandContext,
  signal: AbortSignal,
): Promise<PlacePath> {
  return { place: await placeOf(args, context, signal), path: fullPath(args.path ?? '/') };
}

/** Passes a full path in a container. */
export function fullPath(path: string): string {
  if (path.startsWith('/') && !path.includes('\0')) return normal(path);
  throw new InputError(l10n.t('"{0}" is not a full path in the container.', path));
}

/** What a row stands for; undefined for one without files. */
export function pathOfNode(node: TreeNode | undefined): PlacePath | undefined {
  if (node instanceof PathNode) return { place: node.place, path: node.path };
  if (node instanceof ContainerNode) {
    const { id, name } = node.container;
    return { place: { engine: node.engine, kind: 'container', id, name }, path: '/' };
  }
  if (!(node instanceof ImageNode)) return undefined;
  const name = node.reference ?? node.image.id.slice(7, 19);
  return { place: { engine: node.engine, kind: 'image', id: node.image.id, name }, path: '/' };
}

/** What a person means: the row, else a container they pick. Undefined where they leave. */
export async function placePathOfPerson(
  context: CommandContext,
  nodes: readonly TreeNode[],
): Promise<PlacePath | undefined> {
  const [node] = nodes;
  const known = pathOfNode(node);
  if (known) return known;
  const target = await pickTarget(context, 'container', undefined);
  if (!target) return undefined;
  const { id, name } = target;
  return { place: { engine: context.unit.id, kind: 'container', id, name }, path: '/' };
}

/** Whether a row is a file: what there is to open or compare. */
export function isFileRow(node: TreeNode | undefined): node is FileNode {
  return node instanceof FileNode && !node.isFolder;
}

/** The editor's address of a path. */
export function uriOf({ place, path }: PlacePath): vscode.Uri {
  return vscode.Uri.from(addressOf(place, path));
}
