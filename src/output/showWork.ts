import * as vscode from 'vscode';
import type { Disposable } from '../base/lifetime.ts';
import { displayText } from '../base/plainText.ts';

/** Shows a notification with progress and Cancel until the work ends. */
export function showWork({ title, result, cancel, follow }: ShownWork): void {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: displayText(title),
    cancellable: true,
  };
  void vscode.window.withProgress(options, async (report, token) => {
    const canceling = token.onCancellationRequested(cancel);
    const following = follow(report);
    await result.catch(() => undefined);
    following.dispose();
    canceling.dispose();
  });
}

/** Progress that a notification shows. */
export type ProgressReport = vscode.Progress<{ message?: string; increment?: number }>;

interface ShownWork {
  /** May have names that others wrote. */
  readonly title: string;
  /** Settles when the work ends. The caller reports how. */
  readonly result: Promise<unknown>;
  readonly cancel: () => void;
  /** Reports the progress until it is disposed. */
  readonly follow: (report: ProgressReport) => Disposable;
}
