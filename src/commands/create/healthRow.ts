/** The row of the create form for the health check: the image's, none, or a custom one. */

import * as l10n from '@vscode/l10n';
import { checkRetries, type Healthcheck } from '../../engine/options/healthcheck.ts';
import { parseDuration } from '../../engine/options/quantities.ts';
import { formatCommandLine } from '../../engine/options/parseCommandLine.ts';
import { maskedCommandLine, readWholeNumber, type CreateFormDraft } from './createDraft.ts';
import { hasSecretArguments } from '../../engine/options/secretDetection.ts';
import { imageDefaultText, type CreateRow } from './optionRows.ts';
import { askChoice } from '../ui/askChoice.ts';
import { inputWithLineBreaks } from '../ui/inputWithLineBreaks.ts';
import type { InputQuestion, StepTitle, Ui } from '../ui/ui.ts';
import { validationMessage } from '../ui/formRows.ts';

/** Returns the row for the health check. */
export function healthRow(draft: CreateFormDraft): CreateRow {
  const { healthcheck: own, defaults } = draft;
  const ofImage = defaults?.healthcheck;
  const image = imageDefaultText(draft, ofImage === undefined ? '' : formatHealthcheck(ofImage));
  return {
    kind: 'step',
    label: l10n.t('Health check'),
    value: own === undefined ? image : formatHealthcheck(own),
    edit: (title, ui) => edit(ui, title, draft, image),
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

async function edit(
  ui: Ui,
  title: StepTitle,
  { healthcheck: own, defaults }: CreateFormDraft,
  image: string,
): Promise<Pick<CreateFormDraft, 'healthcheck'> | undefined> {
  const none = l10n.t('No health check, even if the image has one');
  // Like the option, but true for a custom check.
  const current = own && true;
  const picked = await askChoice(
    ui,
    title,
    l10n.t('How the engine checks the health of the container'),
    [
      { label: l10n.t('Image default'), detail: image, value: undefined },
      { label: l10n.t('None'), detail: none, value: false },
      { label: l10n.t('Custom...'), value: true },
    ],
    (value) => value === current,
  );
  if (picked?.value !== true) return picked && { healthcheck: picked.value };
  const checks = [own, defaults?.healthcheck];
  const now = checks.find((one) => one !== undefined && one !== false) ?? {};
  const healthcheck = await askOwn(ui, title, now);
  return healthcheck && { healthcheck };
}

/** Asks for a custom health check, step by step. Canceling a step discards all changes. */
async function askOwn(
  ui: Ui,
  title: StepTitle,
  now: Healthcheck,
): Promise<Healthcheck | undefined> {
  const texts: string[] = [];
  for (const question of questions(now)) {
    const text = await inputWithLineBreaks(ui, { ...title, canGoBack: true, ...question });
    if (text === undefined) return undefined;
    texts.push(text);
  }
  const [test = '', interval = '', timeout = '', retries = ''] = texts;
  return {
    test: typeof now.test !== 'string' && test === testLine(now) && now.test ? now.test : test,
    ...(interval !== '' && { interval }),
    ...(timeout !== '' && { timeout }),
    ...(now.startPeriod !== undefined && { startPeriod: now.startPeriod }),
    ...(retries !== '' && { retries: Number(retries) }),
  };
}

function questions(now: Healthcheck): readonly InputQuestion[] {
  return [
    {
      prompt: l10n.t('Shell command that exits with code 0 while the container is healthy'),
      placeholder: 'curl -f http://localhost/ || exit 1',
      value: testLine(now),
      problem: (text) =>
        text.trim() === '' ? l10n.t('The health check has no command.') : undefined,
    },
    timeQuestion(l10n.t('Time between checks'), now.interval),
    timeQuestion(l10n.t('Timeout of a check'), now.timeout),
    {
      prompt: l10n.t(
        'Consecutive failures needed to report unhealthy. Leave empty for the default.',
      ),
      placeholder: '3',
      value: String(now.retries ?? ''),
      problem: problemUnlessEmpty((text) => checkRetries(readWholeNumber(text), text)),
    },
  ];
}

function timeQuestion(what: string, value: string | undefined): InputQuestion {
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
