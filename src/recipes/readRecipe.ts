/** Reads recipes: container configuration files that have the argument of a create as JSON with comments. */

import * as l10n from '@vscode/l10n';
import {
  findNodeAtLocation,
  getNodeValue,
  parseTree,
  type Node,
  type ParseError,
} from 'jsonc-parser';
import { createSpec } from '../engine/containers/createSpec.ts';
import type { CreateArguments } from '../engine/options/options.ts';
import { InputError } from '../engine/errors.ts';
import { asRecord } from '../engine/wire/wire.ts';
import { argumentParts, isValid } from './argumentParts.ts';
import {
  expandMount,
  expandVariables,
  isExpanded,
  mapTexts,
  type RecipeContext,
} from './expandVariables.ts';
import { messageOf } from '../base/translate.ts';

/**
 * Reads a recipe. The result is valid for `createSpec`.
 *
 * @throws RecipeError with the position of the first error: syntax, fields, unset variables, values.
 */
export function readRecipe(text: string, reading: ReadRecipeOptions): CreateArguments {
  const root = parse(text, reading);
  const atNode = <T>(node: Node | undefined, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      throw new RecipeError(reading.file, text, (node ?? root).offset, messageOf(error), error);
    }
  };
  const at: At = (path, work) => atNode(findNodeAtLocation(root, [...path]), work);
  const fields = Object.entries(asRecord(getNodeValue(root)));
  const given = Object.fromEntries(fields.filter(([name]) => name !== SCHEMA));
  for (const [name, value] of Object.entries(given)) {
    // The parent of the value begins with the name, which may be the error.
    atNode(findNodeAtLocation(root, [name])?.parent, () => reading.checkField({ [name]: value }));
  }
  at([], () => reading.checkFields(given));
  const args = expandFields(given, reading.context, at);
  if (isValid(args)) return args;
  // Each is checked with all rules, so a recipe with very many values would take seconds.
  for (const part of argumentParts(args).slice(0, MOST_PARTS))
    at(part.path, () => createSpec(part.args));
  // The remaining errors are conflicts between two fields.
  at(['restart'], () => createSpec(args));
  return args;
}

/** Maximum number of values checked one by one for the position of an error. */
const MOST_PARTS = 2_000;

/** The suffix of recipe files, such as `web.container.json`. */
export const RECIPE_SUFFIX = '.container.json';

interface FileSystemId {
  readonly scheme: string;
  readonly authority: string;
}

/** Whether a file system may have recipes: the local one, or the one of a workspace folder. */
export function holdsRecipes(
  { scheme, authority }: FileSystemId,
  workspaceFolders: readonly FileSystemId[],
): boolean {
  if (scheme === 'file') return true;
  return workspaceFolders.some((one) => one.scheme === scheme && one.authority === authority);
}

/** Names the JSON schema for other editors. Not an option of the container. */
const SCHEMA = '$schema';

/** Maximum number of characters; a recipe is about a page of text. */
const TEXT_LIMIT = 1024 * 1024;

interface ReadRecipeOptions {
  /** The file name for error messages. */
  readonly file: string;
  readonly context: RecipeContext;
  /** Checks the kinds of all fields, and that required ones are present. @throws InputError. */
  readonly checkFields: (args: object) => void;
  /** Checks the kind of one field. @throws InputError. */
  readonly checkField: (field: object) => void;
}

function parse(text: string, { file }: ReadRecipeOptions): Node {
  const errors: ParseError[] = [];
  const isTooLong = text.length > TEXT_LIMIT;
  const root = isTooLong ? undefined : parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) {
    const message = MESSAGES[first.error]?.() ?? l10n.t('Invalid JSON.');
    throw new RecipeError(file, text, first.offset, message);
  }
  if (root?.type === 'object') return root;
  const message = l10n.t('A recipe is a JSON object with at least an "image".');
  throw new RecipeError(file, text, root?.offset ?? 0, message);
}

type At = <T>(path: readonly (string | number)[], work: () => T) => T;

function expandFields(
  given: Readonly<Record<string, unknown>>,
  around: RecipeContext,
  at: At,
): CreateArguments {
  const expand = (text: string, field: string): string => {
    const expanded = expandVariables(text, around);
    return field === 'mounts' ? expandMount(expanded, around) : expanded;
  };
  const fields = Object.entries(given).map(([name, value]) => [
    name,
    isExpanded(name)
      ? mapTexts(value, [name], (text, path) => at(path, () => expand(text, name)))
      : value,
  ]);
  return Object.fromEntries(fields) as CreateArguments;
}

/** Makes relative mount sources in a task definition absolute. VS Code has already replaced the variables. */
export function withAbsoluteMounts(args: CreateArguments, around: RecipeContext): CreateArguments {
  const { mounts } = args;
  if (!mounts) return args;
  return { ...args, mounts: mounts.map((mount) => expandMount(mount, around)) };
}

/** An invalid recipe, with the position of the first error. The message has both the file and the position. */
export class RecipeError extends InputError {
  /** The file name that the caller passed. */
  readonly file: string;
  /** Line and column, both zero-based. */
  readonly position: { readonly line: number; readonly column: number };

  /** @param offset the offset of the error in the text. */
  constructor(file: string, text: string, offset: number, why: string, cause?: unknown) {
    const before = text.slice(0, offset).split(/\r\n|\r|\n/);
    const position = { line: before.length - 1, column: before.at(-1)?.length ?? 0 };
    super(`${file}:${position.line + 1}:${position.column + 1}: ${why}`, { cause });
    this.file = file;
    this.position = position;
  }
}

/** Messages for JSON errors, by the parser's error codes, which it exports only as types. */
const MESSAGES: Readonly<Record<number, () => string>> = {
  3: () => l10n.t('Property name expected.'),
  4: () => l10n.t('Value expected.'),
  5: () => l10n.t('Colon expected.'),
  6: () => l10n.t('Comma expected.'),
  7: () => l10n.t('Closing brace expected.'),
  8: () => l10n.t('Closing bracket expected.'),
  9: () => l10n.t('End of file expected.'),
  11: () => l10n.t('Unexpected end of comment.'),
  12: () => l10n.t('Unexpected end of string.'),
};
