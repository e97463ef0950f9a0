/** The rows of a form as data. */

import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import { CHANGE_INSTRUCTIONS, checkChange } from '../../engine/options/checkChange.ts';
import { displayText } from '../../base/plainText.ts';
import { messageOf } from '../../base/translate.ts';
import type { StepChoice } from './askChoice.ts';
import type { ListQuestion } from './editList.ts';
import type { InputQuestion, StepTitle, Ui } from './ui.ts';

/** A row of a form that edits a draft. */
export type FormRow<Draft> =
  | (TextParts & Place<Draft, string> & { readonly kind: 'text' })
  | (CommonParts & Place<Draft, boolean> & { readonly kind: 'flag' })
  | (ListParts & Place<Draft, readonly string[]> & { readonly kind: 'list' })
  | (ListParts & Place<Draft, TextMap> & { readonly kind: 'map' })
  | (ChoiceParts & Place<Draft, string | undefined> & { readonly kind: 'choice' })
  | (CommonParts & DrawnRow<Draft> & { readonly kind: 'step' });

/** Where a value is kept: in a field of the draft, or as `keep` says. */
export type Place<Draft, Value> =
  | { readonly field: FieldOf<Draft, Value> }
  | {
      readonly value: Value;
      /** Returns what changes in the draft. */
      readonly keep: (value: Value) => Partial<Draft>;
    };

type FieldOf<Draft, Value> = {
  [Field in keyof Draft]-?: Draft[Field] extends Value | undefined ? Field : never;
}[keyof Draft];

export type TextMap = Readonly<Record<string, string>>;

interface CommonParts {
  readonly label: string;
  /** The heading above the row, if it is the first of a group. */
  readonly heading?: string;
  readonly icon?: string | undefined;
}

export interface Checked {
  /** Throws an `InputError` for an invalid text. */
  readonly check?: (text: string) => unknown;
  /** Returns an error message for an invalid text, instead of `check`. */
  readonly problem?: (text: string) => string | undefined;
}

/** A text. An empty one is valid: the value is not set. */
export interface TextParts extends CommonParts, Checked, Pick<InputQuestion, 'warning'> {
  readonly example: string;
  /** Shown for an empty text, which leaves the field undefined. By default "none", and the field keeps the text. */
  readonly otherwise?: string;
  /** The text to show for the value; the value itself by default. The user edits the value. */
  readonly shown?: string | undefined;
  /** By default, explains what an empty text means. */
  readonly prompt?: string;
}

/** A list of strings, or a map of texts by their names: each is edited as `name=value`. */
export interface ListParts
  extends
    CommonParts,
    Checked,
    Pick<ListQuestion, 'form' | 'example' | 'mask' | 'describe' | 'selected'> {
  /** The text to show while there are no entries; "none" by default. */
  readonly otherwise?: string | undefined;
  /** Called when the list is opened, because it may take a moment. */
  readonly offers?: () => Promise<ListQuestion['offers']> | ListQuestion['offers'];
}

/** One of several values, the default first. */
export interface ChoiceParts extends CommonParts {
  /** The label by default. */
  readonly placeholder?: string;
  readonly choices: readonly StepChoice<string | undefined>[];
  /** Returns further values. Called when the row is opened, because it may take a moment. */
  readonly more?: () => Promise<readonly StepChoice<string>[]>;
  /** A value that the user types, without its prefix. */
  readonly other?: StepChoice<string> &
    Checked & { readonly prompt: string; readonly prefix: string };
}

/** Texts of a row for a draft. */
export interface DrawnRow<Draft> {
  readonly value: string;
  readonly icon?: string | undefined;
  /** Asks for the value. Resolves to what changes in the draft. */
  readonly edit: (title: StepTitle, ui: Ui) => Changes<Draft> | Promise<Changes<Draft>>;
}

type Changes<Draft> = Partial<Draft> | undefined;

/** Returns a row for a text in a field. */
export function textRow<Field extends string>(
  field: Field,
  label: string,
  example: string,
  more: Partial<TextParts> = {},
) {
  return { kind: 'text', field, label, example, ...more } as const;
}

/** Returns a row for a list in a field. @param form the form of an entry. */
export function listRow<Field extends string>(
  field: Field,
  label: string,
  form: string,
  example: string,
  more: Partial<ListParts>,
) {
  return { kind: 'list', field, label, form, example, ...more } as const;
}

/** Returns the row for the labels of a new object. */
export function labelsRow() {
  const problem = (entry: string) =>
    /^[^=\s]/.test(entry) ? undefined : l10n.t('A label needs a name.');
  const row = listRow('labels', l10n.t('Labels'), 'name=value', 'team=web', { problem });
  return { ...row, kind: 'map' } as const;
}

/** Returns the row for the Dockerfile instructions that change an image. */
export function changesRow(example: string, offers?: ListParts['offers']) {
  const form = l10n.t('an instruction ({0})', CHANGE_INSTRUCTIONS.join(', '));
  return listRow('changes', l10n.t('Changes'), form, example, { check: checkChange, offers });
}

/** Returns the message of a failed check; undefined if it passes. */
export function validationMessage(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof InputError) return displayText(messageOf(error));
    throw error;
  }
}
