import { isAbsolute, posix } from 'node:path';
import * as vscode from 'vscode';
import { InputError } from '../../engine/errors.ts';
import { oneLine } from '../../plainText.ts';
import type { PlainCommand } from '../command.ts';
import {
  pathSchema,
  resolveLocation,
  pickLocation,
  locationUri,
  type PathArguments,
  type FileLocation,
} from './fileLocation.ts';
import { findPath } from './findFileCommand.ts';
import { formatItem } from '../displayText.ts';

const { l10n } = vscode;

interface CompareArguments extends PathArguments {
  readonly with: string;
}

/** Files of the workspace that are offered at most. */
const OFFERED = 50;

/** Shows a file of a container beside one of this machine, in the editor's own diff. */
export const compareFileCommand: PlainCommand<CompareArguments, { readonly title: string }> = {
  id: 'gantry.files.compare',
  schema: { ...pathSchema, with: { kind: 'text', required: true } },
  selects: 'container',
  failureTitle: l10n.t('Could not compare'),
  run: async (args, context, signal) => {
    if (!isAbsolute(args.with))
      throw new InputError(l10n.t('"{0}" is not a full path on this machine.', args.with));
    return compare(await resolveLocation(args, context, signal), vscode.Uri.file(args.with));
  },
  runInteractive: async (context, nodes) => {
    const found = await pickLocation(context, nodes);
    const file = found?.path === '/' ? await findPath(found, context) : found;
    const other = file && (await askOther(posix.basename(file.path)));
    return file && other && compare(file, other);
  },
};

async function compare(file: FileLocation, other: vscode.Uri): Promise<{ readonly title: string }> {
  const name = oneLine(posix.basename(file.path), 80);
  const title = l10n.t('{0}: here ↔ {1}', name, file.root.name);
  await vscode.commands.executeCommand('vscode.diff', other, locationUri(file), title);
  return { title };
}

/** A file of the workspace, those of the same name first. Undefined where the person leaves. */
async function askOther(name: string): Promise<vscode.Uri | undefined> {
  // What would mean something in a pattern stands for any character.
  const pattern = `**/${name.replace(/[[\]{}()*?!\\,]/g, '?')}`;
  const found = await vscode.workspace.findFiles(pattern, undefined, OFFERED);
  const active = vscode.window.activeTextEditor?.document.uri;
  const uris = active?.scheme === 'file' ? [active, ...found] : found;
  const byText = new Map(uris.map((uri) => [uri.toString(), uri]));
  if (byText.size === 0) return chooseFile();
  const items = [...byText.values()].map((uri) => ({
    ...formatItem({
      label: vscode.workspace.asRelativePath(uri),
      description: uri.toString() === active?.toString() ? l10n.t('in the editor') : '',
    }),
    uri,
  }));
  const choose = { label: l10n.t('Choose a File…'), description: '', uri: undefined };
  const placeHolder = l10n.t('Compare with');
  const picked = await vscode.window.showQuickPick([...items, choose], { placeHolder });
  return picked && (picked.uri ?? chooseFile());
}

async function chooseFile(): Promise<vscode.Uri | undefined> {
  const [uri] = (await vscode.window.showOpenDialog({ openLabel: l10n.t('Compare') })) ?? [];
  return uri;
}
