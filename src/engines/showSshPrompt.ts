import * as l10n from '@vscode/l10n';
import { once } from 'node:events';
import * as vscode from 'vscode';
import type { Ask, SshQuestion } from '../engine/ssh/sshQuestion.ts';
import { displayText, displayTitle } from '../base/plainText.ts';
import { WorkQueue } from '../base/time.ts';

/** Shows the prompts of ssh as input boxes and dialogs of VS Code. Answers are passed on to ssh and not stored. */
export const showSshPrompt: Ask = (question, signal) => {
  switch (question.kind) {
    case 'password':
      return askForText(question, signal);
    case 'confirm':
      return confirm(question, signal);
    case 'notice':
      return show(question, signal);
  }
};

/**
 * Asks one question after the other. VS Code has one input box: a second question would close the first, as if the user
 * had canceled it. A question that was canceled while it waited is not shown.
 */
export function oneAtATime(ask: Ask): Ask {
  const queue = new WorkQueue();
  return (question, signal) => {
    // A notice is closed only by its signal.
    if (question.kind === 'notice') return ask(question, signal);
    return queue.add(() => (signal.aborted ? undefined : ask(question, signal)));
  };
}

async function askForText(
  { host, prompt }: SshQuestion,
  signal: AbortSignal,
): Promise<string | undefined> {
  const source = new vscode.CancellationTokenSource();
  const onAbort = (): void => source.cancel();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await vscode.window.showInputBox(
      {
        title: displayTitle(l10n.t('Log In to {0}', host)),
        prompt: displayTitle(prompt),
        password: true,
        ignoreFocusOut: true,
      },
      source.token,
    );
  } finally {
    signal.removeEventListener('abort', onAbort);
    source.dispose();
  }
}

/**
 * Asks only if the whole prompt can be displayed, because the end of a fingerprint matters too. An extension
 * cannot close a modal message, so an answer after `signal` aborts is ignored.
 */
async function confirm(
  { host, prompt, isWhole }: SshQuestion,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!isWhole) {
    const refusal = l10n.t('The SSH prompt is too long to show. It was not answered.');
    void vscode.window.showErrorMessage(refusal);
    return undefined;
  }
  const connect = l10n.t('Connect');
  const answer = await vscode.window.showWarningMessage(
    displayText(l10n.t('Connect to {0}?', host)),
    { modal: true, detail: displayText(prompt) },
    connect,
  );
  return answer === connect && !signal.aborted ? 'yes' : undefined;
}

/** Shows a notification until `signal` aborts. Not cancellable, because canceling would have no effect on ssh. */
async function show({ host, prompt }: SshQuestion, signal: AbortSignal): Promise<undefined> {
  await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: `${displayTitle(host)}: ${displayTitle(prompt)}`,
    },
    async () => {
      if (!signal.aborted) await once(signal, 'abort');
    },
  );
  return undefined;
}
