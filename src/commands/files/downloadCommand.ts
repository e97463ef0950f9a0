import { basename, dirname, isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { InputError } from '../../engine/errors.ts';
import type { DownloadResult, SkipReason } from '../../files/writeEntries.ts';
import { uniqueNames, isLocalName, safePath } from '../../files/safePath.ts';
import { downloadPath } from '../../files/pathTransfer.ts';
import { oneLine } from '../../plainText.ts';
import { formatSize } from '../../views/format.ts';
import { fileExists } from '../images/archiveFiles.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import {
  locationOfNode,
  pathSchema,
  resolveLocation,
  pickLocation,
  type PathArguments,
  type FileLocation,
} from './fileLocation.ts';
import { withByteCount } from './withByteProgress.ts';
import { choose, showInfo, showWarning } from '../notifications.ts';
import { formatNames } from '../displayText.ts';

const { l10n } = vscode;

interface DownloadArguments extends PathArguments {
  readonly to: string;
  readonly replace?: boolean;
}

/** Writes a file or folder of a container to this machine. */
export const downloadCommand: PlainCommand<DownloadArguments, DownloadResult> = {
  id: 'gantry.files.download',
  schema: { ...pathSchema, to: { kind: 'text', required: true }, replace: { kind: 'boolean' } },
  selects: 'container',
  failureTitle: l10n.t('Could not download'),
  run: async (args, context, signal) => {
    const { root, path } = await resolveLocation(args, context, signal);
    if (!isAbsolute(args.to))
      throw new InputError(l10n.t('"{0}" is not a full path on this machine.', args.to));
    const replace = args.replace === true;
    if (!replace && (await fileExists(args.to)))
      throw new InputError(l10n.t('"{0}" is there already.', args.to));
    return downloadPath(context.files.access(root), path, args.to, { replace }, signal);
  },
  runInteractive: async (context, nodes) => {
    const rows = nodes.flatMap((node) => locationOfNode(node) ?? []);
    const one = rows.length > 0 ? undefined : await pickLocation(context, nodes);
    const meant = one ? [one] : rows;
    const [only] = meant;
    if (!only) return undefined;
    const done = await (meant.length === 1
      ? downloadOne(only, context)
      : downloadAll(meant, context));
    if (done) showDownloaded(done.result, done.folder);
    return done?.result;
  },
};

interface Done {
  readonly result: DownloadResult;
  readonly folder: string;
}

async function downloadOne(what: FileLocation, context: CommandContext): Promise<Done | undefined> {
  const { stat } = await context.files.of(what.root).follow(what.path);
  if (stat.kind === 'folder') return downloadAll([what], context);
  const [workspace] = vscode.workspace.workspaceFolders ?? [];
  const name = localName(what);
  const defaultUri = workspace ? vscode.Uri.joinPath(workspace.uri, name) : vscode.Uri.file(name);
  // The editor asks before it names a file that is there: one that comes after that stays.
  const to = await vscode.window.showSaveDialog({ defaultUri, saveLabel: l10n.t('Download') });
  if (to?.scheme !== 'file') return undefined;
  const replace = await fileExists(to.fsPath);
  const result = await transfer([{ what, to: to.fsPath }], replace, context);
  return { result, folder: dirname(to.fsPath) };
}

async function downloadAll(
  meant: readonly FileLocation[],
  context: CommandContext,
): Promise<Done | undefined> {
  const [folder] =
    (await vscode.window.showOpenDialog({
      canSelectFiles: false,
      canSelectFolders: true,
      openLabel: l10n.t('Download Here'),
    })) ?? [];
  if (folder?.scheme !== 'file') return undefined;
  const names = uniqueNames(meant.map(localName));
  const wanted = meant.map((what, at) => ({
    what,
    to: safePath(folder.fsPath, names[at] ?? ''),
  }));
  const there: string[] = [];
  for (const { to } of wanted) if (await fileExists(to)) there.push(basename(to));
  const replace = there.length === 0 ? false : await askReplace(there);
  if (replace === undefined) return undefined;
  return { result: await transfer(wanted, replace, context), folder: folder.fsPath };
}

/** True to replace files, false to keep them; undefined where the person leaves. */
async function askReplace(there: readonly string[]): Promise<boolean | undefined> {
  const [replace, keep] = [l10n.t('Replace Files'), l10n.t('Keep Files')];
  const answer = await choose(
    l10n.t('There is already: {0}', formatNames(there, l10n, 3)),
    l10n.t('What is downloaded is added to folders that are there.'),
    [replace, keep],
  );
  return answer === undefined ? undefined : answer === replace;
}

function transfer(
  wanted: readonly { readonly what: FileLocation; readonly to: string }[],
  replace: boolean,
  context: CommandContext,
): Promise<DownloadResult> {
  const [first] = wanted;
  const name =
    wanted.length === 1 && first ? basename(first.to) : l10n.t('{0} items', wanted.length);
  return withByteCount(l10n.t('Downloading {0}', name), async (signal, onBytes) => {
    const results: DownloadResult[] = [];
    for (const { what, to } of wanted) {
      const reach = context.files.access(what.root);
      results.push(await downloadPath(reach, what.path, to, { replace, onBytes }, signal));
    }
    return {
      files: results.reduce((sum, one) => sum + one.files, 0),
      bytes: results.reduce((sum, one) => sum + one.bytes, 0),
      leftOut: results.flatMap((one) => one.leftOut),
    };
  });
}

function showDownloaded({ files, bytes, leftOut }: DownloadResult, folder: string): void {
  const size = formatSize(bytes);
  if (leftOut.length === 0) {
    showInfo(l10n.t('Downloaded {0} files ({1}) to {2}.', files, size, folder));
    return;
  }
  const some = leftOut
    .slice(0, 5)
    .map((one) => `${oneLine(one.name, 80)} (${skipReason(one.reason)})`);
  const more = leftOut.length > some.length ? ', …' : '';
  const list = some.join(', ') + more;
  showWarning(
    l10n.t('Downloaded {0} files ({1}). {2} were left out: {3}', files, size, leftOut.length, list),
  );
}

function skipReason(reason: SkipReason): string {
  return {
    outside: l10n.t('leads out of the folder'),
    name: l10n.t('no name for a file here'),
    special: l10n.t('a device'),
    inTheWay: l10n.t('there already'),
    link: l10n.t('links cannot be made here'),
  }[reason];
}

/** The name something has here: its own, where that is one. */
function localName({ root, path }: FileLocation): string {
  const own = path === '/' ? (root.name.split('/').pop() ?? '') : basename(path);
  const name = own.replaceAll(':', '-');
  return isLocalName([name], process.platform) ? name : 'download';
}
