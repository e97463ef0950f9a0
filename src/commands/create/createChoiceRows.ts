/** The rows of the create form that offer a few values, and a way to type another one. */

import * as vscode from 'vscode';

import { OPTIONS } from '../../engine/options/options.ts';
import { askChoice, askText, type FormRow, type StepChoice } from '../forms/form.ts';
import { validationMessage } from '../forms/formRows.ts';
import type { CreateFormState } from './createFormState.ts';

const { l10n } = vscode;

/** What happens when the container ends. */
export function restartRow(desk: CreateFormState): FormRow {
  const choices = [
    { label: 'no', detail: l10n.t('It stays as it ended'), value: undefined },
    { label: 'always', detail: l10n.t('Whenever it ends, and with the engine'), value: 'always' },
    {
      label: 'unless-stopped',
      detail: l10n.t('As always, but not once you have stopped it'),
      value: 'unless-stopped',
    },
    { label: 'on-failure', detail: l10n.t('When it ends with a failure'), value: 'on-failure' },
  ];
  return choiceRow(desk, 'restart', l10n.t('Restart policy'), choices, {
    label: 'on-failure:…',
    detail: l10n.t('The same, so many times at most'),
    prompt: l10n.t('How many times to try again'),
    value: /^on-failure:(\d+)$/.exec(desk.draft.restart ?? '')?.[1] ?? '3',
    prefix: 'on-failure:',
  });
}

/** Where the container is reached and what it reaches. */
export function networkRow(desk: CreateFormState): FormRow {
  const names = ['bridge', 'host', 'none'];
  const choices = [
    { label: l10n.t('the engine’s usual one'), value: undefined },
    ...names.map((name) => ({ label: name, value: name })),
  ];
  return choiceRow(desk, 'network', l10n.t('Network'), choices, {
    label: l10n.t('Another…'),
    prompt: l10n.t('The name of a network, or container: and the id of one to share its network'),
    value: desk.draft.network ?? '',
    prefix: '',
  });
}

/** A value that is typed, without its prefix. */
interface OtherChoice {
  readonly label: string;
  readonly detail?: string;
  readonly prompt: string;
  readonly value: string;
  readonly prefix: string;
}

/** No value of the request, so that none can be mistaken for it. */
const OTHER = Symbol('other');

/** @param choices the first is what it is if nothing is said. */
function choiceRow(
  desk: CreateFormState,
  name: 'restart' | 'network',
  label: string,
  choices: readonly StepChoice<string | undefined>[],
  { prompt, value, prefix, ...other }: OtherChoice,
): FormRow {
  const current = desk.draft[name];
  const place = desk.titleOf(label);
  const problem = (typed: string): string | undefined =>
    validationMessage(() => OPTIONS[name].check(`${prefix}${typed}`, l10n));
  return {
    label,
    value: current ?? choices[0]?.label ?? '',
    edit: async () => {
      const all: readonly StepChoice<string | undefined | typeof OTHER>[] = [
        ...choices,
        { ...other, value: OTHER },
      ];
      const picked = await askChoice(place, label, all, (one) => one === current);
      if (picked && picked.value !== OTHER) desk.keep(name, picked.value);
      if (picked?.value !== OTHER) return;
      const typed = await askText(place, { prompt, value, problem });
      if (typed !== undefined) desk.keep(name, `${prefix}${typed}`);
    },
  };
}
