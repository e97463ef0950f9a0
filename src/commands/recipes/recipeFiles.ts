/** Finds and reads recipe files in the workspace, and shows their errors. */

import * as l10n from '@vscode/l10n';
import { dirname, posix } from 'node:path';
import * as vscode from 'vscode';
import type { CreateArguments } from '../../engine/options/options.ts';
import { InputError } from '../../engine/errors.ts';
import { LocalFileError, readLocalFile } from '../../base/readLocalFile.ts';
import { holdsRecipes, readRecipe, RECIPE_SUFFIX, RecipeError } from '../../recipes/readRecipe.ts';
import type { RecipeContext } from '../../recipes/expandVariables.ts';
import { createSchema, optionSchema } from '../create/createSchema.ts';
import type { MessageAction, Ui } from '../ui/ui.ts';
import { checkArguments } from '../ui/checkArguments.ts';
import { formatName } from '../ui/formatNames.ts';

/** Maximum number of recipes to offer. */
const MOST_OFFERED = 500;

/**
 * Resolves the path of a recipe in an argument: an absolute path, a path relative to a workspace folder, or a
 * URI.
 *
 * @param first the folder to look in first.
 * @throws InputError if the file does not exist.
 */
export async function findRecipe(path: string, first?: vscode.Uri): Promise<vscode.Uri> {
  const named = recipeUri(path);
  if (named) return named;
  const folders = workspaceUris();
  for (const uri of first ? [first, ...folders] : folders) {
    const found = vscode.Uri.joinPath(uri, path.replaceAll('\\', '/'));
    if (await isFile(found)) return found;
  }
  throw new InputError(l10n.t('Recipe {0} not found in the workspace.', path));
}

/**
 * Returns the URI for an absolute path or a URI; undefined for any other text.
 *
 * @throws InputError for a file system that is neither local nor of the workspace.
 */
export function recipeUri(path: string): vscode.Uri | undefined {
  if (/^(?:\/|[a-zA-Z]:[\\/]|\\\\)/.test(path)) return vscode.Uri.file(path);
  if (!/^[a-zA-Z][a-zA-Z0-9+.-]+:\/\//.test(path)) return undefined;
  const uri = vscode.Uri.parse(path, true);
  if (holdsRecipes(uri, workspaceUris())) return uri;
  throw new InputError(
    l10n.t('"{0}" is not on this machine or in the workspace.', formatName(path)),
  );
}

function workspaceUris(): readonly vscode.Uri[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
}

/**
 * Reads a recipe. If the file is open in VS Code, reads the text there.
 *
 * @throws RecipeError with the position of the first error, InputError if the file cannot be read.
 */
export async function readRecipeFile(uri: vscode.Uri): Promise<CreateArguments> {
  const file = vscode.workspace.asRelativePath(uri);
  const reading = {
    file,
    context: recipeContext(uri),
    checkFields: (args: object) => checkArguments(args, createSchema(), l10n.t('A recipe')),
    checkField: (field: object) => checkArguments(field, optionSchema(), l10n.t('A recipe')),
  };
  return readRecipe(await textOf(uri, file), reading);
}

/**
 * Returns the values for the variables of a recipe: its folder, the workspace folder, and the environment
 * variables. In Restricted Mode without the latter, because an untrusted recipe could leak the user's
 * secrets.
 */
export function recipeContext(uri: vscode.Uri): RecipeContext {
  const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri;
  return {
    folder: uri.scheme === 'file' ? dirname(uri.fsPath) : undefined,
    workspaceFolder: folder?.scheme === 'file' ? folder.fsPath : undefined,
    env: vscode.workspace.isTrusted ? process.env : undefined,
  };
}

/** Returns all recipes of the workspace. */
export async function listRecipes(): Promise<readonly vscode.Uri[]> {
  const found = await vscode.workspace.findFiles(
    `**/*${RECIPE_SUFFIX}`,
    '**/node_modules/**',
    MOST_OFFERED,
  );
  return [...found].sort((a, b) => a.path.localeCompare(b.path));
}

/** Lets the user pick a recipe of the workspace, with the one in the active editor first. */
export async function pickRecipe(ui: Ui): Promise<vscode.Uri | undefined> {
  const recipes = await listRecipes();
  const active = vscode.window.activeTextEditor?.document.uri;
  const isActive = (uri: vscode.Uri): boolean => uri.toString() === active?.toString();
  const ordered = [...recipes.filter(isActive), ...recipes.filter((uri) => !isActive(uri))];
  if (ordered.length === 0) {
    ui.info(l10n.t('No recipes in the workspace. Create one: {0}.', `web${RECIPE_SUFFIX}`));
    return undefined;
  }
  const items = ordered.map((uri) => {
    const { base, dir } = posix.parse(vscode.workspace.asRelativePath(uri));
    return { label: base, description: dir, uri };
  });
  const placeholder = l10n.t('Select a recipe');
  const title = ui.commandTitle('gantry.recipes.create');
  return (await ui.pick({ title, placeholder, items, matchOnDescription: true }))?.uri;
}

/** Returns the button that opens a recipe at the position of its error. */
export function recipeErrorActions(error: unknown, uri: vscode.Uri): readonly MessageAction[] {
  if (!(error instanceof RecipeError)) return [];
  const { line, column } = error.position;
  const selection = new vscode.Range(line, column, line, column);
  const run = () => vscode.window.showTextDocument(uri, { selection });
  return [{ title: l10n.t('Open'), run }];
}

/** In bytes; a recipe is about a page of text. */
const LARGEST_RECIPE = 4 * 1024 * 1024;

async function textOf(uri: vscode.Uri, file: string): Promise<string> {
  const shown = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
  if (shown) return shown.getText();
  const tooLarge = new InputError(l10n.t('Recipe {0} is too large.', file));
  try {
    // Of a link to a device, the size is 0, and it never ends.
    if (uri.scheme === 'file') {
      const options = { within: false, limit: LARGEST_RECIPE } as const;
      const bytes = await readLocalFile(uri.fsPath, options);
      return new TextDecoder().decode(bytes);
    }
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > LARGEST_RECIPE) throw tooLarge;
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch (error) {
    if (error instanceof LocalFileError && error.problem === 'tooLarge') throw tooLarge;
    if (error instanceof InputError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const isMissing = code === 'ENOENT' || code === 'FileNotFound';
    if (isMissing) throw new InputError(l10n.t('Recipe {0} not found.', file));
    throw new InputError(l10n.t('Cannot read recipe {0}.', file));
  }
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return (await vscode.workspace.fs.stat(uri)).type !== vscode.FileType.Directory;
  } catch {
    return false;
  }
}
