/** The rows of the create form that offer a few values, and a way to type another one. */

import * as vscode from 'vscode';

import { checkNetwork, parseRestart } from '../../engine/options/optionChecks.ts';
import {
  askChoice,
  askText,
  type StepChoice,
  type FormRow,
  type StepTitle,
} from '../forms/form.ts';
import { validationMessage } from '../forms/formRows.ts';

const { l10n } = vscode;

/** No value of the request, so that none can be mistaken for it. */
const OTHER = Symbol('other');

type Keep = (value: string | undefined) => void;

/** What happens when the container ends. */
export function restartRow(
  place: StepTitle,
  label: string,
  restart: string | undefined,
  keep: Keep,
): FormRow {
  const choices: StepChoice<string | undefined | typeof OTHER>[] = [
    { label: 'no', detail: l10n.t('It stays as it ended'), value: undefined },
    { label: 'always', detail: l10n.t('Whenever it ends, and with the engine'), value: 'always' },
    {
      label: 'unless-stopped',
      detail: l10n.t('As always, but not once you have stopped it'),
      value: 'unless-stopped',
    },
    { label: 'on-failure', detail: l10n.t('When it ends with a failure'), value: 'on-failure' },
    { label: 'on-failure:…', detail: l10n.t('The same, so many times at most'), value: OTHER },
  ];
  return {
    label,
    value: restart ?? 'no',
    edit: () => choose(place, label, choices, restart, keep, () => askRestartCount(place, restart)),
  };
}

async function askRestartCount(
  place: StepTitle,
  restart: string | undefined,
): Promise<string | undefined> {
  const count = await askText(place, {
    prompt: l10n.t('How many times to try again'),
    value: /^on-failure:(\d+)$/.exec(restart ?? '')?.[1] ?? '3',
    problem: (typed) => validationMessage(() => parseRestart(`on-failure:${typed}`, l10n)),
  });
  return count === undefined ? undefined : `on-failure:${count}`;
}

/** Where the container is reached and what it reaches. */
export function networkRow(
  place: StepTitle,
  label: string,
  network: string | undefined,
  keep: Keep,
): FormRow {
  const names = ['bridge', 'host', 'none'];
  const choices: StepChoice<string | undefined | typeof OTHER>[] = [
    { label: l10n.t('the engine’s usual one'), value: undefined },
    ...names.map((name) => ({ label: name, value: name })),
    { label: l10n.t('Another…'), value: OTHER },
  ];
  return {
    label,
    value: network ?? l10n.t('the engine’s usual one'),
    edit: () => choose(place, label, choices, network, keep, () => askNetworkName(place, network)),
  };
}

function askNetworkName(
  place: StepTitle,
  network: string | undefined,
): Promise<string | undefined> {
  return askText(place, {
    prompt: l10n.t('The name of a network, or container: and the id of one to share its network'),
    value: network ?? '',
    problem: (typed) => validationMessage(() => checkNetwork(typed, l10n)),
  });
}

async function choose(
  place: StepTitle,
  placeholder: string,
  choices: readonly StepChoice<string | undefined | typeof OTHER>[],
  current: string | undefined,
  keep: Keep,
  askOther: () => Promise<string | undefined>,
): Promise<void> {
  const picked = await askChoice(place, placeholder, choices, (value) => value === current);
  if (!picked) return;
  if (picked.value !== OTHER) {
    keep(picked.value);
    return;
  }
  const typed = await askOther();
  if (typed !== undefined) keep(typed);
}
