import * as vscode from 'vscode';
import type { FileIndex } from '../../files/fileIndex.ts';
import { joinPath } from '../../files/fileRoot.ts';
import { findPaths, type FoundPath } from '../../files/findPaths.ts';
import { oneLine, withoutIcons } from '../../plainText.ts';
import { formatSize } from '../../views/format.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import {
  resolveLocation,
  pickLocation,
  rootSchema,
  locationUri,
  type PathArguments,
  type FileLocation,
} from './fileLocation.ts';
import { onPick } from '../forms/form.ts';
import { withProgress } from '../notifications.ts';

const { l10n } = vscode;

/** So many paths are shown, or handed back; nobody reads more. */
const [SHOWN, HANDED] = [200, 1000];

interface FindArguments extends PathArguments {
  readonly name: string;
}

interface Found {
  /** Full paths. */
  readonly paths: readonly string[];
  /** False where there may be more than were looked at, or than were handed back. */
  readonly isWhole: boolean;
}

/** Finds files by words of their path, in a container's folder or in all of it; opens the one a person chooses. */
export const findFileCommand: PlainCommand<FindArguments, Found> = {
  id: 'gantry.files.find',
  schema: { ...rootSchema, path: { kind: 'text' }, name: { kind: 'text', required: true } },
  selects: 'container',
  failureTitle: l10n.t('Could not search the files'),
  run: async (args, context, signal) => {
    const { root, path } = await resolveLocation(args, context, signal);
    const index = await context.files.of(root).index(path, { isPatient: true, signal });
    const found = findPaths(index, args.name, HANDED + 1);
    const isWhole = index.isWhole && found.length <= HANDED;
    return { paths: found.slice(0, HANDED).map((one) => joinPath(path, one.path)), isWhole };
  },
  runInteractive: async (context, nodes) => {
    const where = await pickLocation(context, nodes);
    const chosen = where && (await findPath(where, context));
    if (!chosen) return undefined;
    await vscode.commands.executeCommand('vscode.open', locationUri(chosen));
    return { paths: [chosen.path], isWhole: true };
  },
};

/** Lets a person choose one of the files below a folder. Undefined where they leave. */
export async function findPath(
  { root, path }: FileLocation,
  context: CommandContext,
): Promise<FileLocation | undefined> {
  const files = context.files.of(root);
  const title = l10n.t('Reading the files of {0}', root.name);
  const index = await withProgress(title, 'late', (signal) =>
    files.index(path, { isPatient: true, signal }),
  );
  const picked = await pickPath(index, path);
  return picked === undefined ? undefined : { root, path: joinPath(path, picked) };
}

type PathItem = vscode.QuickPickItem & { readonly path: string };

/** The editor's own filter would have to be handed every path there is. */
function pickPath(index: FileIndex, folder: string): Promise<string | undefined> {
  const pick = vscode.window.createQuickPick<PathItem>();
  pick.placeholder = l10n.t('Words of the path, below {0}', oneLine(folder));
  const show = (): void => {
    const found = findPaths(index, pick.value, SHOWN, ({ kind }) => kind !== 'folder');
    const more = found.length === SHOWN || !index.isWhole;
    pick.title = more
      ? l10n.t('The first {0} of the files that fit', found.length)
      : l10n.t('{0} files fit', found.length);
    pick.items = found.map(itemOf);
  };
  show();
  pick.onDidChangeValue(show);
  return new Promise((resolve) => {
    onPick(pick, ({ path }) => {
      resolve(path);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

function itemOf({ path, entry }: FoundPath): PathItem {
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  const size = entry.kind === 'file' ? formatSize(entry.size) : '';
  return {
    path,
    label: withoutIcons(oneLine(entry.name)),
    description: withoutIcons([oneLine(folder), size].filter((part) => part !== '').join(' · ')),
    alwaysShow: true,
  };
}
