/** Converts the values of the create form to text and back. Pure functions. */

import type { ImageDefaults } from '../../engine/images/imageDefaults.ts';
import { formatCommandLine } from '../../engine/options/parseCommandLine.ts';
import { optionsOfKind, type CreateArguments } from '../../engine/options/options.ts';
import { checkLabels } from '../../engine/options/optionChecks.ts';
import { hasSecretArguments, MASK } from '../../engine/options/secretDetection.ts';

/** The options of a container, all optional. */
export type CreateDraft = Partial<CreateArguments>;

/** The values of the form. */
export interface CreateFormDraft extends CreateDraft {
  /** The defaults of the image; undefined if it is not available locally. */
  readonly defaults?: ImageDefaults | undefined;
}

/** Returns the argument of `gantry.containers.create` for a draft, without empty values. */
export function finishDraft(
  { defaults: _defaults, ...draft }: CreateFormDraft,
  start: boolean,
): CreateArguments {
  const given = Object.entries(draft).filter(([, value]) => !isNothing(value));
  return {
    ...(Object.fromEntries(given) as Partial<CreateArguments>),
    image: draft.image ?? '',
    start,
  };
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

const COMMANDS = optionsOfKind('words', 'healthcheck');

/** Returns those of `names` (variables, labels or fields) that still have no value. */
export function stillMissing(draft: CreateDraft, names: readonly string[]): readonly string[] {
  const fields = new Map<string, unknown>(Object.entries(draft));
  return names.filter(
    (name) =>
      draft.env?.includes(`${name}=`) === true ||
      draft.labels?.[name] === '' ||
      (COMMANDS.has(name) && fields.get(name) === undefined),
  );
}

/** Formats arguments as a command line; empty if there are none. */
export function commandLineText(words: readonly string[] | undefined): string {
  return formatCommandLine(words ?? []);
}

/** Formats arguments like `commandLineText`, but with a mask after the program if they may contain a secret. */
export function maskedCommandLine(words: readonly string[] = []): string {
  if (!hasSecretArguments(words)) return commandLineText(words);
  const [program = ''] = words;
  return hasSecretArguments([program]) ? MASK : `${commandLineText([program])} ${MASK}`;
}

/** Parses an integer, possibly negative. Returns NaN for anything else, which no check accepts. */
export function readWholeNumber(text: string): number {
  return /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN;
}

/** Parses a non-negative number. Returns NaN for anything else. */
export function readNumber(text: string): number {
  return /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
}

/** Formats labels for editing, as `name=value` each. */
export function labelEntries(
  labels: Readonly<Record<string, string>> | undefined,
): readonly string[] {
  return Object.entries(labels ?? {}).map(([name, value]) => `${name}=${value}`);
}

/** Parses labels. A name without "=" gets an empty value. @throws InputError for an empty name. */
export function readLabels(entries: readonly string[]): Readonly<Record<string, string>> {
  const pairs = entries.map((entry): [string, string] => {
    const equals = entry.indexOf('=');
    return equals < 0
      ? [entry.trim(), '']
      : [entry.slice(0, equals).trim(), entry.slice(equals + 1)];
  });
  return checkLabels(Object.fromEntries(pairs));
}
