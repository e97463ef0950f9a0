/** Formats the argument of a create as a recipe. */

import type { CreateArguments } from '../engine/options/options.ts';
import { escapeVariables, isExpanded, mapTexts } from './expandVariables.ts';
import { isSecretName, isSecretValue } from '../engine/options/secretDetection.ts';

/**
 * Returns the text of a recipe that reads as the same argument.
 *
 * @param hidden variables to write as `${env:NAME}` instead of their values.
 */
export function formatRecipe(args: CreateArguments, hidden: readonly string[]): string {
  const fields = Object.entries(args).map(([name, value]): [string, unknown] => {
    if (name === 'env') return [name, (value as readonly string[]).map((one) => hide(one, hidden))];
    return [name, isExpanded(name) ? mapTexts(value, [], escapeVariables) : value];
  });
  return `${JSON.stringify(Object.fromEntries(fields), undefined, 2)}\n`;
}

/** Returns the names of the variables whose values look like secrets. */
export function secretVariables({ env = [] }: CreateArguments): readonly string[] {
  return env.flatMap((entry) => {
    const [name, value] = split(entry);
    const isSecret = value !== '' && (isSecretName(name) || isSecretValue(value));
    return isSecret && /^[^}]+$/.test(name) ? [name] : [];
  });
}

function hide(entry: string, hidden: readonly string[]): string {
  const [name] = split(entry);
  return hidden.includes(name) ? `${name}=\${env:${name}}` : escapeVariables(entry);
}

function split(entry: string): readonly [name: string, value: string] {
  const equals = entry.indexOf('=');
  return equals < 0 ? [entry, ''] : [entry.slice(0, equals), entry.slice(equals + 1)];
}

/** Whether a name has the form of those that engines generate. A user may have chosen such a name, too. */
export function isGeneratedName(name: string): boolean {
  return /^[a-z]+_[a-z]+\d?$/.test(name);
}
