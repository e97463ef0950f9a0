/** Replaces variables in recipes: `${workspaceFolder}`, `${env:NAME}`, and folders relative to the file. */

import * as l10n from '@vscode/l10n';
import { resolve } from 'node:path';

import { InputError, RestrictedModeError } from '../engine/errors.ts';
import { optionsOfKind } from '../engine/options/options.ts';

/**
 * Replaces the variables in a text; `$${env:X}` is an escaped `${env:X}`.
 *
 * @throws InputError if a variable is not set; RestrictedModeError if it is not available in Restricted Mode.
 */
export function expandVariables(text: string, around: RecipeContext): string {
  return text.replace(VARIABLE, (whole, dollar: string, name: string | undefined) => {
    if (dollar !== '') return whole.slice(1);
    const value = name === undefined ? around.workspaceFolder : valueIn(around.env, name);
    if (value !== undefined) return value;
    const Problem = name !== undefined && !around.env ? RestrictedModeError : InputError;
    throw new Problem(whyNothing(whole, name, around));
  });
}

/** The values for the variables of a recipe. No other source is read. */
export interface RecipeContext {
  /** The folder for relative mount sources; undefined if it is not on this machine. */
  readonly folder: string | undefined;
  readonly workspaceFolder: string | undefined;
  /** The environment variables; undefined if the recipe may not read them. */
  readonly env: Readonly<Record<string, string | undefined>> | undefined;
}

/** Commands that run in the container: variables there are those of its shell. */
const OWN_WORDS = optionsOfKind('words', 'healthcheck');

const VARIABLE = /(\$?)\$\{(?:env:([^}$]*)|(workspaceFolder))\}/g;

/** Whether variables in this field are replaced. */
export function isExpanded(field: string): boolean {
  return !OWN_WORDS.has(field);
}

/** Only own properties: `constructor` is a property of every object. */
function valueIn(env: RecipeContext['env'], name: string): string | undefined {
  return env && Object.hasOwn(env, name) ? env[name] : undefined;
}

function whyNothing(whole: string, name: string | undefined, { env }: RecipeContext): string {
  if (name === undefined) return l10n.t('{0}: the recipe is not in a workspace folder.', whole);
  return env
    ? l10n.t('{0}: environment variable not set.', whole)
    : l10n.t('{0}: environment variables are not available in Restricted Mode.', whole);
}

/** Escapes variables, so that {@link expandVariables} returns this text. */
export function escapeVariables(text: string): string {
  return text.replace(VARIABLE, (whole) => `$${whole}`);
}

/**
 * Returns a mount with an absolute source path if the source is relative to the recipe's folder
 * (`./data:/data`, `..:/work`).
 *
 * @throws InputError if that folder is not on this machine.
 */
export function expandMount(mount: string, around: RecipeContext): string {
  const [, source, rest] = /^(\.{1,2}(?:[\\/][^:]*)?)(:.*)$/s.exec(mount) ?? [];
  if (source === undefined || rest === undefined) return mount;
  if (around.folder !== undefined) return `${resolve(around.folder, source)}${rest}`;
  throw new InputError(
    l10n.t('"{0}" is relative to the folder of the recipe, which is not on this machine.', mount),
  );
}

/** Returns a copy of a value with every string in it replaced. */
export function mapTexts(
  value: unknown,
  path: readonly (string | number)[],
  map: (text: string, path: readonly (string | number)[]) => string,
): unknown {
  if (typeof value === 'string') return map(value, path);
  if (Array.isArray(value))
    return value.map((one: unknown, index) => mapTexts(one, [...path, index], map));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as Record<string, unknown>);
  return Object.fromEntries(entries.map(([key, one]) => [key, mapTexts(one, [...path, key], map)]));
}
