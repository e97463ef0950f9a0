/** A container as a file: the argument that creates it, as JSON with comments. */

import {
  findNodeAtLocation,
  getNodeValue,
  parseTree,
  type Node,
  type ParseError,
} from 'jsonc-parser';

import { createSpec } from '../engine/options/createSpec.ts';
import type { CreateArguments } from '../engine/options/options.ts';
import { InputError } from '../engine/errors.ts';
import { asRecord } from '../engine/wire.ts';
import type { L10n } from '../l10n.ts';
import { findFault } from './fieldFault.ts';
import { syntaxErrorMessage, textPositionAt, RecipeError } from './recipeError.ts';
import {
  expandMount,
  expandVariables,
  isExpanded,
  mapTexts,
  type RecipeContext,
} from './expandVariables.ts';

/**
 * Reads a recipe; what comes out passes `createSpec`.
 *
 * @throws RecipeError with the place of the first fault: syntax, fields, variables that are not set, values.
 */
export function readRecipe(text: string, reading: ReadRecipeOptions, l10n: L10n): CreateArguments {
  const root = parse(text, reading, l10n);
  const fail = (path: readonly (string | number)[], error: unknown): never => {
    if (!(error instanceof InputError)) throw error;
    const node = findNodeAtLocation(root, [...path]) ?? root;
    throw new RecipeError(reading.file, textPositionAt(text, node.offset), error.message);
  };
  const at = <T>(path: readonly (string | number)[], work: () => T): T => {
    try {
      return work();
    } catch (error) {
      return fail(path, error);
    }
  };
  const fields = Object.entries(asRecord(getNodeValue(root)));
  const given = Object.fromEntries(fields.filter(([name]) => name !== SCHEMA));
  for (const [name, value] of Object.entries(given)) {
    at([name], () => {
      reading.checkField({ [name]: value });
    });
  }
  at([], () => {
    reading.checkFields(given);
  });
  const args = expandFields(given, reading.context, at, l10n);
  const fault = findFault(args, l10n);
  if (fault) return fail(fault.path, fault.error);
  // What is left is what two fields say against each other.
  at(['restart'], () => createSpec(args, l10n));
  return args;
}

/** What recipes are called: `web.container.json`. */
export const RECIPE_SUFFIX = '.container.json';

/** The file system a file is in. */
interface FileSystemId {
  readonly scheme: string;
  readonly authority: string;
}

/** Whether recipes may be there: on this machine, or where a folder of the workspace is. */
export function holdsRecipes(
  { scheme, authority }: FileSystemId,
  workspaceFolders: readonly FileSystemId[],
): boolean {
  if (scheme === 'file') return true;
  return workspaceFolders.some((one) => one.scheme === scheme && one.authority === authority);
}

/** Names the schema for editors that know of it by no other way; it says nothing of the container. */
const SCHEMA = '$schema';

/** Characters; a recipe is a page of text. */
const TEXT_LIMIT = 1024 * 1024;

/** What a recipe is read with. */
export interface ReadRecipeOptions {
  /** What to call the file. */
  readonly file: string;
  readonly context: RecipeContext;
  /** Checks the kinds of fields, all that are required among them. @throws InputError. */
  readonly checkFields: (args: object) => void;
  /** Checks the kind of one field. @throws InputError. */
  readonly checkField: (field: object) => void;
}

function parse(text: string, { file }: ReadRecipeOptions, l10n: L10n): Node {
  const errors: ParseError[] = [];
  const isTooLong = text.length > TEXT_LIMIT;
  const root = isTooLong ? undefined : parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) {
    throw new RecipeError(
      file,
      textPositionAt(text, first.offset),
      syntaxErrorMessage(first.error, l10n),
    );
  }
  if (root?.type === 'object') return root;
  const offset = root?.offset ?? 0;
  throw new RecipeError(
    file,
    textPositionAt(text, offset),
    l10n.t('A recipe is an object in braces, with an "image" at least.'),
  );
}

type At = <T>(path: readonly (string | number)[], work: () => T) => T;

/** The fields with their variables replaced. */
function expandFields(
  given: Readonly<Record<string, unknown>>,
  around: RecipeContext,
  at: At,
  l10n: L10n,
): CreateArguments {
  const expand = (text: string, field: string): string => {
    const expanded = expandVariables(text, around, l10n);
    return field === 'mounts' ? expandMount(expanded, around, l10n) : expanded;
  };
  const fields = Object.entries(given).map(([name, value]) => [
    name,
    isExpanded(name)
      ? mapTexts(value, [name], (text, path) => at(path, () => expand(text, name)))
      : value,
  ]);
  return Object.fromEntries(fields) as CreateArguments;
}

/** Replaces what inline words of a task's definition begin at their folder with; its variables are replaced already. */
export function withAbsoluteMounts(
  args: CreateArguments,
  around: RecipeContext,
  l10n: L10n,
): CreateArguments {
  const { mounts } = args;
  if (!mounts) return args;
  return { ...args, mounts: mounts.map((mount) => expandMount(mount, around, l10n)) };
}
