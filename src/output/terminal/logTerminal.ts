import { ContainerLog } from '../../logs/follow/containerLog.ts';
import type {
  LogDependencies,
  ContainerLogOptions,
} from '../../logs/follow/containerLogOptions.ts';
import { type LogSink, markerMessage } from '../../logs/follow/logMarker.ts';
import type { LogLine } from '../../engine/model.ts';
import { coloredText } from '../../logs/text/coloredText.ts';
import { settledWithin } from '../../base/time.ts';
import type { Pty, TerminalOwner } from './pty.ts';
import { Screen } from './screen.ts';

/**
 * Number of characters after which to check how far the terminal has read. VS Code discards output if the
 * terminal falls too far behind.
 */
const ASKED_AFTER = 1024 * 1024;
/** The status query (DSR). */
const ARE_YOU_THERE = '\x1b[5n';
/** The reply that every terminal sends to it. */
const I_AM = '\x1b[0n';
/** A terminal that does not reply within this time is not waited for. */
const LONGEST_WAIT_MS = 10_000;

/** A read-only terminal that follows the log of one container, with colors and across restarts. */
export class LogTerminal implements Pty {
  readonly screen: Screen;
  readonly #log: ContainerLog;
  #sinceAsked = 0;
  #onAnswer: (() => void) | undefined;
  readonly #shown = Promise.withResolvers<undefined>();

  constructor(
    owner: TerminalOwner,
    view: FollowedLogOptions,
    parts: LogDependencies & { readonly screen?: Screen },
  ) {
    this.screen = parts.screen ?? new Screen();
    const sink: LogSink = {
      lines: async (lines) => {
        await this.#shown.promise;
        await this.#show(terminalLines(lines, view.timestamps));
      },
      marker: async (marker) => {
        await this.#shown.promise;
        this.screen.showMessage(markerMessage(marker));
      },
    };
    this.#log = new ContainerLog(owner.id, { ...view, follow: true }, sink, parts);
  }

  /** Requests the log. Output starts once the terminal is open. @throws EngineError if the engine refuses. */
  async start(): Promise<void> {
    await this.#log.open();
  }

  open(): void {
    this.#shown.resolve(undefined);
  }

  close(): void {
    this.#log.dispose();
    this.#shown.resolve(undefined);
    this.#onAnswer?.();
    this.screen.dispose();
  }

  handleInput(text: string): void {
    if (text.includes(I_AM)) this.#onAnswer?.();
  }

  setDimensions(): void {
    // The log does not depend on the terminal size.
  }

  async #show(text: string): Promise<void> {
    await this.screen.write(text);
    this.#sinceAsked += text.length;
    if (this.#sinceAsked < ASKED_AFTER) return;
    this.#sinceAsked = 0;
    await this.#untilRead();
  }

  /** Waits until the terminal has processed all output so far. */
  async #untilRead(): Promise<void> {
    const answered = Promise.withResolvers<undefined>();
    this.#onAnswer = () => answered.resolve(undefined);
    const waiting = settledWithin(LONGEST_WAIT_MS, answered.promise);
    await this.screen.write(ARE_YOU_THERE);
    await waiting;
    this.#onAnswer = undefined;
  }
}

/** The options of a log terminal, which always follows the log. */
export type FollowedLogOptions = Omit<ContainerLogOptions, 'follow'>;

/** Formats log lines for a terminal. Keeps colors and removes all other escape sequences. */
export function terminalLines(lines: readonly LogLine[], withStamps: boolean): string {
  const text = lines.map((line) => {
    const stamp = withStamps ? `\x1b[2m${line.timestamp}\x1b[22m ` : '';
    return `${stamp}${coloredText(line.text)}\r\n`;
  });
  return text.join('');
}
