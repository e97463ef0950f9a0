import * as l10n from '@vscode/l10n';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute } from 'node:path';
import { hasReplacement } from '../../engine/archive/hasReplacement.ts';
import { InputError } from '../../engine/errors.ts';
import { newPartToken } from '../../base/writeAtomically.ts';
import type { DownloadResult } from '../../files/writeEntries.ts';
import { uniqueNames, isLocalName, safePath } from '../../files/safePath.ts';
import { downloadPath } from '../../files/downloadPath.ts';
import { oneLine, quotable } from '../../base/plainText.ts';
import { formatSize } from '../../views/format.ts';
import { fileExists } from './archiveFiles.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import {
  locationsOfNodes,
  pathSchema,
  resolveLocation,
  statForUser,
  type PathArguments,
  type FileLocation,
} from './fileLocation.ts';
import { withByteCount } from './withByteProgress.ts';
import { formatName, formatNames } from '../ui/formatNames.ts';
import { pickRow } from '../frame/pickTarget.ts';
import type { Ui } from '../ui/ui.ts';

interface DownloadArguments extends PathArguments {
  readonly to: string;
  readonly replace?: boolean;
}

/** Downloads a file or folder of a container. */
export const downloadCommand = (ui: Ui): PlainCommand<DownloadArguments, DownloadResult> => ({
  id: 'gantry.files.download',
  schema: { ...pathSchema, to: { kind: 'text', required: true }, replace: { kind: 'boolean' } },
  selects: ['container', 'volume'],
  pick: pickRow('gantry.files.download', 'container'),
  failureTitle: l10n.t('Could not download'),
  run: async (args, context, signal) => {
    const what = await resolveLocation(args, context, signal);
    if (!isAbsolute(args.to))
      throw new InputError(
        l10n.t('"{0}" is not an absolute path on this machine.', quotable(args.to)),
      );
    const replace = args.replace === true;
    if (!replace && (await fileExists(args.to)))
      throw new InputError(l10n.t('"{0}" already exists.', args.to));
    return download({ what, to: args.to, replace }, context, signal);
  },
  runInteractive: async (context, nodes) => {
    const meant = locationsOfNodes(nodes);
    const [only] = meant;
    if (!only) return undefined;
    const done = await (meant.length === 1
      ? downloadOne(only, context)
      : downloadAll(meant, context));
    if (done) showDownloaded(ui, done.result, done.folder);
    return done?.result;
  },
});

type Skipped = DownloadResult['leftOut'][number];

/** Source and target of a download, and whether files there are replaced. */
interface Wanted {
  readonly what: FileLocation;
  readonly to: string;
  readonly replace: boolean;
}

interface Done {
  readonly result: DownloadResult;
  readonly folder: string;
}

async function downloadOne(what: FileLocation, context: CommandContext): Promise<Done | undefined> {
  const { kind } = await statForUser(what, context);
  if (kind === 'folder') return downloadAll([what], context);
  // The dialog asked before it returned an existing file. A file that is created after that is not overwritten.
  const to = await context.ui.saveDialog({
    title: titleOf([what]),
    name: localName(what),
    button: l10n.t('Download'),
  });
  if (to?.scheme !== 'file') return undefined;
  const replace = await fileExists(to.fsPath);
  const result = await transfer([{ what, to: to.fsPath, replace }], context);
  return { result, folder: dirname(to.fsPath) };
}

async function downloadAll(
  meant: readonly FileLocation[],
  context: CommandContext,
): Promise<Done | undefined> {
  const [folder] = await context.ui.openDialog({
    title: titleOf(meant),
    canSelect: 'folders',
    // Otherwise, VS Code proposes that of the active editor.
    folder: context.ui.workspaceFolders()[0] ?? homedir(),
    button: l10n.t('Download Here'),
  });
  if (folder?.scheme !== 'file') return undefined;
  const names = uniqueNames(meant.map(localName));
  const wanted = meant.map((what, at) => ({
    what,
    to: safePath(folder.fsPath, names[at] ?? ''),
  }));
  const there: string[] = [];
  for (const { to } of wanted) if (await fileExists(to)) there.push(basename(to));
  const replace = there.length === 0 ? false : await askReplace(context.ui, there);
  if (replace === undefined) return undefined;
  // The question named what is there: what was created since is not replaced.
  const all = wanted.map((one) => ({
    ...one,
    replace: replace && there.includes(basename(one.to)),
  }));
  return { result: await transfer(all, context), folder: folder.fsPath };
}

