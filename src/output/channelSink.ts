import type { LogLine } from '../engine/model.ts';
import type { L10n } from '../l10n.ts';
import type { Disposable } from '../lifetime.ts';
import type { LogSink } from '../logs/logSink.ts';
import type { Remark } from '../logs/remark.ts';
import { logText, remarkText } from './logText.ts';
import type { LogWriter } from './logWriter.ts';

/** Writes a log as the text of a channel. */
export class ChannelSink implements LogSink, Disposable {
  readonly #writer: LogWriter;
  readonly #withStamps: boolean;
  readonly #l10n: L10n;

  constructor(writer: LogWriter, withStamps: boolean, l10n: L10n) {
    this.#writer = writer;
    this.#withStamps = withStamps;
    this.#l10n = l10n;
  }

  lines(lines: readonly LogLine[]): Promise<void> {
    return this.#writer.write(logText(lines, this.#withStamps));
  }

  remark(remark: Remark): Promise<void> {
    return this.#writer.write(remarkText(remark, this.#l10n));
  }

  /** Appends what waits. */
  flush(): void {
    this.#writer.flush();
  }

  dispose(): void {
    this.#writer.dispose();
  }
}
