/** The rows of the create form that have the kind and the check of their option. */

import * as l10n from '@vscode/l10n';
import { parseCommandLine } from '../../engine/options/parseCommandLine.ts';
import type { OptionKind } from '../../engine/options/containerOption.ts';
import { OPTIONS, type OptionName } from '../../engine/options/options.ts';
import {
  commandLineText,
  maskedCommandLine,
  readNumber,
  readWholeNumber,
  type CreateFormDraft,
} from './createDraft.ts';
import { listRow, type FormRow, type ListParts } from '../ui/formRows.ts';

/** A row of the create form. */
export type CreateRow = FormRow<CreateFormDraft>;

/** The names of the options of some kinds. */
type NameOf<Kind extends OptionKind> = {
  [Name in OptionName]: (typeof OPTIONS)[Name]['kind'] extends Kind ? Name : never;
}[OptionName];

/** Returns a row for a text or a number. @param otherwise the text to show if the value is empty. */
export function textOptionRow(
  draft: CreateFormDraft,
  name: NameOf<'text' | 'number' | 'wholeNumber'>,
  label: string,
  example: string,
  otherwise: string,
): CreateRow {
  const { kind, check } = OPTIONS[name];
  const read = { text: String, number: readNumber, wholeNumber: readWholeNumber }[kind];
  return {
    kind: 'text',
    label,
    example,
    otherwise,
    value: String(draft[name] ?? ''),
    check: (text) => check(read(text), text),
    keep: (text) => ({ [name]: text === '' ? undefined : read(text) }),
  };
}

/** Returns a row for a list of strings. */
export function listOptionRow(
  name: NameOf<'texts'>,
  label: string,
  form: string,
  example: string,
  more: Partial<ListParts> = {},
): CreateRow {
  return listRow(name, label, form, example, { check: OPTIONS[name].check, ...more });
}

/** Returns a row for a command with shell-style quoting. */
export function commandLineRow(
  draft: CreateFormDraft,
  name: NameOf<'words'>,
  label: string,
  otherwise: string,
): CreateRow {
  return {
    kind: 'text',
    label,
    otherwise,
    value: commandLineText(draft[name]),
    shown: maskedCommandLine(draft[name]),
    prompt: l10n.t('Command with shell-style quoting. Leave empty to use the image default.'),
    example: "sh -c 'echo hello'",
    check: parseCommandLine,
    keep: (text) => ({ [name]: parseCommandLine(text) }),
  };
}

/** Returns a row for yes or no; no is the default. */
export function flagOptionRow(
  draft: CreateFormDraft,
  name: NameOf<'boolean'>,
  label: string,
): CreateRow {
  const keep = (isOn: boolean) => ({ [name]: isOn ? true : undefined });
  return { kind: 'flag', label, value: draft[name] === true, keep };
}

/** Returns the text to show for a value that is not set: `text`, the default of the image, if that is known. */
export function imageDefaultText({ defaults }: CreateFormDraft, text: string | undefined): string {
  if (!defaults || text === undefined) return l10n.t('image default');
  return text === '' ? l10n.t('none') : l10n.t('{0} (image default)', text);
}
