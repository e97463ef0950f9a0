/** Recipes as files of the workspace: found, read, and shown where they are wrong. */

import { dirname } from 'node:path';
import * as vscode from 'vscode';

import type { CreateArguments } from '../../engine/options/options.ts';
import { InputError } from '../../engine/errors.ts';
import { holdsRecipes, readRecipe, RECIPE_SUFFIX } from '../../recipes/readRecipe.ts';
import { RecipeError } from '../../recipes/recipeError.ts';
import type { RecipeContext } from '../../recipes/expandVariables.ts';
import { createSchema, optionSchema } from '../create/createSchema.ts';
import { showInfo, type MessageAction } from '../notifications.ts';
import { checkArguments } from '../arguments.ts';
import { formatItem, formatName } from '../displayText.ts';

const { l10n } = vscode;

/** So many are offered; whoever has more names one. */
const MOST_OFFERED = 500;

/**
 * Where a recipe is that an argument names: a full path, one that begins at a folder of the workspace, or a URI.
 *
 * @param first the folder that is looked in before the others.
 * @throws InputError where there is none.
 */
export async function findRecipe(path: string, first?: vscode.Uri): Promise<vscode.Uri> {
  const named = recipeUri(path);
  if (named) return named;
  const folders = workspaceUris();
  for (const uri of first ? [first, ...folders] : folders) {
    const found = vscode.Uri.joinPath(uri, path.replaceAll('\\', '/'));
    if (await isFile(found)) return found;
  }
  throw new InputError(l10n.t('There is no recipe {0} in the workspace.', path));
}

/**
 * The recipe of a full path or a URI; undefined for any other text.
 *
 * @throws InputError for a file system that neither this machine nor the workspace has.
 */
export function recipeUri(path: string): vscode.Uri | undefined {
  if (/^(?:\/|[a-zA-Z]:[\\/]|\\\\)/.test(path)) return vscode.Uri.file(path);
  if (!/^[a-zA-Z][a-zA-Z0-9+.-]+:\/\//.test(path)) return undefined;
  const uri = vscode.Uri.parse(path, true);
  if (holdsRecipes(uri, workspaceUris())) return uri;
  throw new InputError(
    l10n.t('"{0}" is neither on this machine nor in the workspace.', formatName(path)),
  );
}

function workspaceUris(): readonly vscode.Uri[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
}

/**
 * Reads a recipe, as it stands in its editor where it is open.
 *
 * @throws RecipeError with the place of the first fault, InputError where it cannot be read.
 */
export async function readRecipeFile(uri: vscode.Uri): Promise<CreateArguments> {
  const file = vscode.workspace.asRelativePath(uri);
  const reading = {
    file,
    context: recipeContext(uri),
    checkFields: (args: object) => {
      checkArguments(args, createSchema, l10n.t('A recipe'), l10n);
    },
    checkField: (field: object) => {
      checkArguments(field, optionSchema, l10n.t('A recipe'), l10n);
    },
  };
  return readRecipe(await textOf(uri, file), reading, l10n);
}

/**
 * What a recipe's words may stand for: its folder, the workspace's, and the environment of the extension, of which a
 * stranger's recipe would carry the person's secrets away.
 */
export function recipeContext(uri: vscode.Uri): RecipeContext {
  const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri;
  return {
    folder: uri.scheme === 'file' ? dirname(uri.fsPath) : undefined,
    workspaceFolder: folder?.scheme === 'file' ? folder.fsPath : undefined,
    env: vscode.workspace.isTrusted ? process.env : undefined,
  };
}

/** All recipes of the workspace. */
export async function listRecipes(): Promise<readonly vscode.Uri[]> {
  const found = await vscode.workspace.findFiles(
    `**/*${RECIPE_SUFFIX}`,
    '**/node_modules/**',
    MOST_OFFERED,
  );
  return [...found].sort((a, b) => a.path.localeCompare(b.path));
}

/** Lets the person choose among the workspace's recipes, the one they are looking at first. */
export async function pickRecipe(): Promise<vscode.Uri | undefined> {
  const recipes = await listRecipes();
  const active = vscode.window.activeTextEditor?.document.uri;
  const isActive = (uri: vscode.Uri): boolean => uri.toString() === active?.toString();
  const ordered = [...recipes.filter(isActive), ...recipes.filter((uri) => !isActive(uri))];
  if (ordered.length === 0) {
    showInfo(
      l10n.t(
        'There is no recipe in the workspace. Save one from a container, or write {0}.',
        `web${RECIPE_SUFFIX}`,
      ),
    );
    return undefined;
  }
  const items = ordered.map((uri) => {
    const path = vscode.workspace.asRelativePath(uri);
    const slash = path.lastIndexOf('/');
    return formatItem({
      label: path.slice(slash + 1),
      description: path.slice(0, Math.max(slash, 0)),
      uri,
    });
  });
  const placeHolder = l10n.t('Choose a recipe');
  return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true }))?.uri;
}

/** The button that opens a recipe where it is wrong. */
export function recipeErrorActions(error: unknown, uri: vscode.Uri): readonly MessageAction[] {
  if (!(error instanceof RecipeError)) return [];
  const { line, column } = error.position;
  const selection = new vscode.Range(line, column, line, column);
  return [
    {
      title: l10n.t('Open'),
      run: () => vscode.window.showTextDocument(uri, { selection }),
    },
  ];
}

/** Bytes; a recipe is a page of text. */
const LARGEST_RECIPE = 4 * 1024 * 1024;

async function textOf(uri: vscode.Uri, file: string): Promise<string> {
  const shown = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
  if (shown) return shown.getText();
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > LARGEST_RECIPE) throw new InputError(l10n.t('The recipe {0} is too large.', file));
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch (error) {
    if (error instanceof InputError) throw error;
    const isMissing = error instanceof vscode.FileSystemError && error.code === 'FileNotFound';
    if (isMissing) throw new InputError(l10n.t('There is no recipe {0}.', file));
    throw new InputError(l10n.t('The recipe {0} cannot be read.', file));
  }
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return (await vscode.workspace.fs.stat(uri)).type !== vscode.FileType.Directory;
  } catch {
    return false;
  }
}
