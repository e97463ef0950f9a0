/** What a person has filled in of a container so far, as text and back. Pure, so that it can be tested. */

import {
  describeCommandLineProblem,
  formatCommandLine,
  parseCommandLine,
} from '../../engine/options/parseCommandLine.ts';
import { optionsOfKind, type CreateArguments } from '../../engine/options/options.ts';
import { checkLabels } from '../../engine/options/optionChecks.ts';
import { InputError } from '../../engine/errors.ts';
import type { L10n } from '../../l10n.ts';

/** All fields, each of them not yet said. */
export type CreateDraft = {
  readonly [Field in keyof CreateArguments]?: CreateArguments[Field] | undefined;
};

/** The argument of `gantry.containers.create` that a draft stands for: what was not said is not in it. */
export function finishDraft(draft: CreateDraft, start: boolean): CreateArguments {
  const said = Object.entries(draft).filter(([, value]) => !isNothing(value));
  return {
    ...(Object.fromEntries(said) as Partial<CreateArguments>),
    image: draft.image ?? '',
    start,
  };
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

const COMMANDS = optionsOfKind('words', 'healthcheck');

/** Those of `names` (of variables, labels or fields) that have no value yet. */
export function stillMissing(draft: CreateDraft, names: readonly string[]): readonly string[] {
  const fields = new Map<string, unknown>(Object.entries(draft));
  return names.filter(
    (name) =>
      draft.env?.includes(`${name}=`) === true ||
      draft.labels?.[name] === '' ||
      (COMMANDS.has(name) && fields.get(name) === undefined),
  );
}

/** Words as one line; empty where there are none. */
export function commandLineText(words: readonly string[] | undefined): string {
  return formatCommandLine(words ?? []);
}

/** One line as words. Throws InputError where a quotation mark is open. */
export function readCommandLine(text: string, l10n: L10n): readonly string[] {
  const words = parseCommandLine(text);
  if (words.ok) return words.value;
  throw new InputError(describeCommandLineProblem(words.problem, l10n));
}

/** A whole number, maybe below 0; anything else is none that a check passes. */
export function readWholeNumber(text: string): number {
  return /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN;
}

/** A number that is not below 0, the same way. */
export function readNumber(text: string): number {
  return /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
}

/** Labels as a person edits them: `name=value`, one each. */
export function labelEntries(
  labels: Readonly<Record<string, string>> | undefined,
): readonly string[] {
  return Object.entries(labels ?? {}).map(([name, value]) => `${name}=${value}`);
}

/** And back; a name without a value has an empty one. Throws InputError for one without a name. */
export function readLabels(
  entries: readonly string[],
  l10n: L10n,
): Readonly<Record<string, string>> {
  const pairs = entries.map((entry): [string, string] => {
    const equals = entry.indexOf('=');
    return equals < 0
      ? [entry.trim(), '']
      : [entry.slice(0, equals).trim(), entry.slice(equals + 1)];
  });
  return checkLabels(Object.fromEntries(pairs), l10n);
}
