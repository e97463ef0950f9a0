/** The rows of the create form that are all alike: a text, a number, a list, a yes or no. */

import * as vscode from 'vscode';

import type { OptionKind } from '../../engine/options/containerOption.ts';
import { OPTIONS, type OptionName } from '../../engine/options/options.ts';
import type { ImageDefaults } from '../../engine/images/imageDefaults.ts';
import type { L10n } from '../../l10n.ts';
import {
  commandLineText,
  readCommandLine,
  readNumber,
  readWholeNumber,
  type CreateDraft,
} from './createDraft.ts';
import type { FormRow, StepTitle } from '../forms/form.ts';
import { flagRow, listRow, validationMessage, textRow, type ListRow } from '../forms/formRows.ts';

const { l10n } = vscode;

/** What has been filled in, and what the image says where nothing was. */
export interface CreateFormState {
  readonly draft: CreateDraft;
  /** Undefined while the image is not here. */
  readonly defaults: ImageDefaults | undefined;
  keep: <Field extends keyof CreateDraft>(field: Field, value: CreateDraft[Field]) => void;
  /** Where the step of a row belongs. */
  titleOf: (label: string) => StepTitle;
}

/** Throws InputError for what will not do. */
export type FieldParser = (text: string, l10n: L10n) => unknown;

/** The names of the options of some kinds. */
type NameOf<Kind extends OptionKind> = {
  [Name in OptionName]: (typeof OPTIONS)[Name]['kind'] extends Kind ? Name : never;
}[OptionName];

/** A row for one text or number. @param otherwise what it is if the row is empty. */
export function textFieldRow(
  desk: CreateFormState,
  name: NameOf<'text' | 'number' | 'wholeNumber'>,
  label: string,
  example: string,
  otherwise: string,
): FormRow {
  const { kind, check } = OPTIONS[name];
  const read = { text: String, number: readNumber, wholeNumber: readWholeNumber }[kind];
  return textRow({
    label,
    example,
    otherwise,
    title: desk.titleOf(label),
    value: String(desk.draft[name] ?? ''),
    prompt: l10n.t('{0}; leave it empty for {1}', label, otherwise),
    problem: (text) => validationMessage(() => check(read(text), l10n, text)),
    keep: (text) => {
      desk.keep(name, text === '' ? undefined : read(text));
    },
  });
}

/** A row for any number of texts. */
export function listFieldRow(
  desk: CreateFormState,
  name: NameOf<'texts'>,
  label: string,
  form: string,
  example: string,
  more: Partial<ListRow> = {},
): FormRow {
  return listRow({
    label,
    form,
    example,
    title: desk.titleOf(label),
    entries: desk.draft[name] ?? [],
    problem: (text) => validationMessage(() => OPTIONS[name].check(text, l10n)),
    keep: (entries) => {
      desk.keep(name, entries);
    },
    ...more,
  });
}

/** A row for words as in a shell. */
export function commandLineFieldRow(
  desk: CreateFormState,
  name: NameOf<'words'>,
  label: string,
  otherwise: string,
): FormRow {
  return textRow({
    label,
    otherwise,
    title: desk.titleOf(label),
    value: commandLineText(desk.draft[name]),
    prompt: l10n.t('Words as in a shell, with quotes; leave it empty for the image’s own'),
    example: "sh -c 'echo hello'",
    problem: (text) => validationMessage(() => readCommandLine(text, l10n)),
    keep: (text) => {
      desk.keep(name, readCommandLine(text, l10n));
    },
  });
}

/** A row for a yes or no; a no is what it is where nothing is said. */
export function flagFieldRow(
  desk: CreateFormState,
  name: NameOf<'boolean'>,
  label: string,
): FormRow {
  return flagRow(label, desk.draft[name] === true, (isOn) => {
    desk.keep(name, isOn ? true : undefined);
  });
}

/** What stands in a row of which the image says `text`, and where it says nothing. */
export function imageDefaultText(desk: CreateFormState, text: string | undefined): string {
  if (!desk.defaults || text === undefined) return l10n.t('the image’s own');
  return text === '' ? l10n.t('none') : l10n.t('{0} (the image’s)', text);
}
