import * as vscode from 'vscode';
import { signalOf } from '../../lifetime.ts';
import { monotonicClock, Throttle } from '../../time.ts';
import { formatSize } from '../../views/format.ts';
import { displayTitle } from '../../plainText.ts';

/** As often as anybody reads it. */
const PAINT_MS = 200;

/**
 * Runs work that moves bytes under a notification that counts them, with a way to cancel it.
 *
 * @param run gets the signal of Cancel, and a function that says how far it is.
 */
export async function withByteProgress<T>(
  title: string,
  run: (signal: AbortSignal, tell: (moved: ByteProgress) => void) => Promise<T>,
): Promise<T> {
  const location = vscode.ProgressLocation.Notification;
  const options = { location, title: displayTitle(title), cancellable: true };
  return vscode.window.withProgress(options, async (progress, token) => {
    const cancel = signalOf(token);
    let moved: ByteProgress = { bytes: 0 };
    let painted = 0;
    const painter = new Throttle(monotonicClock, PAINT_MS, () => {
      const percent = moved.total ? Math.min(100, (moved.bytes / moved.total) * 100) : painted;
      const message = formatProgress(moved);
      // Without an increment the bar stays one that has no end.
      progress.report(
        moved.total === undefined ? { message } : { message, increment: percent - painted },
      );
      painted = percent;
    });
    try {
      return await run(cancel.signal, (now) => {
        moved = now;
        painter.request();
      });
    } finally {
      painter.finish();
      cancel.dispose();
    }
  });
}

/** How far something is that moves bytes. */
export interface ByteProgress {
  readonly bytes: number;
  /** Of how many, where that is known. */
  readonly total?: number | undefined;
}

/** The same for work that tells how many bytes have come since the last time. */
export function withByteCount<T>(
  title: string,
  run: (signal: AbortSignal, onBytes: (count: number) => void) => Promise<T>,
): Promise<T> {
  let bytes = 0;
  return withByteProgress(title, (signal, tell) =>
    run(signal, (count) => {
      bytes += count;
      tell({ bytes });
    }),
  );
}

function formatProgress({ bytes, total }: ByteProgress): string {
  return total === undefined
    ? formatSize(bytes)
    : vscode.l10n.t('{0} of {1}', formatSize(bytes), formatSize(total));
}
