import * as vscode from 'vscode';
import type { FileIndex } from '../../files/fileIndex.ts';
import { joined } from '../../files/filePlace.ts';
import { findPaths, type FoundPath } from '../../files/find.ts';
import { oneLine, withoutIcons } from '../../plainText.ts';
import { sizeWords } from '../../views/words.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import {
  placePathOf,
  placePathOfPerson,
  placeShape,
  uriOf,
  type PathArguments,
  type PlacePath,
} from './filePlaces.ts';
import { onPick } from '../forms/form.ts';
import { withProgress } from '../person.ts';

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
  shape: { ...placeShape, path: { kind: 'text' }, name: { kind: 'text', required: true } },
  selects: 'container',
  failing: l10n.t('Could not search the files'),
  run: async (args, context, signal) => {
    const { place, path } = await placePathOf(args, context, signal);
    const index = await context.files.of(place).index(path, { isPatient: true, signal });
    const found = findPaths(index, args.name, HANDED + 1);
    const isWhole = index.isWhole && found.length <= HANDED;
    return { paths: found.slice(0, HANDED).map((one) => joined(path, one.path)), isWhole };
  },
  person: async (context, nodes) => {
    const where = await placePathOfPerson(context, nodes);
    const chosen = where && (await findPath(where, context));
    if (!chosen) return undefined;
    await vscode.commands.executeCommand('vscode.open', uriOf(chosen));
    return { paths: [chosen.path], isWhole: true };
  },
};

/** Lets a person choose one of the files below a folder. Undefined where they leave. */
export async function findPath(
  { place, path }: PlacePath,
  context: CommandContext,
): Promise<PlacePath | undefined> {
  const files = context.files.of(place);
  const title = l10n.t('Reading the files of {0}', place.name);
  const index = await withProgress(title, 'late', (signal) =>
    files.index(path, { isPatient: true, signal }),
  );
  const picked = await pickPath(index, path);
  return picked === undefined ? undefined : { place, path: joined(path, picked) };
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
  const size = entry.kind === 'file' ? sizeWords(entry.size) : '';
  return {
    path,
    label: withoutIcons(oneLine(entry.name)),
    description: withoutIcons([oneLine(folder), size].filter((part) => part !== '').join(' · ')),
    alwaysShow: true,
  };
}
