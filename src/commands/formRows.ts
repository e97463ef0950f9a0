/** The common rows of an overview: a text, a list of texts, a yes or no. */

import * as vscode from 'vscode';

import { InputError } from '../engine/errors.ts';
import { askText, type FormRow, type Place } from './form.ts';
import { askList } from './listStep.ts';
import { shownText } from './shown.ts';

const { l10n } = vscode;

/** What is wrong with a text; undefined where it will do. */
export type Problem = (text: string) => string | undefined;

/** The sentence of a check that refuses its input; undefined where it passes. */
export function problemOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof InputError) return shownText(error.message);
    throw error;
  }
}

/** A row that asks for a text. */
export interface TextRow {
  readonly label: string;
  readonly place: Place;
  readonly value: string;
  /** What stands there while there is no value. */
  readonly otherwise: string;
  readonly prompt: string;
  readonly example: string;
  /** Not asked about an empty text, which means "not said". */
  readonly problem: Problem;
  /** What is to be thought of before a good text is taken. */
  readonly warning?: Problem;
  readonly keep: (text: string) => void;
}

/** Makes one. */
export function textRow(row: TextRow): FormRow {
  const { label, place, value, otherwise, prompt, example, warning, keep } = row;
  return {
    label,
    value: value === '' ? otherwise : value,
    edit: async () => {
      const problem: Problem = (text) => (text === '' ? undefined : row.problem(text));
      const text = await askText(place, { prompt, placeholder: example, value, problem, warning });
      if (text !== undefined) keep(text);
    },
  };
}

/** A row that asks for any number of texts. */
export interface ListRow {
  readonly label: string;
  readonly place: Place;
  readonly entries: readonly string[];
  /** How one is written. */
  readonly form: string;
  readonly example: string;
  readonly problem: Problem;
  /** What a text that is being typed may become. */
  readonly templates?: (typed: string) => readonly string[];
  readonly keep: (entries: readonly string[]) => void;
}

/** Makes one. */
export function listRow({ label, place, keep, ...question }: ListRow): FormRow {
  return {
    label,
    value: question.entries.length === 0 ? l10n.t('none') : question.entries.join(', '),
    edit: async () => {
      keep(await askList(place, question));
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
