/** The row of the create form for the health check: the image's, none, or a custom one. */

import { checkRetries, type Healthcheck } from '../../engine/options/healthcheck.ts';
import { parseDuration } from '../../engine/options/quantities.ts';
import { formatCommandLine } from '../../engine/options/parseCommandLine.ts';
import { readWholeNumber } from './createDraft.ts';
import { imageDefaultText, type CreateFormState } from './createFormState.ts';
import { askChoice, type FormRow } from '../forms/form.ts';
import type { InputQuestion, StepTitle } from '../ui.ts';
import { validationMessage } from '../forms/formRows.ts';
import type { L10n } from '../../l10n.ts';

/** Returns the row for the health check. */
export function healthRow(desk: CreateFormState): FormRow {
  const { l10n } = desk.ui;
  const own = desk.draft.healthcheck;
  const ofImage = desk.defaults?.healthcheck;
  const label = l10n.t('Health check');
  const image = imageDefaultText(
    desk,
    ofImage === undefined ? '' : formatHealthcheck(ofImage, l10n),
  );
  return {
    label,
    value: own === undefined ? image : formatHealthcheck(own, l10n),
    edit: () => edit(desk, desk.titleOf(label), image),
  };
}

/** Formats a health check in short: `curl -f localhost · 30s`. */
function formatHealthcheck(check: Healthcheck | false, l10n: L10n): string {
  if (check === false) return l10n.t('off');
  const line = testLine(check);
  const first = line === '' ? l10n.t('the image’s') : line;
  return check.interval === undefined ? first : `${first} · ${check.interval}`;
}

function testLine({ test = '' }: Healthcheck): string {
  return typeof test === 'string' ? test : formatCommandLine(test);
}

async function edit(desk: CreateFormState, place: StepTitle, image: string): Promise<void> {
  const { l10n } = desk.ui;
  const { healthcheck: now } = desk.draft;
  const current = now === undefined ? 'inherit' : now === false ? 'off' : 'own';
  const picked = await askChoice<'inherit' | 'off' | 'own'>(
    desk.ui,
    place,
    l10n.t('How the engine sees whether the container is well'),
    [
      { label: l10n.t('As the image says'), detail: image, value: 'inherit' },
      { label: l10n.t('None'), detail: l10n.t('Whatever the image says'), value: 'off' },
      { label: l10n.t('One of your own…'), value: 'own' },
    ],
    (value) => value === current,
  );
  if (picked?.value === 'inherit') desk.keep('healthcheck', undefined);
  else if (picked?.value === 'off') desk.keep('healthcheck', false);
  else if (picked) await askOwn(desk, place);
}

/** Asks for a custom health check, step by step. Canceling a step discards all changes. */
async function askOwn(desk: CreateFormState, place: StepTitle): Promise<void> {
  const { l10n } = desk.ui;
  const ask: AskStep = (question) => desk.ui.input({ ...place, canGoBack: true, ...question });
  const checks = [desk.draft.healthcheck, desk.defaults?.healthcheck];
  const now = checks.find((one) => one !== undefined && one !== false) ?? {};
  const test = await ask({
    prompt: l10n.t('A line for the container’s shell that ends well while the container is well'),
    placeholder: 'curl -f http://localhost/ || exit 1',
    value: testLine(now),
    problem: (text) =>
      text.trim() === '' ? l10n.t('The health check has no command.') : undefined,
  });
  if (test === undefined) return;
  const interval = await ask(timeStep(l10n.t('Time between two checks'), now.interval, l10n));
  if (interval === undefined) return;
  const timeout = await ask(timeStep(l10n.t('Time one check may take'), now.timeout, l10n));
  if (timeout === undefined) return;
  const retries = await ask({
    prompt: l10n.t('Failures in a row until it is unwell; leave it empty for the usual number'),
    placeholder: '3',
    value: String(now.retries ?? ''),
    problem: problemUnlessEmpty((text) => checkRetries(readWholeNumber(text), l10n, text)),
  });
  if (retries === undefined) return;
  desk.keep('healthcheck', {
    test: typeof now.test !== 'string' && test === testLine(now) && now.test ? now.test : test,
    ...(interval !== '' && { interval }),
    ...(timeout !== '' && { timeout }),
    ...(now.startPeriod !== undefined && { startPeriod: now.startPeriod }),
    ...(retries !== '' && { retries: Number(retries) }),
  });
}

type AskStep = (question: InputQuestion) => Promise<string | undefined>;

function timeStep(what: string, value: string | undefined, l10n: L10n): InputQuestion {
  return {
    prompt: l10n.t('{0}, as 30s or 1m30s; leave it empty for the usual one', what),
    placeholder: '30s',
    value: value ?? '',
    problem: problemUnlessEmpty((text) => parseDuration(text, l10n)),
  };
}

function problemUnlessEmpty(check: (text: string) => unknown): InputQuestion['problem'] {
  return (text) => (text === '' ? undefined : validationMessage(() => check(text)));
}
