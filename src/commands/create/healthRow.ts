/** The row of the create form for the health check: the image's, none, or one of one's own. */

import * as vscode from 'vscode';

import { checkRetries, type Healthcheck } from '../../engine/options/healthcheck.ts';
import { parseDuration } from '../../engine/options/quantities.ts';
import { formatCommandLine } from '../../engine/options/parseCommandLine.ts';
import { readWholeNumber } from './createDraft.ts';
import { imageDefaultText, type FieldParser, type CreateFormState } from './createFormState.ts';
import { askChoice, askText, type FormRow, type StepTitle } from '../forms/form.ts';
import { validationMessage } from '../forms/formRows.ts';

const { l10n } = vscode;

/** Makes it. */
export function healthRow(desk: CreateFormState): FormRow {
  const { draft, defaults } = desk;
  const label = l10n.t('Health check');
  const image = imageDefaultText(
    desk,
    defaults?.healthcheck === undefined ? '' : formatHealthcheck(defaults.healthcheck),
  );
  return {
    label,
    value: draft.healthcheck === undefined ? image : formatHealthcheck(draft.healthcheck),
    edit: () => edit(desk, desk.titleOf(label), image),
  };
}

/** A check in few words: `curl -f localhost · 30s`. */
function formatHealthcheck(check: Healthcheck | false): string {
  if (check === false) return l10n.t('off');
  const line = testLine(check);
  const first = line === '' ? l10n.t('the image’s') : line;
  return check.interval === undefined ? first : `${first} · ${check.interval}`;
}

function testLine({ test = '' }: Healthcheck): string {
  return typeof test === 'string' ? test : formatCommandLine(test);
}

async function edit(desk: CreateFormState, place: StepTitle, image: string): Promise<void> {
  const { healthcheck: now } = desk.draft;
  const current = now === undefined ? 'inherit' : now === false ? 'off' : 'own';
  const picked = await askChoice<'inherit' | 'off' | 'own'>(
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

/** One step after another; who leaves one of them leaves all as it was. */
async function askOwn(desk: CreateFormState, place: StepTitle): Promise<void> {
  const now = [desk.draft.healthcheck, desk.defaults?.healthcheck].find(isOwn) ?? {};
  const test = await askTest(place, now);
  if (test === undefined) return;
  const interval = await askTime(place, l10n.t('Time between two checks'), now.interval, '30s');
  if (interval === undefined) return;
  const timeout = await askTime(place, l10n.t('Time one check may take'), now.timeout, '30s');
  if (timeout === undefined) return;
  const retries = await askPart(place, {
    prompt: l10n.t('Failures in a row until it is unwell; leave it empty for the usual number'),
    placeholder: '3',
    value: now.retries === undefined ? '' : String(now.retries),
    check: (text) => checkRetries(readWholeNumber(text), l10n, text),
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

function isOwn(check: Healthcheck | false | undefined): check is Healthcheck {
  return check !== undefined && check !== false;
}

function askTest(place: StepTitle, now: Healthcheck): Promise<string | undefined> {
  return askText(place, {
    prompt: l10n.t('A line for the container’s shell that ends well while the container is well'),
    placeholder: 'curl -f http://localhost/ || exit 1',
    value: testLine(now),
    problem: (text) =>
      text.trim() === '' ? l10n.t('The health check has no command.') : undefined,
  });
}

function askTime(
  place: StepTitle,
  what: string,
  value: string | undefined,
  placeholder: string,
): Promise<string | undefined> {
  return askPart(place, {
    prompt: l10n.t('{0}, as 30s or 1m30s; leave it empty for the usual one', what),
    placeholder,
    value: value ?? '',
    check: parseDuration,
  });
}

function askPart(
  place: StepTitle,
  part: {
    readonly prompt: string;
    readonly placeholder: string;
    readonly value: string;
    readonly check: FieldParser;
  },
): Promise<string | undefined> {
  const { check, ...question } = part;
  return askText(place, {
    ...question,
    problem: (text) => (text === '' ? undefined : validationMessage(() => check(text, l10n))),
  });
}
