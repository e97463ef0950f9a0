import * as l10n from '@vscode/l10n';
import { isAbsolute, posix } from 'node:path';
import * as vscode from 'vscode';
import { InputError } from '../../engine/errors.ts';
import { oneLine, quotable } from '../../base/plainText.ts';
import type { PlainCommand } from '../frame/command.ts';
import {
  pathSchema,
  resolveLocation,
  locationUri,
  type PathArguments,
  type FileLocation,
} from './fileLocation.ts';
import { pickFile } from './findFileCommand.ts';
import { pickRow } from '../frame/pickTarget.ts';
import type { Ui } from '../ui/ui.ts';

interface CompareArguments extends PathArguments {
  readonly with: string;
}

/** Maximum number of workspace files to offer. */
const OFFERED = 50;

/** Compares a file of a container with a local one, in VS Code's diff editor. */
export const compareFileCommand = (
  ui: Ui,
): PlainCommand<CompareArguments, { readonly title: string }> => ({
  id: 'gantry.files.compare',
  schema: { ...pathSchema, with: { kind: 'text', required: true } },
  selects: ['container', 'volume'],
  isForOne: true,
  pick: pickRow('gantry.files.compare', 'container'),
  failureTitle: l10n.t('Could not compare'),
  run: async (args, context, signal) => {
    if (!isAbsolute(args.with))
      throw new InputError(
        l10n.t('"{0}" is not an absolute path on this machine.', quotable(args.with)),
      );
    return compare(await resolveLocation(args, context, signal), vscode.Uri.file(args.with), ui);
  },
  runInteractive: async (context, nodes) => {
    const file = await pickFile(context, nodes);
    const other = file && (await askOther(context.ui, posix.basename(file.path)));
    return file && other && compare(file, other, ui);
  },
});

async function compare(
  file: FileLocation,
  other: vscode.Uri,
  ui: Ui,
): Promise<{ readonly title: string }> {
  const name = oneLine(posix.basename(file.path), 80);
  const title = l10n.t('{0}: local ↔ {1}', name, file.root.name);
  await vscode.commands.executeCommand('vscode.diff', other, locationUri(file, ui), title);
  return { title };
}

/**
 * Asks for a file of the workspace, with files of the same name first. Resolves to undefined if the user
 * cancels.
 */
async function askOther(ui: Ui, name: string): Promise<vscode.Uri | undefined> {
  // Characters with a meaning in glob patterns are replaced with a wildcard.
  const pattern = `**/${name.replace(/[[\]{}()*?!\\,]/g, '?')}`;
  const found = await vscode.workspace.findFiles(pattern, undefined, OFFERED);
  const active = vscode.window.activeTextEditor?.document.uri;
  const uris = active?.scheme === 'file' ? [active, ...found] : found;
  const byText = new Map(uris.map((uri) => [uri.toString(), uri]));
  if (byText.size === 0) return chooseFile();
  const items = [...byText.values()].map((uri) => ({
    label: vscode.workspace.asRelativePath(uri),
    description: uri.toString() === active?.toString() ? l10n.t('open editor') : '',
    uri,
  }));
  const choose = { label: l10n.t('Select File...'), description: '', uri: undefined };
  const placeholder = l10n.t('Compare with');
  const title = ui.commandTitle('gantry.files.compare');
  const picked = await ui.pick({ title, placeholder, items: [...items, choose] });
  return picked && (picked.uri ?? chooseFile());
}

async function chooseFile(): Promise<vscode.Uri | undefined> {
  const options = { title: l10n.t('Compare With File'), openLabel: l10n.t('Compare') };
  const [uri] = (await vscode.window.showOpenDialog(options)) ?? [];
  return uri;
}
