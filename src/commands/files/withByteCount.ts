import * as vscode from 'vscode';
import { signalOf } from '../../lifetime.ts';
import { formatSize } from '../../views/format.ts';
import { displayTitle } from '../../plainText.ts';

/** A notification is painted at most so often, in milliseconds. */
const PAINT_MS = 250;

/**
 * Runs work that moves bytes, under a notification that counts them and lets the person cancel.
 *
 * @param run hears of cancel by the signal; is told a function that counts bytes.
 */
export function withByteCount<T>(
  title: string,
  run: (signal: AbortSignal, onBytes: (count: number) => void) => Promise<T>,
): Promise<T> {
  const location = vscode.ProgressLocation.Notification;
  const options = { location, title: displayTitle(title), cancellable: true };
  const work = async (
    progress: vscode.Progress<{ message?: string }>,
    token: vscode.CancellationToken,
  ): Promise<T> => {
    const follower = signalOf(token);
    let [bytes, paintedAt] = [0, 0];
    try {
      return await run(follower.signal, (count) => {
        bytes += count;
        if (performance.now() - paintedAt < PAINT_MS) return;
        paintedAt = performance.now();
        progress.report({ message: formatSize(bytes) });
      });
    } finally {
      follower.dispose();
    }
  };
  return Promise.resolve(vscode.window.withProgress(options, work));
}
