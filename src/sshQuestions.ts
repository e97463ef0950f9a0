import * as vscode from 'vscode';
import type { Ask, SshQuestion } from './engine/ssh/questions.ts';
import { oneLine, plainText, withoutLinks } from './plainText.ts';

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
        title: vscode.l10n.t('Log In to {0}', host),
        prompt: withoutLinks(oneLine(prompt)),
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

/** A modal message cannot be taken back; one that nobody waits for any more is answered in vain. */
async function confirm(
  { host, prompt }: SshQuestion,
  signal: AbortSignal,
): Promise<string | undefined> {
  const connect = vscode.l10n.t('Connect');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Connect to {0}?', host),
    { modal: true, detail: plainText(prompt) },
    connect,
  );
  return answer === connect && !signal.aborted ? 'yes' : undefined;
}

/** Stays until it is settled elsewhere. Cancelling it changes nothing there, so there is no button. */
async function show({ host, prompt }: SshQuestion, signal: AbortSignal): Promise<undefined> {
  await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: withoutLinks(`${host}: ${oneLine(prompt)}`),
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
