/** The common rows of an overview: a text, a list of texts, a yes or no. */

import * as vscode from 'vscode';

import { InputError } from '../../engine/errors.ts';
import { displayText } from '../../plainText.ts';
import { askText, type FormRow, type StepTitle } from './form.ts';
import { editList, type ListQuestion } from './editList.ts';

const { l10n } = vscode;

/** What is wrong with a text; undefined where it will do. */
export type Validator = (text: string) => string | undefined;

/** The sentence of a check that refuses its input; undefined where it passes. */
export function validationMessage(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof InputError) return displayText(error.message);
    throw error;
  }
}

/** A row that asks for a text. */
export interface TextRow {
  readonly label: string;
  readonly title: StepTitle;
  readonly value: string;
  /** What stands there while there is no value. */
  readonly otherwise: string;
  readonly prompt: string;
  readonly example: string;
  /** Not asked about an empty text, which means "not said". */
  readonly problem: Validator;
  /** What is to be thought of before a good text is taken. */
  readonly warning?: Validator;
  readonly keep: (text: string) => void;
}

/** Marks a row whose value is not the default. */
const CHANGED = { icon: 'edit' } as const;

/** Makes one. */
export function textRow(row: TextRow): FormRow {
  const { label, title, value, otherwise, prompt, example, warning, keep } = row;
  return {
    label,
    value: value === '' ? otherwise : value,
    ...(value !== '' && CHANGED),
    edit: async () => {
      const problem: Validator = (text) => (text === '' ? undefined : row.problem(text));
      const text = await askText(title, { prompt, placeholder: example, value, problem, warning });
      if (text !== undefined) keep(text);
    },
  };
}

/** A row that asks for any number of texts. */
export interface ListRow extends Omit<ListQuestion, 'offers'> {
  readonly label: string;
  readonly title: StepTitle;
  /** What stands there while there is no entry; default: none. */
  readonly otherwise?: string;
  /** Asked for when the list is: it may take a moment. */
  readonly offers?: () => Promise<ListQuestion['offers']>;
  readonly keep: (entries: readonly string[]) => void;
}

/** Makes one. */
export function listRow(row: ListRow): FormRow {
  const { label, title, keep, otherwise = l10n.t('none'), offers, ...question } = row;
  return {
    label,
    value: question.entries.length === 0 ? otherwise : question.entries.join(', '),
    ...(question.entries.length > 0 && CHANGED),
    edit: async () => {
      const offered = await offers?.();
      keep(await editList(title, { ...question, ...(offered && { offers: offered }) }));
    },
  };
}

/** Makes a row for a yes or no: it needs no step of its own, picking it flips it. */
export function flagRow(label: string, isOn: boolean, keep: (isOn: boolean) => void): FormRow {
  return {
    label,
    value: isOn ? l10n.t('yes') : l10n.t('no'),
    edit: () => {
      keep(!isOn);
    },
  };
}
