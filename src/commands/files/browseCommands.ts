import * as vscode from 'vscode';
import type { Listing } from '../../files/fileIndex.ts';
import { FileNoteNode } from '../../files/fileNode.ts';
import { oneLine } from '../../plainText.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import {
  locationOfNode,
  pathSchema,
  resolveRoot,
  resolveLocation,
  pickLocation,
  rootSchema,
  locationUri,
  type PathArguments,
  type FileLocation,
} from './fileLocation.ts';
import { findPath } from './findFileCommand.ts';

const { l10n } = vscode;

/** What is in a folder; for a person a view of all the files. */
export const browseCommand: PlainCommand<PathArguments, Listing | undefined> = {
  id: 'gantry.files.browse',
  schema: { ...rootSchema, path: { kind: 'text' } },
  selects: 'container',
  failureTitle: l10n.t('Could not read the files'),
  run: async (args, context, signal) => {
    const { root, path } = await resolveLocation(args, context, signal);
    return context.files.of(root).list(path, { isPatient: true, signal });
  },
  runInteractive: async (context, nodes) => {
    const found = await pickLocation(context, nodes);
    if (found) await context.filesView.open(found.root, context.titleOf(found.root.name));
    return undefined;
  },
};

/** Opens a file as a read-only document. */
export const openFileCommand: PlainCommand<PathArguments, { readonly uri: string }> = {
  id: 'gantry.files.open',
  schema: pathSchema,
  selects: 'container',
  failureTitle: l10n.t('Could not open the file'),
  run: async (args, context, signal) => open(await resolveLocation(args, context, signal), context),
  runInteractive: async (context, nodes) => {
    const found = await pickLocation(context, nodes);
    const chosen = found?.path === '/' ? await findPath(found, context) : found;
    return chosen && open(chosen, context);
  },
};

async function open(
  { root, path }: FileLocation,
  context: CommandContext,
): Promise<{ readonly uri: string }> {
  const end = await context.files.of(root).follow(path);
  const uri = locationUri({ root, path });
  if (end.stat.kind === 'folder') await context.filesView.open(root, context.titleOf(root.name));
  // The editor's own command: it knows pictures and other files that are no text.
  else await vscode.commands.executeCommand('vscode.open', uri);
  return { uri: uri.toString() };
}

/** Reads a container's or image's files again; of a folder that was read in part, on to its end. */
export const refreshFilesCommand: PlainCommand<PathArguments, undefined> = {
  id: 'gantry.files.refresh',
  schema: rootSchema,
  failureTitle: l10n.t('Could not read the files'),
  run: async (args, context, signal) => {
    context.files.refresh(await resolveRoot(args, context, signal));
    return undefined;
  },
  runInteractive: (context, nodes) => {
    const [node] = nodes;
    const found = locationOfNode(node);
    if (node instanceof FileNoteNode) context.filesView.readOn(node);
    else if (found) context.files.refresh(found.root);
    else context.filesView.refreshAll();
    return Promise.resolve(undefined);
  },
};

/** Takes the files of a container or image out of the view. */
export const closeFilesCommand: PlainCommand<PathArguments, undefined> = {
  id: 'gantry.files.close',
  schema: rootSchema,
  failureTitle: l10n.t('Could not close the files'),
  run: async (args, context, signal) => {
    context.filesView.close(await resolveRoot(args, context, signal));
    return undefined;
  },
  runInteractive: (context, nodes) => {
    for (const { root } of pathsOf(nodes)) context.filesView.close(root);
    return Promise.resolve(undefined);
  },
};

/** Puts full paths in the container on the clipboard. */
export const copyPathCommand: PlainCommand<PathArguments, { readonly outcome: 'copied' }> = {
  id: 'gantry.files.copyPath',
  schema: pathSchema,
  failureTitle: l10n.t('Could not copy the path'),
  run: async (args, context, signal) => {
    const { path } = await resolveLocation(args, context, signal);
    await vscode.env.clipboard.writeText(path);
    return { outcome: 'copied' };
  },
  runInteractive: async (_context, nodes) => {
    const paths = pathsOf(nodes).map(({ path }) => path);
    if (paths.length === 0) return undefined;
    await vscode.env.clipboard.writeText(paths.map((path) => oneLine(path, 4096)).join('\n'));
    return { outcome: 'copied' };
  },
};

function pathsOf(nodes: readonly TreeNode[]): readonly FileLocation[] {
  return nodes.flatMap((node) => locationOfNode(node) ?? []);
}
