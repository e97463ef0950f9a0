import * as vscode from 'vscode';
import type { Listing } from '../../files/fileIndex.ts';
import { FileNoteNode } from '../../files/fileNodes.ts';
import { oneLine } from '../../plainText.ts';
import type { TreeNode } from '../../views/nodes.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import {
  pathOfNode,
  pathShape,
  placeOf,
  placePathOf,
  placePathOfPerson,
  placeShape,
  uriOf,
  type PathArguments,
  type PlacePath,
} from './filePlaces.ts';
import { findPath } from './fileFind.ts';

const { l10n } = vscode;

/** What is in a folder; for a person a view of all the files. */
export const browseCommand: PlainCommand<PathArguments, Listing | undefined> = {
  id: 'gantry.files.browse',
  shape: { ...placeShape, path: { kind: 'text' } },
  selects: 'container',
  failing: l10n.t('Could not read the files'),
  run: async (args, context, signal) => {
    const { place, path } = await placePathOf(args, context, signal);
    return context.files.of(place).list(path, { isPatient: true, signal });
  },
  person: async (context, nodes) => {
    const found = await placePathOfPerson(context, nodes);
    if (found) await context.filesView.open(found.place, context.titleOf(found.place.name));
    return undefined;
  },
};

/** Opens a file as a read-only document. */
export const openFileCommand: PlainCommand<PathArguments, { readonly uri: string }> = {
  id: 'gantry.files.open',
  shape: pathShape,
  selects: 'container',
  failing: l10n.t('Could not open the file'),
  run: async (args, context, signal) => open(await placePathOf(args, context, signal), context),
  person: async (context, nodes) => {
    const found = await placePathOfPerson(context, nodes);
    const chosen = found?.path === '/' ? await findPath(found, context) : found;
    return chosen && open(chosen, context);
  },
};

async function open(
  { place, path }: PlacePath,
  context: CommandContext,
): Promise<{ readonly uri: string }> {
  const end = await context.files.of(place).follow(path);
  const uri = uriOf({ place, path });
  if (end.stat.kind === 'folder') await context.filesView.open(place, context.titleOf(place.name));
  // The editor's own command: it knows pictures and other files that are no text.
  else await vscode.commands.executeCommand('vscode.open', uri);
  return { uri: uri.toString() };
}

/** Reads a container's or image's files again; of a folder that was read in part, on to its end. */
export const refreshFilesCommand: PlainCommand<PathArguments, undefined> = {
  id: 'gantry.files.refresh',
  shape: placeShape,
  failing: l10n.t('Could not read the files'),
  run: async (args, context, signal) => {
    context.files.refresh(await placeOf(args, context, signal));
    return undefined;
  },
  person: (context, nodes) => {
    const [node] = nodes;
    const found = pathOfNode(node);
    if (node instanceof FileNoteNode) context.filesView.readOn(node);
    else if (found) context.files.refresh(found.place);
    else context.filesView.refreshAll();
    return Promise.resolve(undefined);
  },
};

/** Takes the files of a container or image out of the view. */
export const closeFilesCommand: PlainCommand<PathArguments, undefined> = {
  id: 'gantry.files.close',
  shape: placeShape,
  failing: l10n.t('Could not close the files'),
  run: async (args, context, signal) => {
    context.filesView.close(await placeOf(args, context, signal));
    return undefined;
  },
  person: (context, nodes) => {
    for (const { place } of pathsOf(nodes)) context.filesView.close(place);
    return Promise.resolve(undefined);
  },
};

/** Puts full paths in the container on the clipboard. */
export const copyPathCommand: PlainCommand<PathArguments, { readonly outcome: 'copied' }> = {
  id: 'gantry.files.copyPath',
  shape: pathShape,
  failing: l10n.t('Could not copy the path'),
  run: async (args, context, signal) => {
    const { path } = await placePathOf(args, context, signal);
    await vscode.env.clipboard.writeText(path);
    return { outcome: 'copied' };
  },
  person: async (_context, nodes) => {
    const paths = pathsOf(nodes).map(({ path }) => path);
    if (paths.length === 0) return undefined;
    await vscode.env.clipboard.writeText(paths.map((path) => oneLine(path, 4096)).join('\n'));
    return { outcome: 'copied' };
  },
};

function pathsOf(nodes: readonly TreeNode[]): readonly PlacePath[] {
  return nodes.flatMap((node) => pathOfNode(node) ?? []);
}
