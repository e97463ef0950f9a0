/** The common rows of the create form: text, number, list, yes or no. */

import * as l10n from '@vscode/l10n';
import { parseCommandLine } from '../../engine/options/parseCommandLine.ts';
import type { OptionKind } from '../../engine/options/containerOption.ts';
import { OPTIONS, type OptionName } from '../../engine/options/options.ts';
import type { ImageDefaults } from '../../engine/images/imageDefaults.ts';
import {
  commandLineText,
  maskedCommandLine,
  readNumber,
  readWholeNumber,
  type CreateDraft,
} from './createDraft.ts';
import type { FormDependencies } from './formDependencies.ts';
import { askChoice, type FormRow, type StepChoice } from '../ui/form.ts';
import type { StepTitle, Ui } from '../ui/ui.ts';
import { flagRow, listRow, validationMessage, textRow, type ListRow } from '../ui/formRows.ts';

/** The values of the form, and the defaults of the image. */
export interface CreateFormState {
  readonly ui: Ui;
  readonly dependencies: FormDependencies;
  readonly draft: CreateDraft;
  /** Undefined if the image is not available locally. */
  readonly defaults: ImageDefaults | undefined;
  keep: <Field extends keyof CreateDraft>(field: Field, value: CreateDraft[Field]) => void;
  /** Returns the title of the step for a row. */
  titleOf: (label: string) => StepTitle;
}

/** The names of the options of some kinds. */
type NameOf<Kind extends OptionKind> = {
  [Name in OptionName]: (typeof OPTIONS)[Name]['kind'] extends Kind ? Name : never;
}[OptionName];

/** Returns a row for a text or a number. @param otherwise the text to show if the value is empty. */
export function textFieldRow(
  state: CreateFormState,
  name: NameOf<'text' | 'number' | 'wholeNumber'>,
  label: string,
  example: string,
  otherwise: string,
): FormRow {
  const { kind, check } = OPTIONS[name];
  const read = { text: String, number: readNumber, wholeNumber: readWholeNumber }[kind];
  return textRow(state.ui, {
    label,
    example,
    otherwise,
    title: state.titleOf(label),
    value: String(state.draft[name] ?? ''),
    problem: (text) => validationMessage(() => check(read(text), text)),
    keep: (text) => {
      state.keep(name, text === '' ? undefined : read(text));
    },
  });
}

/** Returns a row for a list of strings. */
export function listFieldRow(
  state: CreateFormState,
  name: NameOf<'texts'>,
  label: string,
  form: string,
  example: string,
  more: Partial<ListRow> = {},
): FormRow {
  return listRow(state.ui, {
    label,
    form,
    example,
    title: state.titleOf(label),
    entries: state.draft[name] ?? [],
    problem: (text) => validationMessage(() => OPTIONS[name].check(text)),
    keep: (entries) => {
      state.keep(name, entries);
    },
    ...more,
  });
}

/** Returns a row for a command with shell-style quoting. */
export function commandLineFieldRow(
  state: CreateFormState,
  name: NameOf<'words'>,
  label: string,
  otherwise: string,
): FormRow {
  return textRow(state.ui, {
    label,
    otherwise,
    title: state.titleOf(label),
    value: commandLineText(state.draft[name]),
    shown: maskedCommandLine(state.draft[name]),
    prompt: l10n.t('Command with shell-style quoting. Leave empty to use the image default.'),
    example: "sh -c 'echo hello'",
    problem: (text) => validationMessage(() => parseCommandLine(text)),
    keep: (text) => {
      state.keep(name, parseCommandLine(text));
    },
  });
}

/** Returns a row for yes or no; no is the default. */
export function flagFieldRow(
  state: CreateFormState,
  name: NameOf<'boolean'>,
  label: string,
): FormRow {
  return flagRow(label, state.draft[name] === true, (isOn) => {
    state.keep(name, isOn ? true : undefined);
  });
}

/**
 * Returns a row that offers some values, and a way to enter another one.
 *
 * @param choices the first one is the default.
 */
export function choiceFieldRow(
  state: CreateFormState,
  name: 'restart' | 'network',
  label: string,
  choices: readonly StepChoice<string | undefined>[],
  { prompt, value, prefix, ...other }: OtherChoice,
): FormRow {
  const { ui } = state;
  const current = state.draft[name];
  const title = state.titleOf(label);
  const problem = (typed: string): string | undefined =>
    validationMessage(() => OPTIONS[name].check(`${prefix}${typed}`));
  return {
    label,
    value: current ?? choices[0]?.label ?? '',
    edit: async () => {
      const all: readonly StepChoice<string | undefined | typeof OTHER>[] = [
        ...choices,
        { ...other, value: OTHER },
      ];
      const picked = await askChoice(ui, title, label, all, (one) => one === current);
      if (picked && picked.value !== OTHER) state.keep(name, picked.value);
      if (picked?.value !== OTHER) return;
      const typed = await ui.input({ ...title, canGoBack: true, prompt, value, problem });
      if (typed !== undefined) state.keep(name, `${prefix}${typed}`);
    },
  };
}

/** A value that the user types, without its prefix. */
interface OtherChoice {
  readonly label: string;
  readonly detail?: string;
  readonly prompt: string;
  readonly value: string;
  readonly prefix: string;
}

/** Not a string, so no value can equal it. */
const OTHER = Symbol('other');

/** Returns the text to show for a value that is not set: `text`, the default of the image, if that is known. */
export function imageDefaultText(state: CreateFormState, text: string | undefined): string {
  if (!state.defaults || text === undefined) return l10n.t('image default');
  return text === '' ? l10n.t('none') : l10n.t('{0} (image default)', text);
}
