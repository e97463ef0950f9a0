/** The row of the create form for the health check: the image's, none, or a custom one. */

import * as l10n from '@vscode/l10n';
import { checkRetries, type Healthcheck } from '../../engine/options/healthcheck.ts';
import { parseDuration } from '../../engine/options/quantities.ts';
import { formatCommandLine } from '../../engine/options/parseCommandLine.ts';
import { maskedCommandLine, readWholeNumber } from './createDraft.ts';
import { hasSecretArguments } from '../../engine/options/secretDetection.ts';
import { imageDefaultText, type CreateFormState } from './createFormState.ts';
import { askChoice, type FormRow } from '../ui/form.ts';
import { inputWithLineBreaks } from '../ui/inputWithLineBreaks.ts';
import type { InputQuestion, StepTitle } from '../ui/ui.ts';
import { validationMessage } from '../ui/formRows.ts';

/** Returns the row for the health check. */
export function healthRow(state: CreateFormState): FormRow {
  const own = state.draft.healthcheck;
  const ofImage = state.defaults?.healthcheck;
  const label = l10n.t('Health check');
  const image = imageDefaultText(state, ofImage === undefined ? '' : formatHealthcheck(ofImage));
  return {
    label,
    value: own === undefined ? image : formatHealthcheck(own),
    edit: () => edit(state, state.titleOf(label), image),
  };
}

/** Formats a health check in short: `curl -f localhost · 30s`. */
function formatHealthcheck(check: Healthcheck | false): string {
  if (check === false) return l10n.t('off');
  const line = maskedTest(check);
  const first = line === '' ? l10n.t('image default') : line;
  return check.interval === undefined ? first : `${first} · ${check.interval}`;
}

function testLine({ test = '' }: Healthcheck): string {
  return typeof test === 'string' ? test : formatCommandLine(test);
}

function maskedTest({ test = '' }: Healthcheck): string {
  return typeof test === 'string' && !hasSecretArguments([test])
    ? test
    : maskedCommandLine([test].flat());
}

async function edit(state: CreateFormState, title: StepTitle, image: string): Promise<void> {
  const { healthcheck: now } = state.draft;
  const current = now === undefined ? 'inherit' : now === false ? 'off' : 'own';
  const picked = await askChoice<'inherit' | 'off' | 'own'>(
    state.ui,
    title,
    l10n.t('How the engine checks the health of the container'),
    [
      { label: l10n.t('Image default'), detail: image, value: 'inherit' },
      {
        label: l10n.t('None'),
        detail: l10n.t('No health check, even if the image has one'),
        value: 'off',
      },
      { label: l10n.t('Custom...'), value: 'own' },
    ],
    (value) => value === current,
  );
  if (picked?.value === 'inherit') state.keep('healthcheck', undefined);
  else if (picked?.value === 'off') state.keep('healthcheck', false);
  else if (picked) await askOwn(state, title);
}

/** Asks for a custom health check, step by step. Canceling a step discards all changes. */
async function askOwn(state: CreateFormState, title: StepTitle): Promise<void> {
  const ask: AskStep = (question) =>
    inputWithLineBreaks(state.ui, { ...title, canGoBack: true, ...question });
  const checks = [state.draft.healthcheck, state.defaults?.healthcheck];
  const now = checks.find((one) => one !== undefined && one !== false) ?? {};
  const test = await ask({
    prompt: l10n.t('Shell command that exits with code 0 while the container is healthy'),
    placeholder: 'curl -f http://localhost/ || exit 1',
    value: testLine(now),
    problem: (text) =>
      text.trim() === '' ? l10n.t('The health check has no command.') : undefined,
  });
  if (test === undefined) return;
  const interval = await ask(timeStep(l10n.t('Time between checks'), now.interval));
  if (interval === undefined) return;
  const timeout = await ask(timeStep(l10n.t('Timeout of a check'), now.timeout));
  if (timeout === undefined) return;
  const retries = await ask({
    prompt: l10n.t('Consecutive failures needed to report unhealthy. Leave empty for the default.'),
    placeholder: '3',
    value: String(now.retries ?? ''),
    problem: problemUnlessEmpty((text) => checkRetries(readWholeNumber(text), text)),
  });
  if (retries === undefined) return;
  state.keep('healthcheck', {
    test: typeof now.test !== 'string' && test === testLine(now) && now.test ? now.test : test,
    ...(interval !== '' && { interval }),
    ...(timeout !== '' && { timeout }),
    ...(now.startPeriod !== undefined && { startPeriod: now.startPeriod }),
    ...(retries !== '' && { retries: Number(retries) }),
  });
}

type AskStep = (question: InputQuestion) => Promise<string | undefined>;

function timeStep(what: string, value: string | undefined): InputQuestion {
  return {
    prompt: l10n.t('{0}, for example 30s or 1m30s. Leave empty for the default.', what),
    placeholder: '30s',
    value: value ?? '',
    problem: problemUnlessEmpty(parseDuration),
  };
}

function problemUnlessEmpty(check: (text: string) => unknown): InputQuestion['problem'] {
  return (text) => (text === '' ? undefined : validationMessage(() => check(text)));
}
