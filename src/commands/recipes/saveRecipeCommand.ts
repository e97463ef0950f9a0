import { homedir } from 'node:os';
import * as vscode from 'vscode';

import type { CreateArguments } from '../../engine/options/options.ts';
import { InputError } from '../../engine/errors.ts';
import { readContainerSpec } from '../../recipes/containerSpec.ts';
import { RECIPE_SUFFIX } from '../../recipes/readRecipe.ts';
import { formatRecipe, secretVariables } from '../../recipes/formatRecipe.ts';
import { powerShellCommandLine, runCommandLine } from '../../recipes/runCommandLine.ts';
import type { TargetCommand } from '../command.ts';
import { redactCreateArguments } from '../create/createHistory.ts';
import { recipeUri } from './recipeFiles.ts';
import { formatItem, formatName, formatNames } from '../displayText.ts';
import type { CommandTarget } from '../targets.ts';

const { l10n } = vscode;

interface SaveArguments {
  /** Full, or a URI. */
  readonly path: string;
  /** Whether a file that is there already is replaced. */
  readonly overwrite?: boolean;
  /** Variables whose values stay out of the file; without it those that look like secrets. */
  readonly hide?: readonly string[];
  /** The place that the user chose in a dialog, in whatever file system it is; not a part of the argument. */
  readonly chosen?: vscode.Uri;
}

interface Saved {
  readonly path: string;
  readonly hidden: readonly string[];
  readonly left: readonly string[];
  /** Labels and fields that look as if they held secrets and are in the file; absent where there are none. */
  readonly suspect?: readonly string[];
}

/** Writes a recipe that creates a container like this one: what differs from its image. */
export const saveRecipeCommand: TargetCommand<SaveArguments, Saved> = {
  id: 'gantry.recipes.save',
  kind: 'container',
  isForOne: true,
  schema: {
    path: { kind: 'text', required: true },
    overwrite: { kind: 'boolean' },
    hide: { kind: 'texts' },
  },
  progressTitle: (name) => l10n.t('Saving a recipe of {0}', name),
  failureTitle: (name) => l10n.t('Could not save a recipe of {0}', name),
  ask: async ([target]) => target && askWhere(target),
  run: async (call) => {
    const { path, overwrite, hide, chosen } = call.args;
    const uri = chosen ?? fileOf(path);
    const { id } = await call.target();
    const { args, unsupported } = await readContainerSpec(await call.connect(), id, call.signal);
    const hidden = hide ?? secretVariables(args);
    if (overwrite !== true && (await isThere(uri))) {
      throw new InputError(
        l10n.t('{0} is there already.', formatName(vscode.workspace.asRelativePath(uri))),
      );
    }
    const text = formatRecipe(withoutMadeUpName(args), hidden);
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    if (call.isInteractive) await vscode.window.showTextDocument(uri);
    const suspect = suspectIn(args);
    const saved = uri.scheme === 'file' ? uri.fsPath : uri.toString();
    return { path: saved, hidden, left: unsupported, ...(suspect.length > 0 && { suspect }) };
  },
  say: ({ left, suspect }) => {
    const said = [
      unsupportedMessage(left, l10n.t('The recipe cannot say all of the container.')),
      suspect && suspectMessage(suspect),
    ].filter((one) => one !== undefined);
    return said.length > 0 ? said.join(' ') : undefined;
  },
};

interface Copied {
  readonly outcome: 'copied';
  readonly left: readonly string[];
}

/** Copies the line that would run a container like this one. */
export const copyRunCommand: TargetCommand<object, Copied> = {
  id: 'gantry.containers.copyRunCommand',
  kind: 'container',
  isForOne: true,
  schema: {},
  progressTitle: (name) => l10n.t('Copying {0}', name),
  failureTitle: (name) => l10n.t('Could not copy {0}', name),
  run: async (call) => {
    const { id } = await call.target();
    const { args, unsupported: left } = await readContainerSpec(
      await call.connect(),
      id,
      call.signal,
    );
    // As the terminals there have it by default.
    const line =
      process.platform === 'win32' ? powerShellCommandLine(args, l10n) : runCommandLine(args);
    await vscode.env.clipboard.writeText(line);
    return { outcome: 'copied', left };
  },
  say: ({ left }) => unsupportedMessage(left, l10n.t('The line cannot say all of the container.')),
};

function unsupportedMessage(left: readonly string[], sentence: string): string | undefined {
  if (left.length === 0) return undefined;
  return l10n.t('{0} Left out: {1}.', sentence, formatNames(left, l10n));
}

/** Besides the variables, of which the person was asked. */
function suspectIn(args: CreateArguments): readonly string[] {
  return redactCreateArguments({ ...args, env: [] }).notKept;
}

function suspectMessage(suspect: readonly string[]): string {
  return l10n.t(
    'Look at these before you share the file, they may hold secrets: {0}.',
    formatNames(suspect, l10n),
  );
}

/** Asks for the file, and for what of its environment is kept out. Undefined where the person leaves. */
async function askWhere({ id, name, context }: CommandTarget): Promise<SaveArguments | undefined> {
  const { args } = await readContainerSpec(await context.engine.connect(), id);
  const hide = await askHidden(args);
  if (!hide) return undefined;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
  const uri = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.joinPath(folder, `${name.replace(/[^\w.-]/g, '_')}${RECIPE_SUFFIX}`),
    filters: { [l10n.t('Recipes of containers')]: [RECIPE_SUFFIX.slice(1), 'json'] },
    title: l10n.t('Save as Recipe'),
  });
  // The dialog has asked whether to replace what is there, not what is there by the time of writing.
  return uri && { path: uri.toString(), chosen: uri, overwrite: await isThere(uri), hide };
}

async function askHidden(args: CreateArguments): Promise<readonly string[] | undefined> {
  const secrets = secretVariables(args);
  if (secrets.length === 0) return [];
  const items = secrets.map((name) =>
    formatItem({ label: name, description: `\${env:${name}}`, picked: true, name }),
  );
  const picked = await vscode.window.showQuickPick(items, {
    canPickMany: true,
    title: l10n.t('Save as Recipe'),
    placeHolder: l10n.t('These look like secrets. Those chosen are not written into the file'),
  });
  return picked?.map(({ name }) => name);
}

/** A name an engine made up is nobody's wish. */
function withoutMadeUpName(args: CreateArguments): CreateArguments {
  const { name, ...rest } = args;
  return name !== undefined && /^[a-z]+_[a-z]+\d?$/.test(name) ? rest : args;
}

function fileOf(path: string): vscode.Uri {
  const uri = recipeUri(path);
  if (uri) return uri;
  throw new InputError(l10n.t('"{0}" is not a full path.', path));
}

async function isThere(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}
