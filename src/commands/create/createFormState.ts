/** The rows of the create form that are all alike: a text, a number, a list, a yes or no. */

import * as vscode from 'vscode';

import type { ImageDefaults } from '../../engine/images/imageDefaults.ts';
import type { L10n } from '../../l10n.ts';
import { readCommandLine, commandLineText, type CreateDraft } from './createDraft.ts';
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
export type FieldParser<Value = unknown> = (text: string, l10n: L10n) => Value;

type FieldsOf<Value> = {
  [Field in keyof CreateDraft]-?: NonNullable<CreateDraft[Field]> extends Value
    ? Value extends NonNullable<CreateDraft[Field]>
      ? Field
      : never
    : never;
}[keyof CreateDraft];

/** A row for one text. */
export function textFieldRow(
  desk: CreateFormState,
  field: Exclude<FieldsOf<string>, 'image'>,
  row: { readonly label: string; readonly otherwise: string; readonly example: string },
  check: FieldParser,
): FormRow {
  return textRow({
    ...row,
    title: desk.titleOf(row.label),
    value: desk.draft[field] ?? '',
    prompt: l10n.t('{0}; leave it empty for {1}', row.label, row.otherwise),
    problem: (text) => validationMessage(() => check(text, l10n)),
    keep: (text) => {
      desk.keep(field, text === '' ? undefined : text);
    },
  });
}

/** A row for one number. */
export function numberFieldRow(
  desk: CreateFormState,
  field: FieldsOf<number>,
  row: { readonly label: string; readonly otherwise: string; readonly example: string },
  read: FieldParser<number>,
): FormRow {
  const value = desk.draft[field];
  return textRow({
    ...row,
    title: desk.titleOf(row.label),
    value: value === undefined ? '' : String(value),
    prompt: l10n.t('{0}; leave it empty for {1}', row.label, row.otherwise),
    problem: (text) => validationMessage(() => read(text, l10n)),
    keep: (text) => {
      desk.keep(field, text === '' ? undefined : read(text, l10n));
    },
  });
}

/** A row for any number of texts. */
export function listFieldRow(
  desk: CreateFormState,
  field: FieldsOf<readonly string[]>,
  row: Pick<ListRow, 'label' | 'form' | 'example'> & Partial<ListRow>,
  check: FieldParser,
): FormRow {
  return listRow({
    title: desk.titleOf(row.label),
    entries: desk.draft[field] ?? [],
    problem: (text) => validationMessage(() => check(text, l10n)),
    keep: (entries) => {
      desk.keep(field, entries);
    },
    ...row,
  });
}

/** A row for words as in a shell. */
export function commandLineFieldRow(
  desk: CreateFormState,
  field: 'cmd' | 'entrypoint',
  row: { readonly label: string; readonly otherwise: string },
): FormRow {
  return textRow({
    ...row,
    title: desk.titleOf(row.label),
    value: commandLineText(desk.draft[field]),
    prompt: l10n.t('Words as in a shell, with quotes; leave it empty for the image’s own'),
    example: "sh -c 'echo hello'",
    problem: (text) => validationMessage(() => readCommandLine(text, l10n)),
    keep: (text) => {
      desk.keep(field, readCommandLine(text, l10n));
    },
  });
}

/** A row for a yes or no; a no is what it is where nothing is said. */
export function flagFieldRow(
  desk: CreateFormState,
  field: Exclude<FieldsOf<boolean>, 'start'>,
  label: string,
): FormRow {
  return flagRow(label, desk.draft[field] === true, (isOn) => {
    desk.keep(field, isOn ? true : undefined);
  });
}

/** What stands in a row of which the image says `text`, and where it says nothing. */
export function imageDefaultText(desk: CreateFormState, text: string | undefined): string {
  if (!desk.defaults || text === undefined) return l10n.t('the image’s own');
  return text === '' ? l10n.t('none') : l10n.t('{0} (the image’s)', text);
}
