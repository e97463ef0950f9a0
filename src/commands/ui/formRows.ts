/** The common rows of an overview: text, list, yes or no. */

import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import { displayText } from '../../base/plainText.ts';
import { type FormRow } from './form.ts';
import type { InputQuestion, StepTitle, Ui } from './ui.ts';
import { editList, type ListQuestion } from './editList.ts';
import { inputWithLineBreaks } from './inputWithLineBreaks.ts';
import { messageOf } from '../../base/translate.ts';

/** Returns a function that stores the value of a field of a draft. */
export type Keeper<Draft> = <Field extends keyof Draft>(
  field: Field,
) => (value: Draft[Field]) => void;

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

/** A row for text. An empty text is valid: the value is not set. */
interface TextRow extends Pick<InputQuestion, 'problem' | 'warning'> {
  readonly label: string;
  readonly title: StepTitle;
  readonly value: string;
  /** The text to show for the value; the value itself by default. The user edits the value. */
  readonly shown?: string;
  /** The text to show while there is no value; "none" by default. */
  readonly otherwise?: string;
  /** By default, explains what an empty text means. */
  readonly prompt?: string;
  readonly example: string;
  readonly keep: (text: string) => void;
}

/** Marks a row whose value is not the default. */
const CHANGED = { icon: 'edit' } as const;

/** Returns a row for text. */
export function textRow(ui: Ui, row: TextRow): FormRow {
  const { label, title, value, otherwise, example, warning, keep } = row;
  const meaning =
    otherwise === undefined
      ? l10n.t('{0} (leave empty for none)', label)
      : l10n.t('{0} (leave empty for {1})', label, otherwise);
  return {
    label,
    value: value === '' ? (otherwise ?? l10n.t('none')) : (row.shown ?? value),
    ...(value !== '' && CHANGED),
    edit: async () => {
      const text = await inputWithLineBreaks(ui, {
        ...title,
        canGoBack: true,
        prompt: row.prompt ?? meaning,
        placeholder: example,
        value,
        problem: (text) => (text === '' ? undefined : row.problem?.(text)),
        warning,
      });
      if (text !== undefined) keep(text);
    },
  };
}

/** A row for a list of strings. */
export interface ListRow extends Omit<ListQuestion, 'offers'> {
  readonly label: string;
  readonly title: StepTitle;
  /** The text to show while there are no entries; "none" by default. */
  readonly otherwise?: string;
  /** Called when the list is opened, because it may take a moment. */
  readonly offers?: () => Promise<ListQuestion['offers']> | ListQuestion['offers'];
  readonly keep: (entries: readonly string[]) => void;
}

/** Returns a row for a list of strings. */
export function listRow(ui: Ui, row: ListRow): FormRow {
  const { label, title, keep, otherwise = l10n.t('none'), offers, ...question } = row;
  const shown = question.entries.map((entry) => {
    const text = question.mask?.(entry) ?? entry;
    const description = question.describe?.(entry);
    return description === undefined ? text : l10n.t('{0} ({1})', text, description);
  });
  return {
    label,
    value: shown.length === 0 ? otherwise : shown.join(', '),
    ...(question.entries.length > 0 && CHANGED),
    edit: async () => {
      const offered = await offers?.();
      keep(await editList(ui, title, { ...question, offers: offered }));
    },
  };
}

/** A row for texts by name, such as labels. */
interface TextMapRow extends Pick<ListRow, 'label' | 'title' | 'example' | 'problem'> {
  readonly entries: Readonly<Record<string, string>>;
  readonly keep: (entries: Readonly<Record<string, string>>) => void;
}

/** Returns a row for texts by name, each edited as `name=value`. */
export function textMapRow(ui: Ui, { entries, keep, ...row }: TextMapRow): FormRow {
  return listRow(ui, {
    ...row,
    form: 'name=value',
    entries: Object.entries(entries).map(([name, value]) => `${name}=${value}`),
    keep: (all) => {
      keep(Object.fromEntries(all.map(entryOf)));
    },
  });
}

function entryOf(entry: string): readonly [name: string, value: string] {
  const [name = ''] = entry.split('=', 1);
  return [name, entry.slice(name.length + 1)];
}

/** Returns a row for yes or no. Picking it toggles the value without a step. */
export function flagRow(label: string, isOn: boolean, keep: (isOn: boolean) => void): FormRow {
  return {
    label,
    value: isOn ? l10n.t('yes') : l10n.t('no'),
    edit: () => {
      keep(!isOn);
    },
  };
}
