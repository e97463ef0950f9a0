import * as l10n from '@vscode/l10n';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import * as vscode from 'vscode';
import { InputError } from '../../engine/errors.ts';
import { writeAtomically } from '../../base/writeAtomically.ts';
import { RECIPE_SUFFIX } from '../../recipes/readRecipe.ts';
import { formatRecipe, isGeneratedName, secretVariables } from '../../recipes/formatRecipe.ts';
import { formatPowerShellCommand, formatRunCommand } from '../../recipes/formatRunCommand.ts';
import type { TargetCall, TargetCommand } from '../frame/command.ts';
import { readCopy } from '../create/proxies.ts';
import { redactCreateArguments } from '../../recipes/createHistory.ts';
import { withFileErrors } from '../files/archiveFiles.ts';
import { recipeUri } from './recipeFiles.ts';
import { formatName } from '../ui/formatNames.ts';
import type { CommandTarget } from '../frame/targets.ts';
import type { Ui } from '../ui/ui.ts';
import { askHidden, suspectMessage, unsupportedMessage } from './askHidden.ts';
import { quotable } from '../../base/plainText.ts';

interface SaveArguments {
  /** An absolute path, or a URI. */
  readonly path: string;
  /** Whether to replace an existing file. */
  readonly overwrite?: boolean;
  /** Variables whose values are not written; by default, those that look like secrets. */
  readonly hide?: readonly string[];
  /** The file that the user chose in a dialog, in any file system. Not part of the argument. */
  readonly chosen?: vscode.Uri;
}

interface Saved {
  readonly path: string;
  readonly hidden: readonly string[];
  readonly left: readonly string[];
  /** The name of the container if it is not in the recipe because it looks generated. */
  readonly leftName?: string;
  /** Labels and fields in the file that look like secrets; absent if there are none. */
  readonly suspect?: readonly string[];
}

/** Saves a recipe that creates a container like this one: only what differs from its image. */
export const saveRecipeCommand = (): TargetCommand<SaveArguments, Saved> => ({
  id: 'gantry.recipes.save',
  on: 'container',
  isForOne: true,
  schema: {
    path: { kind: 'text', required: true },
    overwrite: { kind: 'boolean' },
    hide: { kind: 'texts' },
  },
  progressTitle: (name) => l10n.t('Saving {0} as a recipe', name),
  failureTitle: (name) => l10n.t('Could not save {0} as a recipe', name),
  ask: async ([target]) => target && askWhere(target),
  run: save,
  message: ({ left, leftName, suspect }) => {
    const sentences = [
      unsupportedMessage(left),
      leftName === undefined
        ? undefined
        : l10n.t('The name {0} looks generated and is not in the recipe.', formatName(leftName)),
      suspectMessage(suspect),
    ].filter((one) => one !== undefined);
    return sentences.length > 0 ? sentences.join(' ') : undefined;
  },
});

async function save(call: TargetCall<SaveArguments>): Promise<Saved> {
  const { path, overwrite, hide, chosen } = call.args;
  const uri = chosen ?? recipeUri(path);
  if (!uri) throw new InputError(l10n.t('"{0}" is not an absolute path.', quotable(path)));
  const { id, context } = await call.target();
  const { args, unsupported } = await readCopy(context, await call.connect(), id, call.signal);
  const hidden = hide ?? secretVariables(args);
  if (overwrite !== true && (await isThere(uri))) {
    throw new InputError(
      l10n.t('{0} already exists.', formatName(vscode.workspace.asRelativePath(uri))),
    );
  }
  const { name = '', ...nameless } = args;
  const isGenerated = isGeneratedName(name);
  const text = formatRecipe(isGenerated ? nameless : args, hidden);
  await write(uri, text, overwrite === true);
  if (call.isInteractive) await vscode.window.showTextDocument(uri);
  // Without the variables, which the user was asked about.
  const suspect = redactCreateArguments({ ...args, env: [] }).notKept;
  const saved = uri.scheme === 'file' ? uri.fsPath : uri.toString();
  return {
    path: saved,
    hidden,
    left: unsupported,
    ...(isGenerated && { leftName: name }),
    ...(suspect.length > 0 && { suspect }),
  };
}

/** Writes a local file completely or not at all. A link is replaced, and not the file that it leads to. */
async function write(uri: vscode.Uri, text: string, overwrite: boolean): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  if (uri.scheme !== 'file') {
    await vscode.workspace.fs.writeFile(uri, bytes);
    return;
  }
  const path = uri.fsPath;
  await mkdir(dirname(path), { recursive: true });
  const work = () => writeAtomically(Readable.from([bytes]), path, { overwrite });
  await withFileErrors(path, work);
}

interface Copied {
  readonly outcome: 'copied';
  readonly left: readonly string[];
}

/** Copies the `docker run` command that would run a container like this one. */
export const copyRunCommand = (ui: Ui): TargetCommand<object, Copied> => ({
  id: 'gantry.containers.copyRunCommand',
  on: 'container',
  isForOne: true,
  progressTitle: (name) => l10n.t('Copying {0}', name),
  failureTitle: (name) => l10n.t('Could not copy {0}', name),
  run: async (call) => {
    const { id, context } = await call.target();
    const connection = await call.connect();
    const { args, unsupported: left } = await readCopy(context, connection, id, call.signal);
    // For the default shell of the platform.
    const line =
      process.platform === 'win32' ? formatPowerShellCommand(args) : formatRunCommand(args);
    await ui.copy(line);
    return { outcome: 'copied', left };
  },
  message: ({ left }) =>
    unsupportedMessage(left, l10n.t('Some container settings cannot be copied.')),
});

/** Asks for the file, and which variables to hide. Resolves to undefined if the user cancels. */
async function askWhere({ id, name, context }: CommandTarget): Promise<SaveArguments | undefined> {
  const { args } = await readCopy(context, await context.engine.connect(), id);
  const hide = await askHidden(
    context.ui,
    args,
    l10n.t('Save as Recipe'),
    (variable) => `\${env:${variable}}`,
  );
  if (!hide) return undefined;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
  const uri = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.joinPath(folder, `${name.replace(/[^\w.-]/g, '_')}${RECIPE_SUFFIX}`),
    filters: { [l10n.t('Container recipes')]: [RECIPE_SUFFIX.slice(1), 'json'] },
    title: l10n.t('Save as Recipe'),
  });
  // The dialog asked about the file that existed then. One that is created after that is not overwritten.
  return uri && { path: uri.toString(), chosen: uri, overwrite: await isThere(uri), hide };
}

async function isThere(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}
