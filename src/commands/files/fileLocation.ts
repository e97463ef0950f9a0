import * as vscode from 'vscode';
import { InputError } from '../../engine/errors.ts';
import { resolveImage } from '../../engine/registries/resolve.ts';
import { PathNode } from '../../files/fileNode.ts';
import { toFileUri, normalizePath, type FileRoot } from '../../files/fileRoot.ts';
import { ContainerNode, ImageNode, type TreeNode } from '../../views/treeNode.ts';
import type { CommandContext } from '../context.ts';
import type { ArgumentSchema } from '../arguments.ts';
import { findContainerTarget, targetName, pickTarget } from '../targets.ts';

const { l10n } = vscode;

/** A path of a place. */
export interface FileLocation {
  readonly root: FileRoot;
  readonly path: string;
}

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
export const rootSchema: ArgumentSchema = { id: { kind: 'text' }, image: { kind: 'text' } };

/** The same with a path. */
export const pathSchema: ArgumentSchema = { ...rootSchema, path: { kind: 'text', required: true } };

/** Finds what an argument means. @throws InputError; what finding a container or image throws. */
export async function resolveRoot(
  { id, image }: PathArguments,
  context: CommandContext,
  signal: AbortSignal,
): Promise<FileRoot> {
  if ((id === undefined) === (image === undefined))
    throw new InputError(l10n.t('Say either "id" of a container or "image".'));
  const connection = await context.engine.connect(signal);
  const engine = context.unit.id;
  if (image !== undefined) {
    const found = await resolveImage(connection, image, signal);
    return { engine, kind: 'image', id: found.id, name: found.tags[0] ?? found.id.slice(7, 19) };
  }
  const target = await findContainerTarget(context, connection, id ?? '', signal);
  const name = await targetName(target, connection, signal);
  return { engine, kind: 'container', id: target.id, name };
}

/** The same with the path, which has to be a full one. */
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

/** Passes a full path in a container. */
export function checkAbsolutePath(path: string): string {
  if (path.startsWith('/') && !path.includes('\0')) return normalizePath(path);
  throw new InputError(l10n.t('"{0}" is not a full path in the container.', path));
}

/** What a row stands for; undefined for one without files. */
export function locationOfNode(node: TreeNode | undefined): FileLocation | undefined {
  if (node instanceof PathNode) return { root: node.root, path: node.path };
  if (node instanceof ContainerNode) {
    const { id, name } = node.container;
    return { root: { engine: node.engine, kind: 'container', id, name }, path: '/' };
  }
  if (!(node instanceof ImageNode)) return undefined;
  const name = node.reference ?? node.image.id.slice(7, 19);
  return { root: { engine: node.engine, kind: 'image', id: node.image.id, name }, path: '/' };
}

/** What a person means: the row, else a container they pick. Undefined where they leave. */
export async function pickLocation(
  context: CommandContext,
  nodes: readonly TreeNode[],
): Promise<FileLocation | undefined> {
  const [node] = nodes;
  const known = locationOfNode(node);
  if (known) return known;
  const target = await pickTarget(context, 'container', undefined);
  if (!target) return undefined;
  const { id, name } = target;
  return { root: { engine: context.unit.id, kind: 'container', id, name }, path: '/' };
}

/** The editor's address of a path. */
export function locationUri({ root, path }: FileLocation): vscode.Uri {
  return vscode.Uri.from(toFileUri(root, path));
}
