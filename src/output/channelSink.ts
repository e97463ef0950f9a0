import type { LogLine } from '../engine/model.ts';
import type { L10n } from '../l10n.ts';
import type { Disposable } from '../lifetime.ts';
import type { LogSink } from '../logs/follow/logSink.ts';
import type { LogMarker } from '../logs/follow/logMarker.ts';
import { logText, markerText } from './logText.ts';
import type { LogWriter } from './logWriter.ts';

/** Writes a log as the text of a channel. */
export class ChannelSink implements LogSink, Disposable {
  readonly #writer: LogWriter;
  readonly #withStamps: boolean;
  readonly #l10n: L10n;
  readonly #onRemoved: () => void;

  /** @param onRemoved called once all is appended of a container that is gone */
  constructor(writer: LogWriter, withStamps: boolean, l10n: L10n, onRemoved: () => void) {
    this.#writer = writer;
    this.#withStamps = withStamps;
    this.#l10n = l10n;
    this.#onRemoved = onRemoved;
  }

  lines(lines: readonly LogLine[]): Promise<void> {
    return this.#writer.write(logText(lines, this.#withStamps, this.#l10n));
  }

  async marker(marker: LogMarker): Promise<void> {
    await this.#writer.write(markerText(marker, this.#l10n));
    if (marker.kind !== 'removed') return;
    this.flush();
    this.#onRemoved();
  }

  /** Appends what waits. */
  flush(): void {
    this.#writer.flush();
  }

  dispose(): void {
    this.#writer.dispose();
  }
}
