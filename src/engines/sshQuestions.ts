import * as vscode from 'vscode';
import type { Ask, SshQuestion } from '../engine/ssh/questions.ts';
import { shownText, shownTitle } from '../plainText.ts';

/** Puts ssh's questions to the person as inputs of the editor. What they answer is handed on and kept nowhere. */
export const askInEditor: Ask = (question, signal) => {
  switch (question.kind) {
    case 'password':
      return askForWords(question, signal);
    case 'confirm':
      return confirm(question, signal);
    case 'notice':
      return show(question, signal);
  }
};

async function askForWords(
  { host, prompt }: SshQuestion,
  signal: AbortSignal,
): Promise<string | undefined> {
  const source = new vscode.CancellationTokenSource();
  const onAbort = (): void => {
    source.cancel();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await vscode.window.showInputBox(
      {
        title: shownTitle(vscode.l10n.t('Log In to {0}', host)),
        prompt: shownTitle(prompt),
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
 * Asks only if the user can read the whole question: the end of a fingerprint counts, too. A modal message cannot be
 * closed from here, so after `signal` its answer is ignored.
 */
async function confirm(
  { host, prompt, isWhole }: SshQuestion,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!isWhole) {
    const refusal = vscode.l10n.t('The SSH prompt is too long to show. It was not answered.');
    void vscode.window.showErrorMessage(refusal);
    return undefined;
  }
  const connect = vscode.l10n.t('Connect');
  const answer = await vscode.window.showWarningMessage(
    shownText(vscode.l10n.t('Connect to {0}?', host)),
    { modal: true, detail: shownText(prompt) },
    connect,
  );
  return answer === connect && !signal.aborted ? 'yes' : undefined;
}

/** Stays until it is settled elsewhere. Cancelling it changes nothing there, so there is no button. */
async function show({ host, prompt }: SshQuestion, signal: AbortSignal): Promise<undefined> {
  await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: `${shownTitle(host)}: ${shownTitle(prompt)}`,
    },
    () =>
      new Promise<void>((resolve) => {
        signal.addEventListener(
          'abort',
          () => {
            resolve();
          },
          { once: true },
        );
        if (signal.aborted) resolve();
      }),
  );
  return undefined;
}
