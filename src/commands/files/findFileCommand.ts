import * as l10n from '@vscode/l10n';
import { findPaths, type FoundPath } from '../../files/fileIndex.ts';
import { joinPath } from '../../files/fileRoot.ts';
import type { PickItem, Ui } from '../ui/ui.ts';
import { oneLine } from '../../base/plainText.ts';
import { formatSize, joinParts } from '../../views/format.ts';
import { pickRow } from '../frame/pickTarget.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { PlainCommand } from '../frame/command.ts';
import { formatName } from '../ui/formatNames.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import {
  resolveLocation,
  locationOfNode,
  rootSchema,
  locationUri,
  type PathArguments,
  type FileLocation,
} from './fileLocation.ts';

/** Maximum number of paths to show. */
const SHOWN = 200;
/** Maximum number of paths to return to callers. */
const HANDED = 1000;

interface FindArguments extends PathArguments {
  readonly name: string;
}

interface Found {
  /** Absolute paths. */
  readonly paths: readonly string[];
  /** False if there may be files that were not read or not returned. */
  readonly isWhole: boolean;
  /** The volumes that were not searched, because the engine mounts them only while the container runs. */
  readonly unmounted?: readonly string[];
}

/** Finds files by words of their path, in a folder or the whole container. Opens the file that the user picks. */
export const findFileCommand = (ui: Ui): PlainCommand<FindArguments, Found> => ({
  id: 'gantry.files.find',
  schema: { ...rootSchema, path: { kind: 'text' }, name: { kind: 'text', required: true } },
  selects: ['container', 'volume'],
  isForOne: true,
  pick: pickRow('gantry.files.find', 'container'),
  failureTitle: l10n.t('Could not search the files'),
  run: async (args, context, signal) => {
    const { root, path } = await resolveLocation(args, context, signal);
    const { all } = await context.window.files();
    const index = await all.of(root).index(path, { isPatient: true, signal });
    const found = findPaths(index, args.name, HANDED + 1);
    const isWhole = index.isWhole && found.length <= HANDED;
    const { unmounted } = index;
    return {
      paths: found.slice(0, HANDED).map((one) => joinPath(path, one.path)),
      isWhole,
      ...(unmounted.length > 0 && { unmounted }),
    };
  },
  runInteractive: async (context, nodes) => {
    const where = locationOfNode(nodes[0]);
    const chosen = where && (await findPath(where, context));
    if (!chosen) return undefined;
    await ui.openFile(locationUri(chosen, ui));
    return { paths: [chosen.path], isWhole: true };
  },
});

/** Lets the user pick a file below a folder. Resolves to undefined if the user cancels. */
async function findPath(
  { root, path }: FileLocation,
  { window: { files }, ui }: CommandContext,
): Promise<FileLocation | undefined> {
  const { all } = await files();
  const reading = l10n.t('Reading the files of {0}', root.name);
  const index = await ui.progress(reading, 'late', (signal) =>
    all.of(root).index(path, { isPatient: true, signal }),
  );
  let title = '';
  const type = l10n.t('Type words of the path to find a file below {0}', oneLine(path));
  const missing = index.unmounted.map((volume) =>
    l10n.t('The volume {0} is not mounted while the container is stopped.', formatName(volume)),
  );
  const picked = await ui.pick<PathItem>({
    liveTitle: () => title,
    placeholder: [type, ...missing].join(' · '),
    // Filtered here: VS Code's own filter would need every path as an item.
    items: (typed) => {
      const found = findPaths(index, typed, SHOWN, ({ kind }) => kind !== 'folder');
      const more = found.length === SHOWN || !index.isWhole;
      title = more
        ? l10n.t('The first {0} matching files', found.length)
        : l10n.t('Matching files: {0}', found.length);
      return found.map(itemOf);
    },
  });
  return picked && { root, path: joinPath(path, picked.path) };
}

/** Returns the file of the row, or one that the user picks below it. Undefined if the user cancels. */
export async function pickFile(
  context: CommandContext,
  nodes: readonly TreeNode[],
): Promise<FileLocation | undefined> {
  const found = locationOfNode(nodes[0]);
  return found?.path === '/' ? findPath(found, context) : found;
}

type PathItem = PickItem & { readonly path: string };

function itemOf({ path, entry }: FoundPath): PathItem {
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  const size = entry.kind === 'file' ? formatSize(entry.size) : '';
  return {
    path,
    label: entry.name,
    description: joinParts(oneLine(folder), size),
    alwaysShow: true,
  };
}
