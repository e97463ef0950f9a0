/** What in a recipe stands for something else: `${workspaceFolder}`, `${env:NAME}`, folders beside the file. */

import { resolve } from 'node:path';

import { InputError } from '../engine/errors.ts';
import { optionsOfKind } from '../engine/options/options.ts';
import type { L10n } from '../l10n.ts';

/**
 * One text with its variables replaced; `$${env:X}` stands for the words themselves.
 *
 * @throws InputError for a variable that is not set, or not given away.
 */
export function expandVariables(text: string, around: RecipeContext, l10n: L10n): string {
  return text.replace(VARIABLE, (whole, dollar: string, name: string | undefined) => {
    if (dollar !== '') return whole.slice(1);
    const value = name === undefined ? around.workspaceFolder : valueIn(around.env, name);
    if (value !== undefined) return value;
    throw new InputError(whyNothing(whole, name, around, l10n));
  });
}

/** Where a recipe is read, and what its words may stand for. Nothing else is looked at. */
export interface RecipeContext {
  /** The folder relative sources of mounts begin at; undefined where it is no folder of this machine. */
  readonly folder: string | undefined;
  readonly workspaceFolder: string | undefined;
  /** Undefined where a recipe is not to know it. */
  readonly env: Readonly<Record<string, string | undefined>> | undefined;
}

/** Words of the container's own: what looks like a variable there is one of its shell. */
const OWN_WORDS = optionsOfKind('words', 'healthcheck');

const VARIABLE = /(\$?)\$\{(?:env:([^}$]*)|(workspaceFolder))\}/g;

/** Whether the words of a field may stand for something else. */
export function isExpanded(field: string): boolean {
  return !OWN_WORDS.has(field);
}

/** Only what was set: `constructor` is a name that every object knows. */
function valueIn(env: RecipeContext['env'], name: string): string | undefined {
  return env && Object.hasOwn(env, name) ? env[name] : undefined;
}

function whyNothing(
  whole: string,
  name: string | undefined,
  { env }: RecipeContext,
  l10n: L10n,
): string {
  if (name === undefined) {
    return l10n.t(
      '{0} stands for nothing here: the recipe is in no folder of the workspace.',
      whole,
    );
  }
  return env
    ? l10n.t('{0} stands for nothing: this variable is not set where VS Code runs.', whole)
    : l10n.t('{0} stands for nothing: the workspace is not trusted with your variables.', whole);
}

/** The words that {@link expandVariables} makes this text of. */
export function escapeVariables(text: string): string {
  return text.replace(VARIABLE, (whole) => `$${whole}`);
}

/**
 * A mount whose source begins at the recipe's folder (`./data:/data`, `..:/work`), with the full path.
 *
 * @throws InputError where that folder is not one of this machine.
 */
export function expandMount(mount: string, around: RecipeContext, l10n: L10n): string {
  const [, source, rest] = /^(\.{1,2}(?:[\\/][^:]*)?)(:.*)$/s.exec(mount) ?? [];
  if (source === undefined || rest === undefined) return mount;
  if (around.folder !== undefined) return `${resolve(around.folder, source)}${rest}`;
  throw new InputError(
    l10n.t('"{0}" begins at the folder of the recipe, which is not on this machine.', mount),
  );
}

/** A value with every text in it replaced. */
export function mapTexts(
  value: unknown,
  path: readonly (string | number)[],
  map: (text: string, path: readonly (string | number)[]) => string,
): unknown {
  if (typeof value === 'string') return map(value, path);
  if (Array.isArray(value)) {
    return value.map((one: unknown, index) => mapTexts(one, [...path, index], map));
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as Record<string, unknown>);
  return Object.fromEntries(entries.map(([key, one]) => [key, mapTexts(one, [...path, key], map)]));
}