function titleOf(meant: readonly FileLocation[]): string {
  const [only] = meant;
  return meant.length === 1 && only
    ? l10n.t('Download {0}', formatName(localName(only)))
    : l10n.t('Download {0} items', meant.length);
}

/** Resolves to true to replace files, to false to keep them, and to undefined if the user cancels. */
async function askReplace(ui: Ui, there: readonly string[]): Promise<boolean | undefined> {
  const replace = l10n.t('Replace Files');
  const keep = l10n.t('Keep Files');
  const answer = await ui.choose(
    l10n.t('Already exists: {0}', formatNames(there, 3)),
    l10n.t('Existing folders are merged.'),
    [replace, keep],
  );
  return answer === undefined ? undefined : answer === replace;
}

function transfer(wanted: readonly Wanted[], context: CommandContext): Promise<DownloadResult> {
  const [first] = wanted;
  const name =
    wanted.length === 1 && first ? basename(first.to) : l10n.t('{0} items', wanted.length);
  return withByteCount(context.ui, l10n.t('Downloading {0}', name), async (signal, onBytes) => {
    const results: DownloadResult[] = [];
    for (const one of wanted) results.push(await download(one, context, signal, onBytes));
    return {
      files: results.reduce((sum, one) => sum + one.files, 0),
      bytes: results.reduce((sum, one) => sum + one.bytes, 0),
      leftOut: results.flatMap((one) => one.leftOut),
    };
  });
}

async function download(
  { what, to, replace }: Wanted,
  context: CommandContext,
  signal: AbortSignal,
  onBytes?: (count: number) => void,
): Promise<DownloadResult> {
  const { all } = await context.window.files();
  const token = newPartToken();
  const file = { path: to, token };
  using _note = context.window.work?.begin({ kind: 'download', name: basename(to), file });
  const options = { replace, token, onBytes };
  return await downloadPath(all.access(what.root), what.path, to, options, signal);
}

function showDownloaded(ui: Ui, { files, bytes, leftOut }: DownloadResult, folder: string): void {
  const size = formatSize(bytes);
  const count = files === 1 ? l10n.t('1 file') : l10n.t('{0} files', files);
  if (leftOut.length === 0) {
    ui.info(l10n.t('Downloaded {0} ({1}) to {2}.', count, size, folder));
    return;
  }
  const some = leftOut.slice(0, 5).map((one) => `${oneLine(one.name, 80)} (${skipReason(one)})`);
  const more = leftOut.length > some.length ? ', …' : '';
  const list = some.join(', ') + more;
  ui.warn(l10n.t('Downloaded {0} ({1}). Skipped {2}: {3}', count, size, leftOut.length, list));
}

function skipReason({ name, reason }: Skipped): string {
  if (hasReplacement(name)) return l10n.t('name is not UTF-8');
  return {
    outside: l10n.t('outside the folder'),
    name: l10n.t('file name not supported on this machine'),
    special: l10n.t('a device'),
    inTheWay: l10n.t('already exists'),
    link: l10n.t('links are not supported here'),
    unmounted: l10n.t('not mounted while the container is stopped'),
  }[reason];
}

/** Returns the local name of a file: its own, if it is valid on this machine. */
function localName({ root, path }: FileLocation): string {
  const own = path === '/' ? (root.name.split('/').pop() ?? '') : basename(path);
  const name = own.replaceAll(':', '-');
  return isLocalName([name], process.platform) ? name : 'download';
}
