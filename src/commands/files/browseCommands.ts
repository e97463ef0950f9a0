import * as l10n from '@vscode/l10n';
import type { PathStat } from '../../engine/archive/pathStat.ts';
import type { Listing } from '../../files/fileIndex.ts';
import { FileNoteNode } from '../../files/fileNode.ts';
import type { FileRoot } from '../../files/fileRoot.ts';
import { oneLine } from '../../base/plainText.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import {
  locationsOfNodes,
  pathSchema,
  resolveRoot,
  resolveLocation,
  locationOfNode,
  rootSchema,
  locationUri,
  statForUser,
  type PathArguments,
  type FileLocation,
} from './fileLocation.ts';
import { pickFile } from './findFileCommand.ts';
import { pickRow } from '../frame/pickTarget.ts';
import type { Ui } from '../ui/ui.ts';

/** Returns the contents of a folder. For the user, opens a view with all files. */
export const browseCommand = (): PlainCommand<PathArguments, Listing | undefined> => ({
  id: 'gantry.files.browse',
  schema: { ...rootSchema, path: { kind: 'text' } },
  selects: ['container', 'volume'],
  isForOne: true,
  pick: pickRow('gantry.files.browse', 'container'),
  failureTitle: l10n.t('Could not read the files'),
  run: async (args, context, signal) => {
    const { root, path } = await resolveLocation(args, context, signal);
    const { all } = await context.window.files();
    return all.of(root).list(path, { isPatient: true, signal });
  },
  runInteractive: async (context, nodes) => {
    const found = locationOfNode(nodes[0]);
    if (found) await show(found.root, context);
    return undefined;
  },
});

/** Opens a file as a read-only document. */
export const openFileCommand = (): PlainCommand<PathArguments, { readonly uri: string }> => ({
  id: 'gantry.files.open',
  schema: pathSchema,
  selects: ['container', 'volume'],
  isForOne: true,
  pick: pickRow('gantry.files.open', 'container'),
  failureTitle: l10n.t('Could not open the file'),
  run: async (args, context, signal) => {
    const location = await resolveLocation(args, context, signal);
    const { all } = await context.window.files();
    const { stat } = await all.of(location.root).follow(location.path, signal);
    return open(location, stat, context);
  },
  runInteractive: async (context, nodes) => {
    const chosen = await pickFile(context, nodes);
    return chosen && open(chosen, await statForUser(chosen, context), context);
  },
});

async function open(
  { root, path }: FileLocation,
  { kind }: PathStat,
  context: CommandContext,
): Promise<{ readonly uri: string }> {
  const uri = locationUri({ root, path }, context.ui);
  if (kind === 'folder') await show(root, context);
  else await context.ui.openFile(uri);
  return { uri: uri.toString() };
}

/** Shows the files of a container or image in the Files view. */
async function show(root: FileRoot, context: CommandContext): Promise<void> {
  const { view } = await context.window.files();
  await view.open(root, context.titleOf);
}

/** Reads the files of a container or image again. For a folder that was only partly read, reads the rest. */
export const refreshFilesCommand = (): PlainCommand<PathArguments, undefined> => ({
  id: 'gantry.files.refresh',
  schema: rootSchema,
  failureTitle: l10n.t('Could not read the files'),
  run: async (args, context, signal) => {
    const { all } = await context.window.files();
    all.refresh(await resolveRoot(args, context, signal));
    return undefined;
  },
  runInteractive: async (context, nodes) => {
    const [node] = nodes;
    const found = locationOfNode(node);
    const { all, view } = await context.window.files();
    if (node instanceof FileNoteNode) view.readOn(node);
    else if (found) all.refresh(found.root);
    else view.refreshAll();
    return undefined;
  },
});

/** Removes the files of a container or image from the view. */
export const closeFilesCommand = (): PlainCommand<PathArguments, undefined> => ({
  id: 'gantry.files.close',
  schema: rootSchema,
  failureTitle: l10n.t('Could not close the files'),
  run: async (args, context, signal) => {
    const { view } = await context.window.files();
    view.close(await resolveRoot(args, context, signal));
    return undefined;
  },
  runInteractive: async (context, nodes) => {
    const { view } = await context.window.files();
    for (const { root } of locationsOfNodes(nodes)) view.close(root);
    return undefined;
  },
});

/** Copies absolute paths in the container. */
export const copyPathCommand = (
  ui: Ui,
): PlainCommand<PathArguments, { readonly outcome: 'copied' }> => ({
  id: 'gantry.files.copyPath',
  schema: pathSchema,
  failureTitle: l10n.t('Could not copy the path'),
  run: async (args, context, signal) => {
    const { path } = await resolveLocation(args, context, signal);
    await ui.copy(path);
    return { outcome: 'copied' };
  },
  runInteractive: async (_context, nodes) => {
    const paths = locationsOfNodes(nodes).map(({ path }) => path);
    if (paths.length === 0) return undefined;
    await ui.copy(paths.map((path) => oneLine(path, 4096)).join('\n'));
    return { outcome: 'copied' };
  },
});
