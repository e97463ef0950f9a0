import * as l10n from '@vscode/l10n';
import { monotonicClock, Throttle } from '../../base/time.ts';
import { formatSize } from '../../views/format.ts';
import type { Ui } from '../ui/ui.ts';

/** Milliseconds between two updates of the notification. */
const PAINT_MS = 200;

/**
 * Runs work with a notification that shows the number of bytes and has a Cancel button.
 *
 * @param run gets the signal of Cancel and a function that reports progress.
 */
export function withByteProgress<T>(
  ui: Ui,
  title: string,
  run: (signal: AbortSignal, onBytes: OnBytes) => Promise<T>,
): Promise<T> {
  return ui.progress(title, 'atOnce', async (signal, report) => {
    let moved: { readonly bytes: number; readonly total?: number | undefined } = { bytes: 0 };
    const painter = new Throttle(monotonicClock, PAINT_MS, () => {
      const { bytes, total } = moved;
      const percent = total ? Math.min(100, (bytes / total) * 100) : undefined;
      const size = formatSize(bytes);
      const message = total === undefined ? size : l10n.t('{0} of {1}', size, formatSize(total));
      report({ message, percent });
    });
    try {
      return await run(signal, (bytes, total) => {
        moved = { bytes, total };
        painter.request();
      });
    } finally {
      painter.finish();
    }
  });
}

/** Called with the number of bytes so far, and with the total if it is known. */
export type OnBytes = (bytes: number, total?: number) => void;

/** Like {@link withByteProgress}, for work that reports the bytes since its last report. */
export function withByteCount<T>(
  ui: Ui,
  title: string,
  run: (signal: AbortSignal, onBytes: (count: number) => void) => Promise<T>,
): Promise<T> {
  let bytes = 0;
  return withByteProgress(ui, title, (signal, onBytes) =>
    run(signal, (count) => {
      bytes += count;
      onBytes(bytes);
    }),
  );
}
